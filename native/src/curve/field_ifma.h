// The field of p = 2^255 - 19, eight elements at once: five vectors of 51-bit limbs, one element per 64-bit lane.
//
// The AVX-512 IFMA multiplier takes 52-bit operands and returns the low and the high 52 bits of the product separately.
// Every operand must stay below 2^52, so every operation here returns tight limbs (below 2^51 + 2^14): sums are carried
// at once.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "curve/constants.h"

namespace wrkz::curve {

struct Field8 {
  using Mask = __mmask8;  // one bit a lane
  static constexpr int kLanes = 8;

  __m512i v[5];

  static Field8 Constant(const FieldConstant& c) {
    Field8 r;
    for (int i = 0; i < 5; ++i) r.v[i] = _mm512_set1_epi64(static_cast<long long>(c.limb[i]));
    return r;
  }
  static Field8 Small(uint64_t value) {
    const __m512i zero = _mm512_setzero_si512();
    return {{_mm512_set1_epi64(static_cast<long long>(value)), zero, zero, zero, zero}};
  }
  static Field8 Load(const FieldConstant* lanes) {
    Field8 r;
    alignas(64) uint64_t limbs[8];
    for (int i = 0; i < 5; ++i) {
      for (int lane = 0; lane < 8; ++lane) limbs[lane] = lanes[lane].limb[i];
      r.v[i] = _mm512_load_si512(limbs);
    }
    return r;
  }
  // Lane n of the result is lane n of *lanes[n].
  static Field8 Each(const Field8* const lanes[8]) {
    Field8 r;
    for (int i = 0; i < 5; ++i) {
      __m512i limb = lanes[0]->v[i];
      for (int lane = 1; lane < 8; ++lane) {
        limb = _mm512_mask_blend_epi64(static_cast<__mmask8>(1 << lane), limb, lanes[lane]->v[i]);
      }
      r.v[i] = limb;
    }
    return r;
  }
  // The limbs of the smallest non-negative representative, per lane.
  void Store(FieldConstant* lanes) const;

  static Mask MaskFrom(const uint64_t* bits) {  // bits are 0 or 1
    Mask mask = 0;
    for (int lane = 0; lane < 8; ++lane) mask = static_cast<Mask>(mask | (bits[lane] << lane));
    return mask;
  }
  static Mask Not(Mask a) { return static_cast<Mask>(~a); }
  static Mask Or(Mask a, Mask b) { return static_cast<Mask>(a | b); }
  static Mask Xor(Mask a, Mask b) { return static_cast<Mask>(a ^ b); }
  static bool LaneOf(Mask mask, int lane) { return ((mask >> lane) & 1) != 0; }
};

static inline __m512i LimbMask() { return _mm512_set1_epi64(static_cast<long long>(kLimbMask)); }

static inline __m512i Times19(__m512i a) {
  return _mm512_add_epi64(_mm512_add_epi64(_mm512_slli_epi64(a, 4), _mm512_slli_epi64(a, 1)), a);
}

// One carry pass over limbs below 2^62, in parallel.
static inline Field8 CarryOnce(const __m512i t[5]) {
  const __m512i mask = LimbMask();
  __m512i carry[5];
  for (int i = 0; i < 5; ++i) carry[i] = _mm512_srli_epi64(t[i], kLimbBits);
  Field8 r;
  r.v[0] = _mm512_madd52lo_epu64(_mm512_and_si512(t[0], mask), carry[4], _mm512_set1_epi64(19));
  for (int i = 1; i < 5; ++i) r.v[i] = _mm512_add_epi64(_mm512_and_si512(t[i], mask), carry[i - 1]);
  return r;
}

// No operation: all elements are tight already.
static inline Field8 Carry(const Field8& a) { return a; }

static inline Field8 Add(const Field8& a, const Field8& b) {
  __m512i t[5];
  for (int i = 0; i < 5; ++i) t[i] = _mm512_add_epi64(a.v[i], b.v[i]);
  return CarryOnce(t);
}

static inline Field8 Sub(const Field8& a, const Field8& b) {
  const __m512i low = _mm512_set1_epi64(static_cast<long long>(2 * (kLimbMask - 18)));
  const __m512i high = _mm512_set1_epi64(static_cast<long long>(2 * kLimbMask));
  __m512i t[5];
  for (int i = 0; i < 5; ++i) {
    t[i] = _mm512_sub_epi64(_mm512_add_epi64(a.v[i], i == 0 ? low : high), b.v[i]);
  }
  return CarryOnce(t);
}

static inline Field8 SubWide(const Field8& a, const Field8& b) { return Sub(a, b); }

// low[k] and high[k] are sums of the halves of the products of limbs i + j = k. A high half has the weight 2^52, twice
// that of a limb.
static inline Field8 ReduceHalves(const __m512i low[9], const __m512i high[9]) {
  __m512i t[10];
  t[0] = low[0];
  for (int k = 1; k < 9; ++k) t[k] = _mm512_add_epi64(low[k], _mm512_slli_epi64(high[k - 1], 1));
  t[9] = _mm512_slli_epi64(high[8], 1);
  for (int k = 0; k < 5; ++k) t[k] = _mm512_add_epi64(t[k], Times19(t[k + 5]));
  return CarryOnce(t);
}

static inline Field8 Mul(const Field8& a, const Field8& b) {
  __m512i low[9], high[9];
  for (int k = 0; k < 9; ++k) low[k] = high[k] = _mm512_setzero_si512();
#pragma GCC unroll 5
  for (int i = 0; i < 5; ++i) {
#pragma GCC unroll 5
    for (int j = 0; j < 5; ++j) {
      low[i + j] = _mm512_madd52lo_epu64(low[i + j], a.v[i], b.v[j]);
      high[i + j] = _mm512_madd52hi_epu64(high[i + j], a.v[i], b.v[j]);
    }
  }
  return ReduceHalves(low, high);
}

static inline Field8 Sqr(const Field8& a) {
  __m512i low[9], high[9];
  for (int k = 0; k < 9; ++k) low[k] = high[k] = _mm512_setzero_si512();
  // Products of two different limbs count twice: they are summed first and doubled once.
#pragma GCC unroll 5
  for (int i = 0; i < 5; ++i) {
#pragma GCC unroll 5
    for (int j = i + 1; j < 5; ++j) {
      low[i + j] = _mm512_madd52lo_epu64(low[i + j], a.v[i], a.v[j]);
      high[i + j] = _mm512_madd52hi_epu64(high[i + j], a.v[i], a.v[j]);
    }
  }
  for (int k = 1; k < 8; ++k) {
    low[k] = _mm512_slli_epi64(low[k], 1);
    high[k] = _mm512_slli_epi64(high[k], 1);
  }
#pragma GCC unroll 5
  for (int i = 0; i < 5; ++i) {
    low[2 * i] = _mm512_madd52lo_epu64(low[2 * i], a.v[i], a.v[i]);
    high[2 * i] = _mm512_madd52hi_epu64(high[2 * i], a.v[i], a.v[i]);
  }
  return ReduceHalves(low, high);
}

static inline Field8 Select(__mmask8 mask, const Field8& whenSet, const Field8& otherwise) {
  Field8 r;
  for (int i = 0; i < 5; ++i) r.v[i] = _mm512_mask_blend_epi64(mask, otherwise.v[i], whenSet.v[i]);
  return r;
}

// The smallest non-negative representative.
static inline Field8 Freeze(const Field8& a) {
  const __m512i mask = LimbMask();
  Field8 r = CarryOnce(a.v);  // now below 2p
  const __m512i nineteen = _mm512_set1_epi64(19);
  // Adding 19 carries out of bit 255 exactly when r >= p.
  __m512i over = _mm512_srli_epi64(_mm512_add_epi64(r.v[0], nineteen), kLimbBits);
  for (int i = 1; i < 5; ++i) over = _mm512_srli_epi64(_mm512_add_epi64(r.v[i], over), kLimbBits);
  r.v[0] = _mm512_madd52lo_epu64(r.v[0], over, nineteen);
  for (int i = 0; i < 4; ++i) {
    r.v[i + 1] = _mm512_add_epi64(r.v[i + 1], _mm512_srli_epi64(r.v[i], kLimbBits));
    r.v[i] = _mm512_and_si512(r.v[i], mask);
  }
  r.v[4] = _mm512_and_si512(r.v[4], mask);
  return r;
}

inline void Field8::Store(FieldConstant* lanes) const {
  const Field8 r = Freeze(*this);
  alignas(64) uint64_t limbs[8];
  for (int i = 0; i < 5; ++i) {
    _mm512_store_si512(limbs, r.v[i]);
    for (int lane = 0; lane < 8; ++lane) lanes[lane].limb[i] = limbs[lane];
  }
}

static inline __mmask8 IsZero(const Field8& a) {
  const Field8 r = Freeze(a);
  const __m512i bits = _mm512_or_si512(_mm512_or_si512(_mm512_or_si512(r.v[0], r.v[1]), _mm512_or_si512(r.v[2], r.v[3])), r.v[4]);
  return _mm512_testn_epi64_mask(bits, bits);
}

static inline __mmask8 IsOdd(const Field8& a) {
  return _mm512_test_epi64_mask(Freeze(a).v[0], _mm512_set1_epi64(1));
}

// One signed digit per lane.
struct Digit8 {
  __m512i magnitude;
  __mmask8 negative;
};

static inline Digit8 DigitFrom(const int8_t* lanes, const Field8*) {
  const __m512i value = _mm512_cvtepi8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(lanes)));
  return {_mm512_abs_epi64(value), _mm512_movepi64_mask(value)};
}

static inline __mmask8 HasMagnitude(const Digit8& digit, uint64_t magnitude) {
  return _mm512_cmpeq_epi64_mask(digit.magnitude, _mm512_set1_epi64(static_cast<long long>(magnitude)));
}

}  // namespace wrkz::curve
