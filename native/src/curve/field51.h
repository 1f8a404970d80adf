// The field of p = 2^255 - 19 in five limbs of 51 bits, one element at a time, in constant time. The templates of
// point.h and others require the members of this type; field_ifma.h provides them for eight elements at once.
//
// Bounds. "Tight": every limb below 2^51 + 2^14. Results of Mul, Sqr, Carry and the constants are tight. Mul and Sqr
// accept limbs below 2^54. Add of two tight elements stays below 2^53. Sub requires a tight subtrahend (2p is added
// first); SubWide accepts one below 2^53 - 80 (4p is added first). Results of both stay below 2^54 for a minuend below
// 2^53.
#pragma once

#include <cstdint>

#include "curve/constants.h"

namespace wrkz::curve {

struct Field51 {
  using Mask = uint64_t;  // all ones or all zeros
  static constexpr int kLanes = 1;

  uint64_t v[5];

  static Field51 Constant(const FieldConstant& c) { return {{c.limb[0], c.limb[1], c.limb[2], c.limb[3], c.limb[4]}}; }
  static Field51 Small(uint64_t value) { return {{value, 0, 0, 0, 0}}; }
  static Field51 Load(const FieldConstant* lanes) { return Constant(lanes[0]); }
  static Mask MaskFrom(const uint64_t* bits) { return 0 - bits[0]; }  // bits are 0 or 1
  static Mask Not(Mask a) { return ~a; }
  static Mask Or(Mask a, Mask b) { return a | b; }
  static Mask Xor(Mask a, Mask b) { return a ^ b; }
  static bool LaneOf(Mask mask, int) { return mask != 0; }
  // The limbs of the smallest non-negative representative.
  void Store(FieldConstant* lanes) const;
};

using Wide = unsigned __int128;

static inline Field51 Add(const Field51& a, const Field51& b) {
  return {{a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3], a.v[4] + b.v[4]}};
}

static inline Field51 SubMultiple(const Field51& a, const Field51& b, uint64_t low, uint64_t high) {
  return {{a.v[0] + low - b.v[0], a.v[1] + high - b.v[1], a.v[2] + high - b.v[2], a.v[3] + high - b.v[3],
           a.v[4] + high - b.v[4]}};
}

static inline Field51 Sub(const Field51& a, const Field51& b) {
  return SubMultiple(a, b, 2 * (kLimbMask - 18), 2 * kLimbMask);
}

static inline Field51 SubWide(const Field51& a, const Field51& b) {
  return SubMultiple(a, b, 4 * (kLimbMask - 18), 4 * kLimbMask);
}

static inline Field51 Carry(const Field51& a) {
  const uint64_t c0 = a.v[0] >> kLimbBits, c1 = a.v[1] >> kLimbBits, c2 = a.v[2] >> kLimbBits;
  const uint64_t c3 = a.v[3] >> kLimbBits, c4 = a.v[4] >> kLimbBits;
  return {{(a.v[0] & kLimbMask) + 19 * c4, (a.v[1] & kLimbMask) + c0, (a.v[2] & kLimbMask) + c1,
           (a.v[3] & kLimbMask) + c2, (a.v[4] & kLimbMask) + c3}};
}

static inline Field51 ReduceWide(Wide t0, Wide t1, Wide t2, Wide t3, Wide t4) {
  Field51 r;
  t1 += static_cast<uint64_t>(t0 >> kLimbBits);
  t2 += static_cast<uint64_t>(t1 >> kLimbBits);
  t3 += static_cast<uint64_t>(t2 >> kLimbBits);
  t4 += static_cast<uint64_t>(t3 >> kLimbBits);
  const uint64_t low = (static_cast<uint64_t>(t0) & kLimbMask) + 19 * static_cast<uint64_t>(t4 >> kLimbBits);
  r.v[0] = low & kLimbMask;
  r.v[1] = (static_cast<uint64_t>(t1) & kLimbMask) + (low >> kLimbBits);
  r.v[2] = static_cast<uint64_t>(t2) & kLimbMask;
  r.v[3] = static_cast<uint64_t>(t3) & kLimbMask;
  r.v[4] = static_cast<uint64_t>(t4) & kLimbMask;
  return r;
}

static inline Wide Product(uint64_t a, uint64_t b) { return static_cast<Wide>(a) * b; }

static inline Field51 Mul(const Field51& a, const Field51& b) {
  // 2^255 = 19: products beyond the fifth limb are multiplied by 19 and added to the low limbs.
  const uint64_t a0 = a.v[0], a1 = a.v[1], a2 = a.v[2], a3 = a.v[3], a4 = a.v[4];
  const uint64_t b0 = b.v[0], b1 = b.v[1], b2 = b.v[2], b3 = b.v[3], b4 = b.v[4];
  const uint64_t n1 = 19 * a1, n2 = 19 * a2, n3 = 19 * a3, n4 = 19 * a4;
  return ReduceWide(
      Product(a0, b0) + Product(n1, b4) + Product(n2, b3) + Product(n3, b2) + Product(n4, b1),
      Product(a0, b1) + Product(a1, b0) + Product(n2, b4) + Product(n3, b3) + Product(n4, b2),
      Product(a0, b2) + Product(a1, b1) + Product(a2, b0) + Product(n3, b4) + Product(n4, b3),
      Product(a0, b3) + Product(a1, b2) + Product(a2, b1) + Product(a3, b0) + Product(n4, b4),
      Product(a0, b4) + Product(a1, b3) + Product(a2, b2) + Product(a3, b1) + Product(a4, b0));
}

static inline Field51 Sqr(const Field51& a) {
  const uint64_t a0 = a.v[0], a1 = a.v[1], a2 = a.v[2], a3 = a.v[3], a4 = a.v[4];
  const uint64_t d0 = 2 * a0, d1 = 2 * a1, n3 = 19 * a3, n4 = 19 * a4;
  const uint64_t m4 = 2 * n4;
  return ReduceWide(Product(a0, a0) + Product(a1, m4) + Product(2 * a2, n3),
                    Product(d0, a1) + Product(a2, m4) + Product(a3, n3),
                    Product(d0, a2) + Product(a1, a1) + Product(a3, m4),
                    Product(d0, a3) + Product(d1, a2) + Product(a4, n4),
                    Product(d0, a4) + Product(d1, a3) + Product(a2, a2));
}

static inline Field51 Select(uint64_t mask, const Field51& whenSet, const Field51& otherwise) {
  Field51 r;
  for (int i = 0; i < 5; ++i) r.v[i] = otherwise.v[i] ^ (mask & (whenSet.v[i] ^ otherwise.v[i]));
  return r;
}

// The smallest non-negative representative; limbs below 2^63.
static inline Field51 Freeze(const Field51& a) {
  Field51 r = Carry(Carry(a));  // now below 2p
  // Adding 19 carries out of bit 255 exactly when r >= p.
  uint64_t over = (r.v[0] + 19) >> kLimbBits;
  for (int i = 1; i < 5; ++i) over = (r.v[i] + over) >> kLimbBits;
  r.v[0] += 19 * over;
  for (int i = 0; i < 4; ++i) {
    r.v[i + 1] += r.v[i] >> kLimbBits;
    r.v[i] &= kLimbMask;
  }
  r.v[4] &= kLimbMask;
  return r;
}

inline void Field51::Store(FieldConstant* lanes) const {
  const Field51 r = Freeze(*this);
  for (int i = 0; i < 5; ++i) lanes[0].limb[i] = r.v[i];
}

static inline uint64_t IsZero(const Field51& a) {
  const Field51 r = Freeze(a);
  const uint64_t bits = r.v[0] | r.v[1] | r.v[2] | r.v[3] | r.v[4];
  return ((bits | (0 - bits)) >> 63) - 1;
}

static inline uint64_t IsOdd(const Field51& a) { return 0 - (Freeze(a).v[0] & 1); }

// One signed digit per lane.
struct Digit51 {
  uint64_t magnitude;
  uint64_t negative;  // a mask
};

static inline Digit51 DigitFrom(const int8_t* lanes, const Field51*) {
  const int64_t value = lanes[0];
  const uint64_t negative = static_cast<uint64_t>(value >> 63);
  return {(static_cast<uint64_t>(value) ^ negative) - negative, negative};
}

static inline uint64_t HasMagnitude(const Digit51& digit, uint64_t magnitude) {
  const uint64_t difference = digit.magnitude ^ magnitude;
  return ((difference | (0 - difference)) >> 63) - 1;
}

}  // namespace wrkz::curve
