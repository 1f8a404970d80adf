// Multiplication in variable time: for checks of public scalars only.
#pragma once

#include "curve/base_table.h"
#include "curve/field51.h"
#include "curve/point.h"

namespace wrkz::curve {

using Point = Extended<Field51>;

inline constexpr int kScalarBits = 256;
inline constexpr int kPointWidth = 5;  // odd digits up to 15

// The non-adjacent form (wNAF) of the given width: odd digits below 2^(width-1) in magnitude, each followed by at least
// width - 1 zeros. Returns the index of the highest nonzero digit, -1 for zero.
int NonAdjacentForm(const uint8_t scalar[32], int width, int8_t digits[kScalarBits]);

struct OddMultiples {  // P, 3P ... 15P
  Cached<Field51> of[8];
};

void FillOddMultiples(const Point& p, OddMultiples* table);

// a A + b G; scalars below 2^253, little-endian.
Projective<Field51> DoubleMultiplyBase(const uint8_t a[32], const OddMultiples& A, const uint8_t b[32]);
// a A + b B
Projective<Field51> DoubleMultiply(const uint8_t a[32], const OddMultiples& A, const uint8_t b[32],
                                   const OddMultiples& B);

// True if l P is the identity: P is in the subgroup of the base point.
bool HasPrimeOrder(const OddMultiples& p);

}  // namespace wrkz::curve
