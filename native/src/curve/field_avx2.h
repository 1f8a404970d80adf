// The field of p = 2^255 - 19, four elements at once: five vectors of 51-bit limbs, one element per 64-bit lane.
//
// AVX2 multiplies only 32 bits per lane, but its fused multiply-add has 53 bits of precision and rounds once. Two of
// them give both halves of a product (doubles round to nearest, as everywhere in this process):
//
//   high = a b + 2^103                 rounded to a multiple of 2^51, so high = 2^103 + k 2^51
//   low  = a b + (2^103 + 3 2^51 - high)     exact: 3 2^51 + (a b - k 2^51), a remainder between -2^50 and 2^50
//
// k and the remainder are read as integers: within one power of two, the bits of doubles increase uniformly. The bits of
// 2^103 and of 3 2^51 add a known amount to a sum, which is subtracted at the end (kSumOffset). This holds for
// 0 <= a b < 2^103, so every operation here returns tight limbs (below 2^51 + 2^14): sums are carried at once. All
// doubles here are whole numbers, so the time of an operation does not depend on its operands.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "curve/constants.h"

namespace wrkz::curve {

struct Field4 {
  using Mask = __m256i;  // all bits of a lane
  static constexpr int kLanes = 4;

  __m256i v[5];

  static Field4 Constant(const FieldConstant& c) {
    Field4 r;
    for (int i = 0; i < 5; ++i) r.v[i] = _mm256_set1_epi64x(static_cast<long long>(c.limb[i]));
    return r;
  }
  static Field4 Small(uint64_t value) {
    const __m256i zero = _mm256_setzero_si256();
    return {{_mm256_set1_epi64x(static_cast<long long>(value)), zero, zero, zero, zero}};
  }
  static Field4 Load(const FieldConstant* lanes) {
    Field4 r;
    alignas(32) uint64_t limbs[4];
    for (int i = 0; i < 5; ++i) {
      for (int lane = 0; lane < 4; ++lane) limbs[lane] = lanes[lane].limb[i];
      r.v[i] = _mm256_load_si256(reinterpret_cast<const __m256i*>(limbs));
    }
    return r;
  }
  // Lane n of the result is lane n of *lanes[n].
  static Field4 Each(const Field4* const lanes[4]) {
    Field4 r;
    for (int i = 0; i < 5; ++i) {
      const __m256i low = _mm256_blend_epi32(lanes[0]->v[i], lanes[1]->v[i], 0x0c);
      const __m256i high = _mm256_blend_epi32(lanes[2]->v[i], lanes[3]->v[i], 0xc0);
      r.v[i] = _mm256_blend_epi32(low, high, 0xf0);
    }
    return r;
  }
  // The limbs of the smallest non-negative representative, per lane.
  void Store(FieldConstant* lanes) const;

  static Mask MaskFrom(const uint64_t* bits) {  // bits are 0 or 1
    const __m256i ones = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bits));
    return _mm256_sub_epi64(_mm256_setzero_si256(), ones);
  }
  static Mask Not(Mask a) { return _mm256_xor_si256(a, _mm256_set1_epi64x(-1)); }
  static Mask Or(Mask a, Mask b) { return _mm256_or_si256(a, b); }
  static Mask Xor(Mask a, Mask b) { return _mm256_xor_si256(a, b); }
  static bool LaneOf(Mask mask, int lane) { return ((_mm256_movemask_pd(_mm256_castsi256_pd(mask)) >> lane) & 1) != 0; }
};

static inline __m256i All4(uint64_t value) { return _mm256_set1_epi64x(static_cast<long long>(value)); }

static inline __m256i Times19(__m256i a) {
  return _mm256_add_epi64(_mm256_add_epi64(_mm256_slli_epi64(a, 4), _mm256_slli_epi64(a, 1)), a);
}

// One carry pass over limbs below 2^62, in parallel.
static inline Field4 CarryOnce(const __m256i t[5]) {
  const __m256i mask = All4(kLimbMask);
  __m256i carry[5];
  for (int i = 0; i < 5; ++i) carry[i] = _mm256_srli_epi64(t[i], kLimbBits);
  Field4 r;
  r.v[0] = _mm256_add_epi64(_mm256_and_si256(t[0], mask), _mm256_mul_epu32(carry[4], All4(19)));
  for (int i = 1; i < 5; ++i) r.v[i] = _mm256_add_epi64(_mm256_and_si256(t[i], mask), carry[i - 1]);
  return r;
}

// No operation: all elements are tight already.
static inline Field4 Carry(const Field4& a) { return a; }

static inline Field4 Add(const Field4& a, const Field4& b) {
  __m256i t[5];
  for (int i = 0; i < 5; ++i) t[i] = _mm256_add_epi64(a.v[i], b.v[i]);
  return CarryOnce(t);
}

static inline Field4 Sub(const Field4& a, const Field4& b) {
  const __m256i low = All4(2 * (kLimbMask - 18)), high = All4(2 * kLimbMask);  // 2p
  __m256i t[5];
  for (int i = 0; i < 5; ++i) t[i] = _mm256_sub_epi64(_mm256_add_epi64(a.v[i], i == 0 ? low : high), b.v[i]);
  return CarryOnce(t);
}

static inline Field4 SubWide(const Field4& a, const Field4& b) { return Sub(a, b); }

static inline constexpr uint64_t kHighBits = 0x4660000000000000;  // of the double 2^103
static inline constexpr uint64_t kLowBits = 0x4338000000000000;   // of the double 3 2^51
static inline constexpr uint64_t kUnitBits = 0x4330000000000000;  // of the double 2^52, whose last bit has the value 1

// Correction of a sum of products after folding: minus the amount that the bits of the constants added, plus the limb of
// 64p, which offsets negative remainders. The sum at position k has 5 - |k - 4| low halves and the high halves of
// position k - 1.
struct SumOffset {
  uint64_t of[5];
};
static constexpr SumOffset SumOffsets() {
  const auto products = [](int k) { return static_cast<uint64_t>(k < 0 || k > 8 ? 0 : k < 5 ? k + 1 : 9 - k); };
  const auto added = [products](int k) { return products(k) * kLowBits + products(k - 1) * kHighBits; };
  SumOffset offsets{};
  for (int k = 0; k < 5; ++k) offsets.of[k] = 64 * (k == 0 ? kLimbMask - 18 : kLimbMask) - added(k) - 19 * added(k + 5);
  return offsets;
}
static inline constexpr SumOffset kSumOffset = SumOffsets();

static inline __m256d ToDouble(__m256i limb) {  // below 2^52
  const __m256i unit = All4(kUnitBits);
  return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(limb, unit)), _mm256_castsi256_pd(unit));
}

// Adds the halves of a b to the sums of their positions.
static inline void AddProduct(__m256d a, __m256d b, __m256i* low, __m256i* high) {
  const __m256d forHigh = _mm256_castsi256_pd(All4(kHighBits));
  const __m256d forLow = _mm256_castsi256_pd(All4(kHighBits + 3));  // 2^103 + 3 2^51
  const __m256d rounded = _mm256_fmadd_pd(a, b, forHigh);
  const __m256d rest = _mm256_fmadd_pd(a, b, _mm256_sub_pd(forLow, rounded));
  *high = _mm256_add_epi64(*high, _mm256_castpd_si256(rounded));
  *low = _mm256_add_epi64(*low, _mm256_castpd_si256(rest));
}

// Sums of positions 0 to 9; the upper five are multiplied by 19 and added to the lower five, since 2^255 = 19.
static inline Field4 ReduceSums(const __m256i t[10]) {
  __m256i folded[5];
  for (int k = 0; k < 5; ++k) {
    folded[k] = _mm256_add_epi64(_mm256_add_epi64(t[k], All4(kSumOffset.of[k])), Times19(t[k + 5]));
  }
  return CarryOnce(folded);  // below 2^59
}

static inline Field4 Mul(const Field4& a, const Field4& b) {
  __m256d y[5];
  __m256i t[10];
  for (int j = 0; j < 5; ++j) y[j] = ToDouble(b.v[j]);
  for (int k = 0; k < 10; ++k) t[k] = _mm256_setzero_si256();
#pragma GCC unroll 5
  for (int i = 0; i < 5; ++i) {
    const __m256d x = ToDouble(a.v[i]);
#pragma GCC unroll 5
    for (int j = 0; j < 5; ++j) AddProduct(x, y[j], &t[i + j], &t[i + j + 1]);
  }
  return ReduceSums(t);
}

static inline Field4 Sqr(const Field4& a) {
  __m256d x[5];
  __m256i t[10];
  for (int j = 0; j < 5; ++j) x[j] = ToDouble(a.v[j]);
  for (int k = 0; k < 10; ++k) t[k] = _mm256_setzero_si256();
  // Products of two different limbs count twice: they are summed first and doubled once.
#pragma GCC unroll 5
  for (int i = 0; i < 5; ++i) {
#pragma GCC unroll 5
    for (int j = i + 1; j < 5; ++j) AddProduct(x[i], x[j], &t[i + j], &t[i + j + 1]);
  }
  for (int k = 1; k < 9; ++k) t[k] = _mm256_add_epi64(t[k], t[k]);
#pragma GCC unroll 5
  for (int i = 0; i < 5; ++i) AddProduct(x[i], x[i], &t[2 * i], &t[2 * i + 1]);
  return ReduceSums(t);
}

static inline Field4 Select(__m256i mask, const Field4& whenSet, const Field4& otherwise) {
  Field4 r;
  for (int i = 0; i < 5; ++i) r.v[i] = _mm256_blendv_epi8(otherwise.v[i], whenSet.v[i], mask);
  return r;
}

// The smallest non-negative representative.
static inline Field4 Freeze(const Field4& a) {
  const __m256i mask = All4(kLimbMask), nineteen = All4(19);
  Field4 r = CarryOnce(a.v);  // now below 2p
  // Adding 19 carries out of bit 255 exactly when r >= p.
  __m256i over = nineteen;
  for (int i = 0; i < 5; ++i) over = _mm256_srli_epi64(_mm256_add_epi64(r.v[i], over), kLimbBits);
  r.v[0] = _mm256_add_epi64(r.v[0], _mm256_mul_epu32(over, nineteen));
  for (int i = 0; i < 4; ++i) {
    r.v[i + 1] = _mm256_add_epi64(r.v[i + 1], _mm256_srli_epi64(r.v[i], kLimbBits));
    r.v[i] = _mm256_and_si256(r.v[i], mask);
  }
  r.v[4] = _mm256_and_si256(r.v[4], mask);
  return r;
}

inline void Field4::Store(FieldConstant* lanes) const {
  const Field4 r = Freeze(*this);
  alignas(32) uint64_t limbs[4];
  for (int i = 0; i < 5; ++i) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(limbs), r.v[i]);
    for (int lane = 0; lane < 4; ++lane) lanes[lane].limb[i] = limbs[lane];
  }
}

static inline __m256i IsZero(const Field4& a) {
  const Field4 r = Freeze(a);
  __m256i bits = r.v[0];
  for (int i = 1; i < 5; ++i) bits = _mm256_or_si256(bits, r.v[i]);
  return _mm256_cmpeq_epi64(bits, _mm256_setzero_si256());
}

static inline __m256i IsOdd(const Field4& a) {
  const __m256i one = All4(1);
  return _mm256_cmpeq_epi64(_mm256_and_si256(Freeze(a).v[0], one), one);
}

// One signed digit per lane.
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
  return _mm256_cmpeq_epi64(digit.magnitude, All4(magnitude));
}

}  // namespace wrkz::curve
