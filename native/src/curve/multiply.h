// Scalar multiplication in constant time, for any of the field types: the same steps and memory accesses for every
// scalar. Each lane has its own scalar.
#pragma once

#include "curve/base_table.h"
#include "curve/point.h"

namespace wrkz::curve {

inline constexpr int kDigits = 64;

// Signed digits of radix 16: each -8..7, least significant first, `stride` bytes apart; the last 0..16. A last digit
// above 8 selects no table entry below, so that part of a scalar of 2^255 or more is ignored. The reference programs
// compute the same for such scalars (only unchecked scalars get here).
static inline void RecodeSigned16(const uint8_t scalar[32], int8_t* digits, int stride) {
  int carry = 0;
  for (int i = 0; i < kDigits; ++i) {
    const int digit = ((scalar[i / 2] >> (4 * (i % 2))) & 15) + carry;
    carry = i + 1 < kDigits ? (digit + 8) >> 4 : 0;
    digits[i * stride] = static_cast<int8_t>(digit - 16 * carry);
  }
}

template <class F>
struct Multiples {  // 1 P ... 8 P
  Cached<F> of[8];
};

template <class F>
static void FillMultiples(const Extended<F>& p, Multiples<F>* table) {
  table->of[0] = ToCached(p);
  for (int i = 1; i < 8; ++i) table->of[i] = ToCached(ToExtended(Plus(p, table->of[i - 1])));
}

template <class F, class Digit>
static inline Cached<F> SelectMultiple(const Multiples<F>& table, const Digit& digit) {
  Cached<F> r = CachedIdentity<F>();
  for (int i = 0; i < 8; ++i) {
    const auto hit = HasMagnitude(digit, static_cast<uint64_t>(i + 1));
    r.sum = Select(hit, table.of[i].sum, r.sum);
    r.difference = Select(hit, table.of[i].difference, r.difference);
    r.Z = Select(hit, table.of[i].Z, r.Z);
    r.T2d = Select(hit, table.of[i].T2d, r.T2d);
  }
  return {Select(digit.negative, r.difference, r.sum), Select(digit.negative, r.sum, r.difference), r.Z,
          Select(digit.negative, Carry(Sub(F::Small(0), r.T2d)), r.T2d)};
}

template <class F, class Digit>
static inline Niels<F> SelectBaseMultiple(const BaseMultiple row[8], const Digit& digit) {
  Niels<F> r = NielsIdentity<F>();
  for (int i = 0; i < 8; ++i) {
    const auto hit = HasMagnitude(digit, static_cast<uint64_t>(i + 1));
    r.sum = Select(hit, F::Constant(row[i].sum), r.sum);
    r.difference = Select(hit, F::Constant(row[i].difference), r.difference);
    r.T2d = Select(hit, F::Constant(row[i].T2d), r.T2d);
  }
  return {Select(digit.negative, r.difference, r.sum), Select(digit.negative, r.sum, r.difference),
          Select(digit.negative, Carry(Sub(F::Small(0), r.T2d)), r.T2d)};
}

// Four doublings; the last one computes T for the addition that follows. A loop, because unrolled code for several lanes
// and its callers would not fit into the level 1 instruction cache.
template <class F>
static inline Extended<F> Times16(const Projective<F>& p) {
  Projective<F> r = p;
#pragma GCC unroll 1
  for (int i = 0; i < 3; ++i) r = ToProjective(Double(r));
  return ToExtended(Double(r));
}

// s P; digit `i` of lane `n` is digits[i * kLanes + n].
template <class F>
static Projective<F> MultiplyTable(const int8_t* digits, const Multiples<F>& table) {
  Projective<F> r = ProjectiveIdentity<F>();
  for (int i = kDigits - 1; i >= 0; --i) {
    const auto digit = DigitFrom(digits + i * F::kLanes, static_cast<const F*>(nullptr));
    r = ToProjective(Plus(Times16(r), SelectMultiple(table, digit)));
  }
  return r;
}

template <class F>
static Projective<F> Multiply(const int8_t* digits, const Extended<F>& p) {
  Multiples<F> table;
  FillMultiples(p, &table);
  return MultiplyTable(digits, table);
}

// s G. Adds the odd digits, multiplies by 16, then adds the even digits: one row of multiples serves two digits.
template <class F>
static Extended<F> MultiplyBase(const int8_t* digits) {
  const BaseTable& table = BaseTable::Get();
  Extended<F> r = ExtendedIdentity<F>();
  for (int i = 1; i < kDigits; i += 2) {
    const auto digit = DigitFrom(digits + i * F::kLanes, static_cast<const F*>(nullptr));
    r = ToExtended(Plus(r, SelectBaseMultiple<F>(table.rows[i / 2], digit)));
  }
  r = Times16(ToProjective(r));
  for (int i = 0; i < kDigits; i += 2) {
    const auto digit = DigitFrom(digits + i * F::kLanes, static_cast<const F*>(nullptr));
    r = ToExtended(Plus(r, SelectBaseMultiple<F>(table.rows[i / 2], digit)));
  }
  return r;
}

}  // namespace wrkz::curve
