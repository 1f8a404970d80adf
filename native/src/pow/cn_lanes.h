// CryptoNight with AES instructions, one to four hashes interleaved. Included by files built for different processors;
// each defines its own namespace with WRKZ_VECTOR_NAMESPACE. Nothing here may have external linkage.
#include <cstring>

#include "common/bytes.h"
#include "pow/aes_portable.h"
#include "pow/cn_kernel.h"
#include "pow/variant_math.h"
#if defined(__x86_64__)
#include "pow/vector_x86.h"
#else
#include "pow/vector_arm.h"
#endif

namespace wrkz {
namespace WRKZ_VECTOR_NAMESPACE {
namespace {

inline void RoundKeys(const uint8_t key[32], V keys[10]) {
  Block blocks[10];
  ExpandKey(key, blocks);
  for (int i = 0; i < 10; i++) keys[i] = Pair(blocks[i].low, blocks[i].high);
}

// Eight blocks per lane; two lanes at once hide the latency of the AES units.
template <int N>
inline void FillPads(CnLane* lanes, size_t size) {
  V keys[N][10], text[N][8];
  for (int n = 0; n < N; n++) {
    RoundKeys(lanes[n].state, keys[n]);
    for (int i = 0; i < 8; i++) text[n][i] = LoadAny(lanes[n].state + 64 + 16 * i);
  }
  for (size_t at = 0; at < size; at += 128) {
    for (int k = 0; k < 10; k++) {
#pragma GCC unroll 2
      for (int n = 0; n < N; n++) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) text[n][i] = PadRound(text[n][i], keys[n], k);
      }
    }
    for (int n = 0; n < N; n++) {
      for (int i = 0; i < 8; i++) {
        text[n][i] = AfterPadRounds(text[n][i], keys[n]);
        Store(lanes[n].pad + at + 16 * i, text[n][i]);
      }
    }
  }
}

template <int N>
inline void FoldPads(CnLane* lanes, size_t size) {
  V keys[N][10], text[N][8];
  for (int n = 0; n < N; n++) {
    RoundKeys(lanes[n].state + 32, keys[n]);
    for (int i = 0; i < 8; i++) text[n][i] = LoadAny(lanes[n].state + 64 + 16 * i);
  }
  for (size_t at = 0; at < size; at += 128) {
    for (int n = 0; n < N; n++) {
      for (int i = 0; i < 8; i++) text[n][i] = Xor(text[n][i], Load(lanes[n].pad + at + 16 * i));
    }
    for (int k = 0; k < 10; k++) {
#pragma GCC unroll 2
      for (int n = 0; n < N; n++) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) text[n][i] = PadRound(text[n][i], keys[n], k);
      }
    }
    for (int n = 0; n < N; n++) {
      for (int i = 0; i < 8; i++) text[n][i] = AfterPadRounds(text[n][i], keys[n]);
    }
  }
  for (int n = 0; n < N; n++) {
    for (int i = 0; i < 8; i++) StoreAny(lanes[n].state + 64 + 16 * i, text[n][i]);
  }
}

// The same square root as SquareRoot(), from the bits of doubles: 2^64 + n has the exponent 64, and one unit of its
// mantissa is 2^12. The result is the mantissa of the root, truncated to whole units of 1/2. Rounding can have changed it
// only if the 19 truncated bits are all zeros or all ones, about once in 2^18 times.
inline uint64_t FastRoot(uint64_t n) {
  const uint64_t bits = RootBits((n >> 12) + (static_cast<uint64_t>(1023 + 64) << 52));
  if (__builtin_expect(((bits + 1) & 0x7fffe) == 0, 0)) return SquareRoot(n);
  return (bits - (static_cast<uint64_t>(1023 + 32) << 52)) >> 19;
}

inline uint8_t* Flip(uint8_t* p, uintptr_t bits) { return reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(p) ^ bits); }

template <PowAlgorithm A, int N>
inline void Rounds(CnLane* lanes) {
  constexpr CnParams params = kParams<A>;
  constexpr int variant = params.variant;
  uint8_t* pad[N];
  V a[N], b0[N], b1[N], c1[N];
  // A scalar copy of the low half of `a`: the next address comes from the multiplication without a vector register.
  uint64_t aLow[N], division[N], root[N];
  for (int i = 0; i < N; i++) {
    const uint8_t* s = lanes[i].state;
    pad[i] = lanes[i].pad;
    a[i] = Xor(LoadAny(s), LoadAny(s + 32));
    aLow[i] = Low(a[i]);
    b0[i] = Xor(LoadAny(s + 16), LoadAny(s + 48));
    b1[i] = Xor(LoadAny(s + 64), LoadAny(s + 80));
    division[i] = Load64(s + 96);
    root[i] = Load32(s + 104);
  }
  for (uint32_t round = 0; round < params.rounds; round++) {
#pragma GCC unroll 8
    for (int i = 0; i < N; i++) {
      uint8_t* const p = pad[i] + (aLow[i] & params.mask);
      c1[i] = AesRound(Load(p), a[i]);
      if constexpr (variant == 2) {
        const V chunk1 = Load(Flip(p, 0x10)), chunk2 = Load(Flip(p, 0x20)), chunk3 = Load(Flip(p, 0x30));
        Store(Flip(p, 0x10), Add(params.upx ? chunk1 : chunk3, b1[i]));
        Store(Flip(p, 0x20), Add(params.upx ? chunk3 : chunk1, b0[i]));
        Store(Flip(p, 0x30), Add(chunk2, a[i]));
      }
      V stored = Xor(c1[i], b0[i]);
      if constexpr (variant == 1) stored = Pair(Low(stored), TweakHigh(High(stored)));
      Store(p, stored);
    }
#pragma GCC unroll 8
    for (int i = 0; i < N; i++) {
      const uint64_t c1Low = Low(c1[i]);
      uint8_t* const p = pad[i] + (c1Low & params.mask);
      V c = Load(p);
      uint64_t cLow = Load64(p);
      if constexpr (variant == 2) {
        const uint64_t mixed = division[i] ^ (root[i] << 32);
        cLow ^= mixed;
        c = Xor(c, Pair(mixed, 0));
        const uint32_t divisor = (static_cast<uint32_t>(c1Low) + static_cast<uint32_t>(root[i] << 1)) | 0x80000001u;
        const uint64_t dividend = High(c1[i]);
        division[i] = static_cast<uint32_t>(dividend / divisor) + ((dividend % divisor) << 32);
        root[i] = FastRoot(c1Low + division[i]);
      }
      const unsigned __int128 product = static_cast<unsigned __int128>(c1Low) * cLow;
      const uint64_t high = static_cast<uint64_t>(product >> 64);
      V d = Pair(high, static_cast<uint64_t>(product));
      if constexpr (variant == 2) {
        aLow[i] = (aLow[i] + (high ^ Load64(Flip(p, 0x20)))) ^ cLow;
        const V chunk1 = Xor(Load(Flip(p, 0x10)), d), chunk2 = Load(Flip(p, 0x20)), chunk3 = Load(Flip(p, 0x30));
        d = Xor(d, chunk2);
        Store(Flip(p, 0x10), Add(params.upx ? chunk1 : chunk3, b1[i]));
        Store(Flip(p, 0x20), Add(params.upx ? chunk3 : chunk1, b0[i]));
        Store(Flip(p, 0x30), Add(chunk2, a[i]));
      } else {
        aLow[i] = (aLow[i] + high) ^ cLow;
      }
      a[i] = Add(a[i], d);
      V stored = a[i];
      if constexpr (variant == 1) stored = Xor(stored, Pair(0, lanes[i].tweak));
      Store(p, stored);
      a[i] = Xor(a[i], c);
      b1[i] = b0[i];
      b0[i] = c1[i];
    }
  }
}

template <PowAlgorithm A, int N>
void Run(CnLane* lanes) {
  constexpr size_t size = kParams<A>.scratchpad;
  for (int i = 0; i + 1 < N; i += 2) FillPads<2>(lanes + i, size);
  if constexpr (N % 2 == 1) FillPads<1>(lanes + N - 1, size);
  Rounds<A, N>(lanes);
  for (int i = 0; i + 1 < N; i += 2) FoldPads<2>(lanes + i, size);
  if constexpr (N % 2 == 1) FoldPads<1>(lanes + N - 1, size);
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
}  // namespace WRKZ_VECTOR_NAMESPACE
}  // namespace wrkz
