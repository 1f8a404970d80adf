// A block of 16 bytes in a vector of an x86 processor with AES-NI, for cn_lanes.h.
#include <immintrin.h>

#include <cstdint>

namespace wrkz {
namespace WRKZ_VECTOR_NAMESPACE {
namespace {

using V = __m128i;

inline V Load(const uint8_t* p) { return _mm_load_si128(reinterpret_cast<const V*>(p)); }
inline V LoadAny(const uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const V*>(p)); }
inline void Store(uint8_t* p, V v) { _mm_store_si128(reinterpret_cast<V*>(p), v); }
inline void StoreAny(uint8_t* p, V v) { _mm_storeu_si128(reinterpret_cast<V*>(p), v); }
inline uint64_t Low(V v) { return static_cast<uint64_t>(_mm_cvtsi128_si64(v)); }
inline uint64_t High(V v) { return static_cast<uint64_t>(_mm_extract_epi64(v, 1)); }
inline V Pair(uint64_t low, uint64_t high) {
  return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
}
inline V Xor(V x, V y) { return _mm_xor_si128(x, y); }
// The two 64-bit halves.
inline V Add(V x, V y) { return _mm_add_epi64(x, y); }

inline V AesRound(V x, V key) { return _mm_aesenc_si128(x, key); }
// Round k of ten with ten keys, and the operation that remains after the last round.
inline V PadRound(V x, const V keys[10], int k) { return AesRound(x, keys[k]); }
inline V AfterPadRounds(V x, const V*) { return x; }

// Square root of a double; argument and result as the bits of the doubles.
inline uint64_t RootBits(uint64_t bits) {
  const V x = _mm_cvtsi64_si128(static_cast<long long>(bits));
  return Low(_mm_castpd_si128(_mm_sqrt_sd(_mm_setzero_pd(), _mm_castsi128_pd(x))));
}

}  // namespace
}  // namespace WRKZ_VECTOR_NAMESPACE
}  // namespace wrkz
