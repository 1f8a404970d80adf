// AVX-512 vectors with one 64-bit value per lane: four lanes in 256 bits, up to eight in 512 bits. Included only by files
// built for AVX-512.
#include <immintrin.h>

#include <cstdint>

namespace wrkz {
namespace avx512 {
namespace {

struct Wide4 {
  using V = __m256i;
  static constexpr int kWidth = 4;
  static V All(uint64_t v) { return _mm256_set1_epi64x(static_cast<long long>(v)); }
  static V Load(const uint64_t* p) { return _mm256_load_si256(reinterpret_cast<const V*>(p)); }
  static void Store(uint64_t* p, V v) { _mm256_store_si256(reinterpret_cast<V*>(p), v); }
  static V Add(V x, V y) { return _mm256_add_epi64(x, y); }
  static V Subtract(V x, V y) { return _mm256_sub_epi64(x, y); }
  static V Xor(V x, V y) { return _mm256_xor_si256(x, y); }
  static V Multiply(V x, V y) { return _mm256_mullo_epi64(x, y); }
  template <int Bits>
  static V Left(V x) { return _mm256_slli_epi64(x, Bits); }
  template <int Bits>
  static V Right(V x) { return _mm256_srli_epi64(x, Bits); }
  static V AndOr(V x, V mask, V bits) { return _mm256_ternarylogic_epi64(x, mask, bits, 0xea); }  // (x & mask) | bits
  static V HighWords(V low, V high) { return _mm256_blend_epi32(low, high, 0xaa); }  // 32 bits of each, highest of `high`
  static V Quotient(V x, V y) {
    return _mm256_cvttpd_epu64(_mm256_div_pd(_mm256_cvtepu64_pd(x), _mm256_cvtepu64_pd(y)));
  }
  static V RootBits(V x) { return _mm256_castpd_si256(_mm256_sqrt_pd(_mm256_castsi256_pd(x))); }
  static __mmask8 NotBelow(V x, V y) { return _mm256_cmpge_epu64_mask(x, y); }
  static __mmask8 AllZero(V x, V bits) { return _mm256_testn_epi64_mask(x, bits); }
};

struct Wide8 {
  using V = __m512i;
  static constexpr int kWidth = 8;
  static V All(uint64_t v) { return _mm512_set1_epi64(static_cast<long long>(v)); }
  static V Load(const uint64_t* p) { return _mm512_load_si512(p); }
  static void Store(uint64_t* p, V v) { _mm512_store_si512(p, v); }
  static V Add(V x, V y) { return _mm512_add_epi64(x, y); }
  static V Subtract(V x, V y) { return _mm512_sub_epi64(x, y); }
  static V Xor(V x, V y) { return _mm512_xor_si512(x, y); }
  static V Multiply(V x, V y) { return _mm512_mullo_epi64(x, y); }
  template <int Bits>
  static V Left(V x) { return _mm512_slli_epi64(x, Bits); }
  template <int Bits>
  static V Right(V x) { return _mm512_srli_epi64(x, Bits); }
  static V AndOr(V x, V mask, V bits) { return _mm512_ternarylogic_epi64(x, mask, bits, 0xea); }
  static V HighWords(V low, V high) { return _mm512_mask_blend_epi32(0xaaaa, low, high); }
  static V Quotient(V x, V y) {
    return _mm512_cvttpd_epu64(_mm512_div_pd(_mm512_cvtepu64_pd(x), _mm512_cvtepu64_pd(y)));
  }
  static V RootBits(V x) { return _mm512_castpd_si512(_mm512_sqrt_pd(_mm512_castsi512_pd(x))); }
  static __mmask8 NotBelow(V x, V y) { return _mm512_cmpge_epu64_mask(x, y); }
  static __mmask8 AllZero(V x, V bits) { return _mm512_testn_epi64_mask(x, bits); }
};

// The low (or high) halves of N 128-bit blocks, adjacent; the remaining elements repeat the last block.
template <int N, bool HighHalf>
inline auto Gather(const __m128i* blocks) {
  const auto pair = [blocks](int i) {
    const __m128i first = blocks[i < N ? i : N - 1], second = blocks[i + 1 < N ? i + 1 : N - 1];
    return HighHalf ? _mm_unpackhi_epi64(first, second) : _mm_unpacklo_epi64(first, second);
  };
  const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(pair(0)), pair(2), 1);
  if constexpr (N <= 4) {
    return low;
  } else {
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(pair(4)), pair(6), 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
  }
}

}  // namespace
}  // namespace avx512
}  // namespace wrkz
