// The five proofs of work and the parameters of the four that are CryptoNight.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wrkz {

// In the order of the chain's history. The numbers are shared with packages/crypto/src/pow.ts.
enum class PowAlgorithm : uint8_t { SlowHashV0, LiteV1, TurtleLiteV2, CnUpx, Chukwa };
inline constexpr size_t kPowAlgorithms = 5;
inline constexpr size_t kCnAlgorithms = 4;

struct CnParams {
  size_t scratchpad;  // bytes, a power of two
  uint64_t mask;      // of the places the rounds touch: for cn_turtle_lite_slow_hash_v2 only the pad's first half
  uint32_t rounds;    // half the iterations: each round touches two places
  int variant;
  bool upx;           // the variant 2 shuffle with the swapped chunks
};

inline constexpr CnParams kCnParams[kCnAlgorithms] = {
    {2097152, 0x1ffff0, 524288, 0, false},
    {1048576, 0xffff0, 262144, 1, false},
    {262144, 0x1fff0, 65536, 2, false},
    {131072, 0x1fff0, 16384, 2, true},
};

template <PowAlgorithm A>
inline constexpr CnParams kParams = kCnParams[static_cast<size_t>(A)];

// Inputs shorter than this have no hash (a byte beyond the end would be read).
inline constexpr size_t kMinimumInput[kPowAlgorithms] = {0, 43, 0, 0, 16};

}  // namespace wrkz
