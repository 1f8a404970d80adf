// Points over any of the field types: coordinate representations, the complete addition law, decoding and encoding.
//
// Formulas: twisted Edwards with a = -1 in extended coordinates (Hisil, Wong, Carter, Dawson 2008); complete for
// every point of the curve, so there are no special cases.
#pragma once

#include <cstring>

#include "common/bytes.h"
#include "curve/constants.h"
#include "curve/field_power.h"

namespace wrkz::curve {

template <class F>
struct Projective {  // x = X/Z, y = Y/Z
  F X, Y, Z;
};

template <class F>
struct Extended {  // and X Y = Z T
  F X, Y, Z, T;
};

template <class F>
struct Completed {  // x = X/Z, y = Y/T
  F X, Y, Z, T;
};

template <class F>
struct Cached {  // the second operand of an addition
  F sum, difference, Z, T2d;  // Y+X, Y-X, Z, 2dT
};

template <class F>
struct Niels {  // the same with Z = 1
  F sum, difference, T2d;
};

template <class F>
static inline Projective<F> ToProjective(const Completed<F>& p) {
  return {Mul(p.X, p.T), Mul(p.Y, p.Z), Mul(p.Z, p.T)};
}

template <class F>
static inline Extended<F> ToExtended(const Completed<F>& p) {
  return {Mul(p.X, p.T), Mul(p.Y, p.Z), Mul(p.Z, p.T), Mul(p.X, p.Y)};
}

template <class F>
static inline Extended<F> ToExtended(const Projective<F>& p) {
  return {Mul(p.X, p.Z), Mul(p.Y, p.Z), Sqr(p.Z), Mul(p.X, p.Y)};
}

template <class F>
static inline Projective<F> ToProjective(const Extended<F>& p) {
  return {p.X, p.Y, p.Z};
}

template <class F>
static inline Cached<F> ToCached(const Extended<F>& p) {
  return {Carry(Add(p.Y, p.X)), Carry(Sub(p.Y, p.X)), p.Z, Mul(p.T, F::Constant(kTwoD))};
}

template <class F>
static inline Extended<F> ExtendedIdentity() {
  return {F::Small(0), F::Small(1), F::Small(1), F::Small(0)};
}

template <class F>
static inline Projective<F> ProjectiveIdentity() {
  return {F::Small(0), F::Small(1), F::Small(1)};
}

template <class F>
static inline Cached<F> CachedIdentity() {
  return {F::Small(1), F::Small(1), F::Small(1), F::Small(0)};
}

template <class F>
static inline Niels<F> NielsIdentity() {
  return {F::Small(1), F::Small(1), F::Small(0)};
}

template <class F>
static inline Completed<F> Double(const Projective<F>& p) {
  const F xx = Sqr(p.X);
  const F yy = Sqr(p.Y);
  const F zz = Sqr(p.Z);
  const F sum = Add(yy, xx);
  const F difference = Sub(yy, xx);
  return {SubWide(Sqr(Add(p.X, p.Y)), sum), sum, difference, SubWide(Add(zz, zz), difference)};
}

template <class F>
static inline Completed<F> AddSums(const F& minus, const F& plus, const F& t, const F& z) {
  const F twoZ = Add(z, z);
  return {Sub(plus, minus), Add(plus, minus), Add(twoZ, t), Sub(twoZ, t)};
}

template <class F>
static inline Completed<F> Plus(const Extended<F>& p, const Cached<F>& q) {
  return AddSums(Mul(Sub(p.Y, p.X), q.difference), Mul(Add(p.Y, p.X), q.sum), Mul(p.T, q.T2d), Mul(p.Z, q.Z));
}

template <class F>
static inline Completed<F> Minus(const Extended<F>& p, const Cached<F>& q) {
  const Completed<F> r =
      AddSums(Mul(Sub(p.Y, p.X), q.sum), Mul(Add(p.Y, p.X), q.difference), Mul(p.T, q.T2d), Mul(p.Z, q.Z));
  return {r.X, r.Y, r.T, r.Z};  // -q has the opposite T: swap the last two
}

template <class F>
static inline Completed<F> Plus(const Extended<F>& p, const Niels<F>& q) {
  return AddSums(Mul(Sub(p.Y, p.X), q.difference), Mul(Add(p.Y, p.X), q.sum), Mul(p.T, q.T2d), p.Z);
}

template <class F>
static inline Completed<F> Minus(const Extended<F>& p, const Niels<F>& q) {
  const Completed<F> r = AddSums(Mul(Sub(p.Y, p.X), q.sum), Mul(Add(p.Y, p.X), q.difference), Mul(p.T, q.T2d), p.Z);
  return {r.X, r.Y, r.T, r.Z};
}

template <class F>
static inline Projective<F> Times8(const Projective<F>& p) {
  return ToProjective(Double(ToProjective(Double(ToProjective(Double(p))))));
}

// True for the identity with any Z.
template <class F>
static inline typename F::Mask IsIdentity(const Projective<F>& p) {
  return F::Not(F::Or(F::Not(IsZero(p.X)), F::Not(IsZero(SubWide(p.Y, p.Z)))));
}

// The low 255 bits of 32 bytes as limbs.
static inline FieldConstant LimbsOf(const uint8_t bytes[32]) {
  const uint64_t w0 = Load64(bytes), w1 = Load64(bytes + 8), w2 = Load64(bytes + 16), w3 = Load64(bytes + 24);
  return {{w0 & kLimbMask, ((w0 >> 51) | (w1 << 13)) & kLimbMask, ((w1 >> 38) | (w2 << 26)) & kLimbMask,
           ((w2 >> 25) | (w3 << 39)) & kLimbMask, (w3 >> 12) & kLimbMask}};
}

static inline void BytesOfLimbs(const FieldConstant& c, uint8_t bytes[32]) {
  Store64(bytes, c.limb[0] | (c.limb[1] << 51));
  Store64(bytes + 8, (c.limb[1] >> 13) | (c.limb[2] << 38));
  Store64(bytes + 16, (c.limb[2] >> 26) | (c.limb[3] << 25));
  Store64(bytes + 24, (c.limb[3] >> 39) | (c.limb[4] << 12));
}

// True if y of an encoding is canonical: less than p.
static inline bool IsCanonical(const FieldConstant& y) {
  const bool top = (y.limb[1] & y.limb[2] & y.limb[3] & y.limb[4]) == kLimbMask;
  return !(top && y.limb[0] >= kLimbMask - 18);
}

// Decodes one encoding per lane; `valid[lane]` is set if it is valid. Rejected: y >= p, no x on the curve, and x = 0
// with the sign bit set. The coordinates of an invalid lane are undefined.
template <class F>
static void Decode(const uint8_t* const encodings[F::kLanes], Extended<F>* point, bool valid[F::kLanes]) {
  FieldConstant ys[F::kLanes];
  uint64_t signs[F::kLanes];
  for (int lane = 0; lane < F::kLanes; ++lane) {
    ys[lane] = LimbsOf(encodings[lane]);
    signs[lane] = encodings[lane][31] >> 7;
  }
  const F one = F::Small(1);
  const F y = F::Load(ys);
  const F yy = Sqr(y);
  // x^2 = u/v
  const F u = Sub(yy, one);
  const F v = Carry(Add(Mul(yy, F::Constant(kD)), one));
  F x = FourthRootCandidate(u, v);
  const F check = Mul(Sqr(x), v);
  const auto direct = IsZero(SubWide(check, u));
  const auto turned = IsZero(Add(check, u));
  x = Select(direct, x, Mul(x, F::Constant(kSqrtMinusOne)));

  const auto zero = IsZero(x);
  const auto sign = F::MaskFrom(signs);
  x = Select(F::Xor(IsOdd(x), sign), Carry(Sub(F::Small(0), x)), x);
  for (int lane = 0; lane < F::kLanes; ++lane) {
    valid[lane] = IsCanonical(ys[lane]) && F::LaneOf(F::Or(direct, turned), lane) &&
                  !(F::LaneOf(zero, lane) && signs[lane] != 0);
  }
  *point = {x, y, one, Mul(x, y)};
}

// Affine x, y to the 32-byte encoding: y, with the least significant bit of x in the top bit.
template <class F>
static void EncodeAffine(const F& x, const F& y, uint8_t* const encodings[F::kLanes]) {
  FieldConstant xs[F::kLanes], ys[F::kLanes];
  x.Store(xs);
  y.Store(ys);
  for (int lane = 0; lane < F::kLanes; ++lane) {
    BytesOfLimbs(ys[lane], encodings[lane]);
    encodings[lane][31] |= static_cast<uint8_t>((xs[lane].limb[0] & 1) << 7);
  }
}

template <class F>
static void Encode(const Projective<F>& p, uint8_t* const encodings[F::kLanes]) {
  const F inverse = Invert(p.Z);
  EncodeAffine(Mul(p.X, inverse), Mul(p.Y, inverse), encodings);
}

}  // namespace wrkz::curve
