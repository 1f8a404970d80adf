// The five proofs of work, and the parameters of the four CryptoNight variants.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wrkz {

// In the order in which the chain introduced them. packages/crypto/src/pow.ts uses the same numbers.
enum class PowAlgorithm : uint8_t { SlowHashV0, LiteV1, TurtleLiteV2, CnUpx, Chukwa };
inline constexpr size_t kPowAlgorithms = 5;
inline constexpr size_t kCnAlgorithms = 4;

struct CnParams {
  size_t scratchpad;  // bytes, a power of two
  uint64_t mask;      // of the addresses that the rounds access: for cn_turtle_lite_slow_hash_v2 only the first half of the pad
  uint32_t rounds;    // half the iterations: each round accesses two addresses
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

// Minimum input size in bytes: a shorter input would be read past its end.
inline constexpr size_t kMinimumInput[kPowAlgorithms] = {0, 43, 0, 0, 16};

}  // namespace wrkz
