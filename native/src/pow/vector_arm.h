// A block of 16 bytes in a vector of a 64-bit ARM processor with the AES instructions, for cn_lanes.h.
#include <arm_neon.h>

#include <cstdint>

namespace wrkz {
namespace WRKZ_VECTOR_NAMESPACE {
namespace {

using V = uint64x2_t;

inline V Load(const uint8_t* p) { return vreinterpretq_u64_u8(vld1q_u8(p)); }
inline V LoadAny(const uint8_t* p) { return Load(p); }
inline void Store(uint8_t* p, V v) { vst1q_u8(p, vreinterpretq_u8_u64(v)); }
inline void StoreAny(uint8_t* p, V v) { Store(p, v); }
inline uint64_t Low(V v) { return vgetq_lane_u64(v, 0); }
inline uint64_t High(V v) { return vgetq_lane_u64(v, 1); }
inline V Pair(uint64_t low, uint64_t high) { return vcombine_u64(vcreate_u64(low), vcreate_u64(high)); }
inline V Xor(V x, V y) { return veorq_u64(x, y); }
// The two 64-bit halves.
inline V Add(V x, V y) { return vaddq_u64(x, y); }

// ARM adds the key at the start of a round, x86 at its end: here the next round adds the key of the previous one.
inline V KeyAndRound(V x, V key) {
  return vreinterpretq_u64_u8(vaesmcq_u8(vaeseq_u8(vreinterpretq_u8_u64(x), vreinterpretq_u8_u64(key))));
}
inline V AesRound(V x, V key) { return Xor(KeyAndRound(x, vdupq_n_u64(0)), key); }
// Round k of ten with ten keys, and the operation that remains after the last round.
inline V PadRound(V x, const V keys[10], int k) { return KeyAndRound(x, k == 0 ? vdupq_n_u64(0) : keys[k - 1]); }
inline V AfterPadRounds(V x, const V keys[10]) { return Xor(x, keys[9]); }

// Square root of a double; argument and result as the bits of the doubles.
inline uint64_t RootBits(uint64_t bits) {
  return vget_lane_u64(vreinterpret_u64_f64(vsqrt_f64(vreinterpret_f64_u64(vcreate_u64(bits)))), 0);
}

}  // namespace
}  // namespace WRKZ_VECTOR_NAMESPACE
}  // namespace wrkz
