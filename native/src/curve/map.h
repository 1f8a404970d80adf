// The map from 32 bytes to a point (docs/protocol/cryptography.md#hash-to-point), in any of the field types.
//
// The bytes are a field element u (all 256 bits count). With A = 486662, w = 2 u^2 + 1 and D = w^2 - 2 A^2 u^2, exactly
// one of two Montgomery coordinates z/w lies on the curve: z = -2 A u^2 when w/D is a square, else z = -A. The
// Edwards y is (z - w)/(z + w), and x^2 is 2 A (A + 2) u^2 w/D, respectively A (A + 2) w/D. The first case takes the
// even x, the second the odd one. (2 is not a square modulo p, so neither w nor D is ever zero.)
#pragma once

#include "curve/point.h"

namespace wrkz::curve {

template <class F>
static Projective<F> MapToPoint(const uint8_t* const inputs[F::kLanes]) {
  FieldConstant us[F::kLanes];
  for (int lane = 0; lane < F::kLanes; ++lane) {
    us[lane] = LimbsOf(inputs[lane]);
    us[lane].limb[0] += 19 * static_cast<uint64_t>(inputs[lane][31] >> 7);  // 2^255 = 19
  }
  const F u = Carry(F::Load(us));
  const F minusA = F::Constant(kMinusA);
  const F one = F::Small(1);

  const F uu = Sqr(u);
  const F twoUu = Carry(Add(uu, uu));
  const F w = Carry(Add(twoUu, one));
  const F zSquare = Mul(minusA, twoUu);
  const F D = Carry(Add(Sqr(w), Mul(minusA, Carry(Sub(F::Small(0), zSquare)))));

  const F r = FourthRootCandidate(w, D);
  const F check = Mul(Sqr(r), D);  // one of w, -w, i w, -i w
  const F iw = Mul(w, F::Constant(kSqrtMinusOne));
  const auto plus = IsZero(Sub(check, w));
  const auto minus = IsZero(Add(check, w));
  const auto plusI = IsZero(Sub(check, iw));
  const auto square = F::Or(plus, minus);

  const F rootSquare = Mul(u, Select(plus, F::Constant(kMapSquare), F::Constant(kMapSquareI)));
  const F rootOther = Select(plusI, F::Constant(kMapMinusI), F::Constant(kMapPlusI));
  F x = Mul(r, Select(square, rootSquare, rootOther));
  x = Select(F::Xor(IsOdd(x), F::Not(square)), Carry(Sub(F::Small(0), x)), x);

  const F z = Select(square, zSquare, minusA);
  const F Z = Carry(Add(z, w));
  return {Mul(x, Z), Carry(Sub(z, w)), Z};
}

}  // namespace wrkz::curve
