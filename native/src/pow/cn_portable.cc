// CryptoNight without processor extensions: the reference for the other implementations.
#include <cstring>

#include "pow/aes_portable.h"
#include "pow/cn_kernel.h"
#include "pow/variant_math.h"

namespace wrkz {
namespace {

Block PseudoRound(Block x, const Block keys[10]) {
  for (int i = 0; i < 10; i++) x = AesRound(x, keys[i]);
  return x;
}

void FillPad(const CnLane& lane, size_t size) {
  Block keys[10], text[8];
  ExpandKey(lane.state, keys);
  for (int i = 0; i < 8; i++) text[i] = LoadBlock(lane.state + 64 + 16 * i);
  for (size_t at = 0; at < size; at += 128) {
    for (int i = 0; i < 8; i++) {
      text[i] = PseudoRound(text[i], keys);
      StoreBlock(lane.pad + at + 16 * i, text[i]);
    }
  }
}

void FoldPad(CnLane& lane, size_t size) {
  Block keys[10], text[8];
  ExpandKey(lane.state + 32, keys);
  for (int i = 0; i < 8; i++) text[i] = LoadBlock(lane.state + 64 + 16 * i);
  for (size_t at = 0; at < size; at += 128) {
    for (int i = 0; i < 8; i++) text[i] = PseudoRound(text[i] ^ LoadBlock(lane.pad + at + 16 * i), keys);
  }
  for (int i = 0; i < 8; i++) StoreBlock(lane.state + 64 + 16 * i, text[i]);
}

// The neighbours of block `at` in its 64-byte line, rotated and increased (variant 2).
template <bool Upx>
void Shuffle(uint8_t* pad, size_t at, Block a, Block b0, Block b1) {
  const Block chunk1 = LoadBlock(pad + (at ^ 0x10)), chunk2 = LoadBlock(pad + (at ^ 0x20)),
              chunk3 = LoadBlock(pad + (at ^ 0x30));
  StoreBlock(pad + (at ^ 0x10), (Upx ? chunk1 : chunk3) + b1);
  StoreBlock(pad + (at ^ 0x20), (Upx ? chunk3 : chunk1) + b0);
  StoreBlock(pad + (at ^ 0x30), chunk2 + a);
}

template <PowAlgorithm A>
void Rounds(CnLane& lane) {
  constexpr CnParams params = kParams<A>;
  constexpr uint64_t mask = params.mask;
  const uint8_t* s = lane.state;
  uint8_t* const pad = lane.pad;
  Block a = LoadBlock(s) ^ LoadBlock(s + 32);
  Block b0 = LoadBlock(s + 16) ^ LoadBlock(s + 48);
  Block b1 = LoadBlock(s + 64) ^ LoadBlock(s + 80);
  IntegerMath math{Load64(s + 96), static_cast<uint32_t>(Load64(s + 104))};
  for (uint32_t round = 0; round < params.rounds; round++) {
    size_t at = a.low & mask;
    const Block c1 = AesRound(LoadBlock(pad + at), a);
    if constexpr (params.variant == 2) Shuffle<params.upx>(pad, at, a, b0, b1);
    Block stored = c1 ^ b0;
    if constexpr (params.variant == 1) stored.high = TweakHigh(stored.high);
    StoreBlock(pad + at, stored);

    at = c1.low & mask;
    Block c = LoadBlock(pad + at);
    if constexpr (params.variant == 2) c.low = math.Step(c.low, c1.low, c1.high);
    const unsigned __int128 product = static_cast<unsigned __int128>(c1.low) * c.low;
    Block d = {static_cast<uint64_t>(product >> 64), static_cast<uint64_t>(product)};
    if constexpr (params.variant == 2) {
      StoreBlock(pad + (at ^ 0x10), LoadBlock(pad + (at ^ 0x10)) ^ d);
      d = d ^ LoadBlock(pad + (at ^ 0x20));
      Shuffle<params.upx>(pad, at, a, b0, b1);
    }
    a = a + d;
    stored = a;
    if constexpr (params.variant == 1) stored.high ^= lane.tweak;
    StoreBlock(pad + at, stored);
    a = a ^ c;
    b1 = b0;
    b0 = c1;
  }
}

template <PowAlgorithm A>
void Run(CnLane* lanes) {
  FillPad(lanes[0], kParams<A>.scratchpad);
  Rounds<A>(lanes[0]);
  FoldPad(lanes[0], kParams<A>.scratchpad);
}

}  // namespace

CnKernels PortableKernels() {
  CnKernels kernels;
  kernels.run[0][0] = Run<PowAlgorithm::SlowHashV0>;
  kernels.run[1][0] = Run<PowAlgorithm::LiteV1>;
  kernels.run[2][0] = Run<PowAlgorithm::TurtleLiteV2>;
  kernels.run[3][0] = Run<PowAlgorithm::CnUpx>;
  return kernels;
}

}  // namespace wrkz
