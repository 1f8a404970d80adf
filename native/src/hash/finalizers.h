// The four final hashes of CryptoNight, over the whole 200-byte Keccak state. Results of 32 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wrkz {

void Blake256(const uint8_t* data, size_t size, uint8_t hash[32]);     // 14 rounds
void Groestl256(const uint8_t* data, size_t size, uint8_t hash[32]);   // the tweaked (final round) version
void Jh256(const uint8_t* data, size_t size, uint8_t hash[32]);        // 42 rounds
void Skein512_256(const uint8_t* data, size_t size, uint8_t hash[32]); // 512-bit state, version 1.3

}  // namespace wrkz
