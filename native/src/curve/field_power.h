// Fixed powers in any of the field types: inversion, and the power behind square roots.
#pragma once

#include "curve/constants.h"

namespace wrkz::curve {

// a^(2^count)
template <class F>
static inline F SqrTimes(F a, int count) {
  for (int i = 0; i < count; ++i) a = Sqr(a);
  return a;
}

// a^(2^250 - 1), and a^11, an intermediate result that Invert needs. Exponents in the comments: n means 2^n - 1.
template <class F>
static inline F Power250(const F& a, F* eleventh) {
  const F two = Sqr(a);
  const F nine = Mul(a, SqrTimes(two, 2));
  *eleventh = Mul(nine, two);
  const F e5 = Mul(Sqr(*eleventh), nine);
  const F e10 = Mul(SqrTimes(e5, 5), e5);
  const F e20 = Mul(SqrTimes(e10, 10), e10);
  const F e40 = Mul(SqrTimes(e20, 20), e20);
  const F e50 = Mul(SqrTimes(e40, 10), e10);
  const F e100 = Mul(SqrTimes(e50, 50), e50);
  const F e200 = Mul(SqrTimes(e100, 100), e100);
  return Mul(SqrTimes(e200, 50), e50);
}

// 1/a by Fermat: a^(p-2) with p - 2 = (2^250 - 1) 2^5 + 11. Zero gives zero.
template <class F>
static F Invert(const F& a) {
  F eleventh;
  const F high = Power250(a, &eleventh);
  return Mul(SqrTimes(high, 5), eleventh);
}

// r with r^2 v in {u, -u, i u, -i u}: (u/v)^((p+3)/8) = u v^3 (u v^7)^((p-5)/8), where (p-5)/8 = 2^252 - 3.
template <class F>
static F FourthRootCandidate(const F& u, const F& v) {
  const F v3 = Mul(Sqr(v), v);
  const F uv3 = Mul(u, v3);
  const F uv7 = Mul(uv3, Sqr(Sqr(v)));
  F eleventh;
  const F high = Power250(uv7, &eleventh);
  return Mul(uv3, Mul(SqrTimes(high, 2), uv7));
}

}  // namespace wrkz::curve
