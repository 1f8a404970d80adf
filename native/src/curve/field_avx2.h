// The field of p = 2^255 - 19, four elements at once: ten vectors of limbs of 26 and 25 bits in turn, one element a
// 64-bit lane. AVX2 multiplies the low 32 bits of each lane.
//
// Bounds. "Tight": even limbs below 2^26 + 2^17, odd ones below 2^25 + 2^17; all operations but Add give that. Mul and
// Sqr take sums of up to three tight elements: then 19 times a limb still fits 32 bits. Sub takes a tight subtrahend
// (2p is added first), SubWide a sum of two (4p is added first).
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "curve/constants.h"

namespace wrkz::curve {

struct Field4 {
  using Mask = __m256i;  // all bits of a lane
  static constexpr int kLanes = 4;

  __m256i v[10];

  static Field4 Constant(const FieldConstant& c) {
    Field4 r;
    for (int i = 0; i < 5; ++i) {
      r.v[2 * i] = _mm256_set1_epi64x(static_cast<long long>(c.limb[i] & 0x3ffffff));
      r.v[2 * i + 1] = _mm256_set1_epi64x(static_cast<long long>(c.limb[i] >> 26));
    }
    return r;
  }
  static Field4 Small(uint64_t value) {
    Field4 r;
    r.v[0] = _mm256_set1_epi64x(static_cast<long long>(value));
    for (int i = 1; i < 10; ++i) r.v[i] = _mm256_setzero_si256();
    return r;
  }
  static Field4 Load(const FieldConstant* lanes) {
    Field4 r;
    alignas(32) uint64_t low[4], high[4];
    for (int i = 0; i < 5; ++i) {
      for (int lane = 0; lane < 4; ++lane) {
        low[lane] = lanes[lane].limb[i] & 0x3ffffff;
        high[lane] = lanes[lane].limb[i] >> 26;
      }
      r.v[2 * i] = _mm256_load_si256(reinterpret_cast<const __m256i*>(low));
      r.v[2 * i + 1] = _mm256_load_si256(reinterpret_cast<const __m256i*>(high));
    }
    return r;
  }
  // The limbs of the smallest non-negative representative, lane by lane.
  void Store(FieldConstant* lanes) const;

  static Mask MaskFrom(const uint64_t* bits) {  // bits are 0 or 1
    const __m256i ones = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bits));
    return _mm256_sub_epi64(_mm256_setzero_si256(), ones);
  }
  static Mask Not(Mask a) { return _mm256_xor_si256(a, _mm256_set1_epi64x(-1)); }
  static Mask Or(Mask a, Mask b) { return _mm256_or_si256(a, b); }
  static Mask Xor(Mask a, Mask b) { return _mm256_xor_si256(a, b); }
  static bool LaneOf(Mask mask, int lane) {
    return ((_mm256_movemask_pd(_mm256_castsi256_pd(mask)) >> lane) & 1) != 0;
  }
};

static inline constexpr int Bits4(int limb) { return limb % 2 == 0 ? 26 : 25; }

static inline __m256i LimbMask4(int limb) { return _mm256_set1_epi64x((1ll << Bits4(limb)) - 1); }

static inline __m256i Times19(__m256i a) {
  return _mm256_add_epi64(_mm256_add_epi64(_mm256_slli_epi64(a, 4), _mm256_slli_epi64(a, 1)), a);
}

// One pass over all limbs at once; limbs below 2^32.
static inline Field4 Carry(const Field4& a) {
  __m256i carry[10];
  for (int i = 0; i < 10; ++i) carry[i] = _mm256_srli_epi64(a.v[i], Bits4(i));
  Field4 r;
  for (int i = 0; i < 10; ++i) {
    const __m256i in = i == 0 ? _mm256_mul_epu32(carry[9], _mm256_set1_epi64x(19)) : carry[i - 1];
    r.v[i] = _mm256_add_epi64(_mm256_and_si256(a.v[i], LimbMask4(i)), in);
  }
  return r;
}

static inline Field4 Add(const Field4& a, const Field4& b) {
  Field4 r;
  for (int i = 0; i < 10; ++i) r.v[i] = _mm256_add_epi64(a.v[i], b.v[i]);
  return r;
}

static inline Field4 SubMultiple(const Field4& a, const Field4& b, long long multiple) {
  Field4 r;
  for (int i = 0; i < 10; ++i) {
    const long long limb = (1ll << Bits4(i)) - (i == 0 ? 19 : 1);
    r.v[i] = _mm256_sub_epi64(_mm256_add_epi64(a.v[i], _mm256_set1_epi64x(multiple * limb)), b.v[i]);
  }
  return Carry(r);
}

static inline Field4 Sub(const Field4& a, const Field4& b) { return SubMultiple(a, b, 2); }
static inline Field4 SubWide(const Field4& a, const Field4& b) { return SubMultiple(a, b, 4); }

static inline void CarryStep(__m256i t[10], int from) {
  const __m256i carry = _mm256_srli_epi64(t[from], Bits4(from));
  t[from] = _mm256_and_si256(t[from], LimbMask4(from));
  const int to = (from + 1) % 10;
  t[to] = _mm256_add_epi64(t[to], from == 9 ? Times19(carry) : carry);
}

// Two chains side by side, then the wrap: limbs below 2^63.
static inline Field4 ReduceSums(__m256i t[10]) {
  CarryStep(t, 0);
  CarryStep(t, 4);
  CarryStep(t, 1);
  CarryStep(t, 5);
  CarryStep(t, 2);
  CarryStep(t, 6);
  CarryStep(t, 3);
  CarryStep(t, 7);
  CarryStep(t, 4);
  CarryStep(t, 8);
  CarryStep(t, 9);
  CarryStep(t, 0);
  Field4 r;
  for (int i = 0; i < 10; ++i) r.v[i] = t[i];
  return r;
}

// Limb i weighs 2^ceil(25.5 i): two odd limbs together weigh twice what limb i + j does. One limb of `a` at a time, so
// that the ten sums stay in registers and the limbs of `b` come from memory.
static inline Field4 Mul(const Field4& a, const Field4& b) {
  const __m256i nineteen = _mm256_set1_epi64x(19);
  __m256i wrapped[10], t[10];
  for (int j = 1; j < 10; ++j) wrapped[j] = _mm256_mul_epu32(b.v[j], nineteen);
  for (int k = 0; k < 10; ++k) t[k] = _mm256_mul_epu32(a.v[0], b.v[k]);
#pragma GCC unroll 9
  for (int i = 1; i < 10; ++i) {
    const __m256i single = a.v[i];
    const __m256i twice = _mm256_add_epi64(single, single);
#pragma GCC unroll 10
    for (int j = 0; j < 10; ++j) {
      const __m256i left = i % 2 == 1 && j % 2 == 1 ? twice : single;
      const __m256i right = i + j >= 10 ? wrapped[j] : b.v[j];
      t[(i + j) % 10] = _mm256_add_epi64(t[(i + j) % 10], _mm256_mul_epu32(left, right));
    }
  }
  return ReduceSums(t);
}

static inline Field4 Sqr(const Field4& a) {
  const __m256i nineteen = _mm256_set1_epi64x(19);
  __m256i wrapped[10], t[10];
  for (int j = 5; j < 10; ++j) wrapped[j] = _mm256_mul_epu32(a.v[j], nineteen);
  for (int k = 0; k < 10; ++k) t[k] = _mm256_setzero_si256();
#pragma GCC unroll 10
  for (int i = 0; i < 10; ++i) {
    const __m256i twice = _mm256_add_epi64(a.v[i], a.v[i]);
    const __m256i fourfold = _mm256_add_epi64(twice, twice);
#pragma GCC unroll 10
    for (int j = i; j < 10; ++j) {  // each pair of different limbs once, doubled
      const bool odd = i % 2 == 1 && j % 2 == 1;
      const __m256i left = i == j ? (odd ? twice : a.v[i]) : (odd ? fourfold : twice);
      const __m256i right = i + j >= 10 ? wrapped[j] : a.v[j];
      t[(i + j) % 10] = _mm256_add_epi64(t[(i + j) % 10], _mm256_mul_epu32(left, right));
    }
  }
  return ReduceSums(t);
}

static inline Field4 Select(__m256i mask, const Field4& whenSet, const Field4& otherwise) {
  Field4 r;
  for (int i = 0; i < 10; ++i) r.v[i] = _mm256_blendv_epi8(otherwise.v[i], whenSet.v[i], mask);
  return r;
}

// The smallest non-negative representative.
static inline Field4 Freeze(const Field4& a) {
  Field4 r = Carry(a);  // now below 2p
  const __m256i nineteen = _mm256_set1_epi64x(19);
  // Adding 19 carries out of bit 255 exactly when r >= p.
  __m256i over = nineteen;
  for (int i = 0; i < 10; ++i) over = _mm256_srli_epi64(_mm256_add_epi64(r.v[i], over), Bits4(i));
  r.v[0] = _mm256_add_epi64(r.v[0], _mm256_mul_epu32(over, nineteen));
  for (int i = 0; i < 9; ++i) CarryStep(r.v, i);
  r.v[9] = _mm256_and_si256(r.v[9], LimbMask4(9));
  return r;
}

inline void Field4::Store(FieldConstant* lanes) const {
  const Field4 r = Freeze(*this);
  alignas(32) uint64_t limbs[4];
  for (int i = 0; i < 5; ++i) {
    const __m256i joined = _mm256_or_si256(r.v[2 * i], _mm256_slli_epi64(r.v[2 * i + 1], 26));
    _mm256_store_si256(reinterpret_cast<__m256i*>(limbs), joined);
    for (int lane = 0; lane < 4; ++lane) lanes[lane].limb[i] = limbs[lane];
  }
}

static inline __m256i IsZero(const Field4& a) {
  const Field4 r = Freeze(a);
  __m256i bits = r.v[0];
  for (int i = 1; i < 10; ++i) bits = _mm256_or_si256(bits, r.v[i]);
  return _mm256_cmpeq_epi64(bits, _mm256_setzero_si256());
}

static inline __m256i IsOdd(const Field4& a) {
  const __m256i one = _mm256_set1_epi64x(1);
  return _mm256_cmpeq_epi64(_mm256_and_si256(Freeze(a).v[0], one), one);
}

// One signed digit a lane.
struct Digit4 {
  __m256i magnitude;
  __m256i negative;
};

static inline Digit4 DigitFrom(const int8_t* lanes, const Field4*) {
  const __m256i value = _mm256_set_epi64x(lanes[3], lanes[2], lanes[1], lanes[0]);
  const __m256i negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), value);
  return {_mm256_sub_epi64(_mm256_xor_si256(value, negative), negative), negative};
}

static inline __m256i HasMagnitude(const Digit4& digit, uint64_t magnitude) {
  return _mm256_cmpeq_epi64(digit.magnitude, _mm256_set1_epi64x(static_cast<long long>(magnitude)));
}

}  // namespace wrkz::curve
