// CryptoNight with AES-NI, one to four hashes interleaved. Included by files built for different processors, each of which
// names a namespace of its own in WRKZ_X86_NAMESPACE; nothing here may have external linkage.
#include <immintrin.h>

#include <cstring>

#include "common/bytes.h"
#include "pow/aes_portable.h"
#include "pow/cn_kernel.h"
#include "pow/variant_math.h"

namespace wrkz {
namespace WRKZ_X86_NAMESPACE {
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

inline void RoundKeys(const uint8_t key[32], V keys[10]) {
  Block blocks[10];
  ExpandKey(key, blocks);
  for (int i = 0; i < 10; i++) keys[i] = Pair(blocks[i].low, blocks[i].high);
}

// Eight independent blocks keep the AES units busy through their latency.
inline void FillPad(const CnLane& lane, size_t size) {
  V keys[10], text[8];
  RoundKeys(lane.state, keys);
  for (int i = 0; i < 8; i++) text[i] = LoadAny(lane.state + 64 + 16 * i);
  for (uint8_t *at = lane.pad, *end = at + size; at != end; at += 128) {
    for (int k = 0; k < 10; k++) {
      for (int i = 0; i < 8; i++) text[i] = _mm_aesenc_si128(text[i], keys[k]);
    }
    for (int i = 0; i < 8; i++) Store(at + 16 * i, text[i]);
  }
}

inline void FoldPad(CnLane& lane, size_t size) {
  V keys[10], text[8];
  RoundKeys(lane.state + 32, keys);
  for (int i = 0; i < 8; i++) text[i] = LoadAny(lane.state + 64 + 16 * i);
  for (const uint8_t *at = lane.pad, *end = at + size; at != end; at += 128) {
    for (int i = 0; i < 8; i++) text[i] = _mm_xor_si128(text[i], Load(at + 16 * i));
    for (int k = 0; k < 10; k++) {
      for (int i = 0; i < 8; i++) text[i] = _mm_aesenc_si128(text[i], keys[k]);
    }
  }
  for (int i = 0; i < 8; i++) StoreAny(lane.state + 64 + 16 * i, text[i]);
}

// The same square root as SquareRoot(), on the double that the processor keeps in a register.
inline uint64_t FastRoot(uint64_t n) {
  // 2^64 + n as a double: the exponent word stands for 2^64 and each unit of the mantissa for 2^12.
  const V bits = _mm_cvtsi64_si128(static_cast<long long>((n >> 12) + (static_cast<uint64_t>(1023 + 64) << 52)));
  const __m128d x = _mm_sqrt_sd(_mm_setzero_pd(), _mm_castsi128_pd(bits));
  // sqrt lies in [2^32, 2^32.5): its mantissa, cut to whole units of 1/2, is the result already.
  uint64_t r = (static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_castpd_si128(x))) - (static_cast<uint64_t>(1023 + 32) << 52)) >> 19;
  const uint64_t s = r >> 1, b = r & 1;
  const uint64_t low = s * (s + b) + (r << 32);
  if (__builtin_expect(low + b > n, 0)) r--;
  if (__builtin_expect(low + (static_cast<uint64_t>(1) << 32) < n - s, 0)) r++;
  return r;
}

template <PowAlgorithm A, int N>
inline void Rounds(CnLane* lanes) {
  constexpr CnParams params = kParams<A>;
  constexpr uint64_t mask = params.mask;
  constexpr int variant = params.variant;
  uint8_t* pad[N];
  V a[N], b0[N], b1[N], c1[N];
  uint64_t division[N], root[N];
  for (int i = 0; i < N; i++) {
    const uint8_t* s = lanes[i].state;
    pad[i] = lanes[i].pad;
    a[i] = _mm_xor_si128(LoadAny(s), LoadAny(s + 32));
    b0[i] = _mm_xor_si128(LoadAny(s + 16), LoadAny(s + 48));
    b1[i] = _mm_xor_si128(LoadAny(s + 64), LoadAny(s + 80));
    division[i] = Load64(s + 96);
    root[i] = Load32(s + 104);
  }
  for (uint32_t round = 0; round < params.rounds; round++) {
#pragma GCC unroll 8
    for (int i = 0; i < N; i++) {
      const uint64_t at = Low(a[i]) & mask;
      c1[i] = _mm_aesenc_si128(Load(pad[i] + at), a[i]);
      if constexpr (variant == 2) {
        const V chunk1 = Load(pad[i] + (at ^ 0x10)), chunk2 = Load(pad[i] + (at ^ 0x20)), chunk3 = Load(pad[i] + (at ^ 0x30));
        Store(pad[i] + (at ^ 0x10), _mm_add_epi64(params.upx ? chunk1 : chunk3, b1[i]));
        Store(pad[i] + (at ^ 0x20), _mm_add_epi64(params.upx ? chunk3 : chunk1, b0[i]));
        Store(pad[i] + (at ^ 0x30), _mm_add_epi64(chunk2, a[i]));
      }
      V stored = _mm_xor_si128(c1[i], b0[i]);
      if constexpr (variant == 1) stored = Pair(Low(stored), TweakHigh(High(stored)));
      Store(pad[i] + at, stored);
    }
#pragma GCC unroll 8
    for (int i = 0; i < N; i++) {
      const uint64_t c1Low = Low(c1[i]);
      const uint64_t at = c1Low & mask;
      V c = Load(pad[i] + at);
      uint64_t cLow = Low(c);
      if constexpr (variant == 2) {
        const uint64_t mixed = division[i] ^ (root[i] << 32);
        cLow ^= mixed;
        c = _mm_xor_si128(c, _mm_cvtsi64_si128(static_cast<long long>(mixed)));
        const uint32_t divisor = (static_cast<uint32_t>(c1Low) + static_cast<uint32_t>(root[i] << 1)) | 0x80000001u;
        const uint64_t dividend = High(c1[i]);
        division[i] = static_cast<uint32_t>(dividend / divisor) + ((dividend % divisor) << 32);
        root[i] = FastRoot(c1Low + division[i]);
      }
      const unsigned __int128 product = static_cast<unsigned __int128>(c1Low) * cLow;
      V d = Pair(static_cast<uint64_t>(product >> 64), static_cast<uint64_t>(product));
      if constexpr (variant == 2) {
        const V chunk1 = _mm_xor_si128(Load(pad[i] + (at ^ 0x10)), d);
        const V chunk2 = Load(pad[i] + (at ^ 0x20)), chunk3 = Load(pad[i] + (at ^ 0x30));
        d = _mm_xor_si128(d, chunk2);
        Store(pad[i] + (at ^ 0x10), _mm_add_epi64(params.upx ? chunk1 : chunk3, b1[i]));
        Store(pad[i] + (at ^ 0x20), _mm_add_epi64(params.upx ? chunk3 : chunk1, b0[i]));
        Store(pad[i] + (at ^ 0x30), _mm_add_epi64(chunk2, a[i]));
      }
      a[i] = _mm_add_epi64(a[i], d);
      V stored = a[i];
      if constexpr (variant == 1) stored = _mm_xor_si128(stored, Pair(0, lanes[i].tweak));
      Store(pad[i] + at, stored);
      a[i] = _mm_xor_si128(a[i], c);
      b1[i] = b0[i];
      b0[i] = c1[i];
    }
  }
}

template <PowAlgorithm A, int N>
void Run(CnLane* lanes) {
  for (int i = 0; i < N; i++) FillPad(lanes[i], kParams<A>.scratchpad);
  Rounds<A, N>(lanes);
  for (int i = 0; i < N; i++) FoldPad(lanes[i], kParams<A>.scratchpad);
}

template <PowAlgorithm A>
void Collect(CnKernels& kernels) {
  auto& run = kernels.run[static_cast<size_t>(A)];
  run[0] = Run<A, 1>;
  run[1] = Run<A, 2>;
  run[2] = Run<A, 3>;
  run[3] = Run<A, 4>;
}

inline CnKernels AllKernels() {
  CnKernels kernels;
  Collect<PowAlgorithm::SlowHashV0>(kernels);
  Collect<PowAlgorithm::LiteV1>(kernels);
  Collect<PowAlgorithm::TurtleLiteV2>(kernels);
  Collect<PowAlgorithm::CnUpx>(kernels);
  return kernels;
}

}  // namespace
}  // namespace WRKZ_X86_NAMESPACE
}  // namespace wrkz
