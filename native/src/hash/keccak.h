// Keccak-f[1600] with the original padding (0x01 ... 0x80), as CryptoNote uses it (docs/protocol/encoding.md#keccak).
#pragma once

#include <cstddef>
#include <cstdint>

namespace wrkz {

inline constexpr size_t kHashSize = 32;
inline constexpr size_t kKeccakStateSize = 200;

// 24 rounds on 25 lanes, in place.
void KeccakPermute(uint64_t state[25]);

// The whole 200-byte state after absorbing `size` bytes at rate 136: the first step of CryptoNight.
void Keccak1600(const uint8_t* data, size_t size, uint8_t state[kKeccakStateSize]);

// cn_fast_hash: the first 32 bytes of that state (Keccak-256, not SHA3-256).
void FastHash(const uint8_t* data, size_t size, uint8_t hash[kHashSize]);

}  // namespace wrkz
