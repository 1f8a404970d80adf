// CryptoNight with 512-bit AES for the pads and, for variant 2, the divisions and square roots of all lanes in one vector.
#define WRKZ_VECTOR_NAMESPACE avx512
#include <type_traits>

#include "pow/cn_lanes.h"
#include "pow/wide.h"

namespace wrkz {
namespace avx512 {
namespace {

// Variant 2's division and square root for N lanes.
//
// The quotient in doubles is off by at most one; a remainder outside [0, divisor) reveals that. The root and its
// uncertain cases are computed as in FastRoot(). Both occur about once in 2^18 steps; then all lanes are recomputed
// exactly.
template <int N>
struct WideMath {
  using W = std::conditional_t<N <= 4, Wide4, Wide8>;
  using Values = typename W::V;
  static constexpr uint64_t kExponent = static_cast<uint64_t>(1) << 52;

  Values division, root;

  Values Mixed() const { return W::Xor(division, W::template Left<32>(root)); }

  void Step(Values c1Low, Values c1High) {
    const Values sum = W::Add(c1Low, W::Add(root, root));
    const Values divisor = W::AndOr(sum, W::All(0xffffffff), W::All(0x80000001));
    const Values quotient = W::Quotient(c1High, divisor);
    const Values remainder = W::Subtract(c1High, W::Multiply(quotient, divisor));
    const Values nextDivision = W::HighWords(quotient, W::template Left<32>(remainder));
    const Values n = W::Add(c1Low, nextDivision);
    const Values bits = W::RootBits(W::Add(W::template Right<12>(n), W::All((1023 + 64) * kExponent)));
    const Values nextRoot = W::template Right<19>(W::Subtract(bits, W::All((1023 + 32) * kExponent)));
    const __mmask8 doubtful =
        W::NotBelow(remainder, divisor) | W::AllZero(W::Add(bits, W::All(1)), W::All(0x7fffe));
    if (__builtin_expect(doubtful != 0, 0)) {
      *this = Exact(*this, c1Low, c1High);
      return;
    }
    division = nextDivision;
    root = nextRoot;
  }

  __attribute__((noinline)) static WideMath Exact(WideMath now, Values c1Low, Values c1High) {
    alignas(64) uint64_t low[W::kWidth], high[W::kWidth], d[W::kWidth], r[W::kWidth];
    W::Store(low, c1Low);
    W::Store(high, c1High);
    W::Store(d, now.division);
    W::Store(r, now.root);
    for (int i = 0; i < W::kWidth; i++) {
      IntegerMath math{d[i], r[i]};
      math.Step(0, low[i], high[i]);
      d[i] = math.division;
      r[i] = math.root;
    }
    return {W::Load(d), W::Load(r)};
  }
};

// N lanes of variant 2. Their pads are adjacent, so that all share one base address.
template <PowAlgorithm A, int N>
struct WideLanes {
  static constexpr CnParams params = kParams<A>;
  using Math = WideMath<N>;
  uint8_t* pads;
  V a[N];
  uint64_t aLow[N];
  Math math;

  // b0 and b1 are the blocks of the last two rounds; the new one is written to c1. Callers rotate three registers.
  __attribute__((always_inline)) inline void Round(V* c1, const V* b0, const V* b1) {
    constexpr size_t step = params.scratchpad;
#pragma GCC unroll 8
    for (int i = 0; i < N; i++) {
      uint8_t* const at = pads + (aLow[i] & params.mask);
      uint8_t *const p = at + i * step, *const p1 = Flip(at, 0x10) + i * step, *const p2 = Flip(at, 0x20) + i * step,
                     *const p3 = Flip(at, 0x30) + i * step;
      c1[i] = _mm_aesenc_si128(Load(p), a[i]);
      const V chunk1 = Load(p1), chunk2 = Load(p2), chunk3 = Load(p3);
      Store(p1, _mm_add_epi64(params.upx ? chunk1 : chunk3, b1[i]));
      Store(p2, _mm_add_epi64(params.upx ? chunk3 : chunk1, b0[i]));
      Store(p3, _mm_add_epi64(chunk2, a[i]));
      Store(p, _mm_xor_si128(c1[i], b0[i]));
    }
    alignas(64) uint64_t mixed[Math::W::kWidth];
    Math::W::Store(mixed, math.Mixed());
    math.Step(Gather<N, false>(c1), Gather<N, true>(c1));
#pragma GCC unroll 8
    for (int i = 0; i < N; i++) {
      const uint64_t c1Low = Low(c1[i]);
      uint8_t* const at = pads + (c1Low & params.mask);
      uint8_t *const p = at + i * step, *const p1 = Flip(at, 0x10) + i * step, *const p2 = Flip(at, 0x20) + i * step,
                     *const p3 = Flip(at, 0x30) + i * step;
      const uint64_t cLow = Load64(p) ^ mixed[i];
      const V c = _mm_xor_si128(Load(p), _mm_loadl_epi64(reinterpret_cast<const V*>(&mixed[i])));
      const unsigned __int128 product = static_cast<unsigned __int128>(c1Low) * cLow;
      const uint64_t high = static_cast<uint64_t>(product >> 64);
      const V d = Pair(high, static_cast<uint64_t>(product));
      aLow[i] = (aLow[i] + (high ^ Load64(p2))) ^ cLow;
      const V chunk1 = _mm_xor_si128(Load(p1), d), chunk2 = Load(p2), chunk3 = Load(p3);
      Store(p1, _mm_add_epi64(params.upx ? chunk1 : chunk3, b1[i]));
      Store(p2, _mm_add_epi64(params.upx ? chunk3 : chunk1, b0[i]));
      Store(p3, _mm_add_epi64(chunk2, a[i]));
      const V sum = _mm_add_epi64(a[i], _mm_xor_si128(d, chunk2));
      Store(p, sum);
      a[i] = _mm_xor_si128(sum, c);
    }
  }

  void Run(CnLane* lanes) {
    V b0[N], b1[N], b2[N];
    alignas(64) uint64_t division[Math::W::kWidth], root[Math::W::kWidth];
    pads = lanes[0].pad;
    for (int i = 0; i < Math::W::kWidth; i++) {
      // An unused lane repeats the last one, so it adds no uncertain result.
      const uint8_t* s = lanes[i < N ? i : N - 1].state;
      division[i] = Load64(s + 96);
      root[i] = Load32(s + 104);
      if (i >= N) continue;
      a[i] = _mm_xor_si128(LoadAny(s), LoadAny(s + 32));
      aLow[i] = Low(a[i]);
      b0[i] = _mm_xor_si128(LoadAny(s + 16), LoadAny(s + 48));
      b1[i] = _mm_xor_si128(LoadAny(s + 64), LoadAny(s + 80));
    }
    math = {Math::W::Load(division), Math::W::Load(root)};
    static_assert(params.rounds % 3 == 1);
    for (uint32_t round = 0; round < params.rounds / 3; round++) {
      Round(b2, b0, b1);
      Round(b1, b2, b0);
      Round(b0, b1, b2);
    }
    Round(b2, b0, b1);
  }
};

// The pads of N lanes at once, four blocks per vector.
template <int N>
struct WidePads {
  __m512i keys[N][10], text[N][2];

  WidePads(const CnLane* lanes, size_t keyOffset) {
    for (int i = 0; i < N; i++) {
      V narrow[10];
      RoundKeys(lanes[i].state + keyOffset, narrow);
      for (int k = 0; k < 10; k++) keys[i][k] = _mm512_broadcast_i32x4(narrow[k]);
      for (int j = 0; j < 2; j++) text[i][j] = _mm512_loadu_si512(lanes[i].state + 64 + 64 * j);
    }
  }

  __attribute__((always_inline)) inline void Encrypt() {
#pragma GCC unroll 10
    for (int k = 0; k < 10; k++) {
#pragma GCC unroll 8
      for (int i = 0; i < N; i++) {
        text[i][0] = _mm512_aesenc_epi128(text[i][0], keys[i][k]);
        text[i][1] = _mm512_aesenc_epi128(text[i][1], keys[i][k]);
      }
    }
  }

  static void Fill(CnLane* lanes, size_t size) {
    WidePads pads(lanes, 0);
    for (size_t at = 0; at < size; at += 128) {
      pads.Encrypt();
#pragma GCC unroll 8
      for (int i = 0; i < N; i++) {
        _mm512_store_si512(lanes[i].pad + at, pads.text[i][0]);
        _mm512_store_si512(lanes[i].pad + at + 64, pads.text[i][1]);
      }
    }
  }

  static void Fold(CnLane* lanes, size_t size) {
    WidePads pads(lanes, 32);
    for (size_t at = 0; at < size; at += 128) {
#pragma GCC unroll 8
      for (int i = 0; i < N; i++) {
        pads.text[i][0] = _mm512_xor_si512(pads.text[i][0], _mm512_load_si512(lanes[i].pad + at));
        pads.text[i][1] = _mm512_xor_si512(pads.text[i][1], _mm512_load_si512(lanes[i].pad + at + 64));
      }
      pads.Encrypt();
    }
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < 2; j++) _mm512_storeu_si512(lanes[i].state + 64 + 64 * j, pads.text[i][j]);
    }
  }
};

template <PowAlgorithm A, int N>
void RunWide(CnLane* lanes) {
  WidePads<N>::Fill(lanes, kParams<A>.scratchpad);
  if constexpr (kParams<A>.variant == 2 && N >= 3) {
    WideLanes<A, N> wide;
    wide.Run(lanes);
  } else {
    Rounds<A, N>(lanes);
  }
  WidePads<N>::Fold(lanes, kParams<A>.scratchpad);
}

template <PowAlgorithm A>
void CollectWide(CnKernels& kernels) {
  auto& run = kernels.run[static_cast<size_t>(A)];
  run[0] = RunWide<A, 1>;
  run[1] = RunWide<A, 2>;
  run[2] = RunWide<A, 3>;
  run[3] = RunWide<A, 4>;
  if constexpr (kParams<A>.variant == 2) run[4] = RunWide<A, 5>;
}

}  // namespace
}  // namespace avx512

CnKernels Avx512Kernels() {
  CnKernels kernels;
  avx512::CollectWide<PowAlgorithm::SlowHashV0>(kernels);
  avx512::CollectWide<PowAlgorithm::LiteV1>(kernels);
  avx512::CollectWide<PowAlgorithm::TurtleLiteV2>(kernels);
  avx512::CollectWide<PowAlgorithm::CnUpx>(kernels);
  return kernels;
}

}  // namespace wrkz
