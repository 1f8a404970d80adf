// The AES S-box, computed: inverse in GF(2^8), then the affine map.
#pragma once

#include <array>
#include <cstdint>

namespace wrkz {

constexpr uint8_t AesDouble(uint8_t x) { return static_cast<uint8_t>((x << 1) ^ ((x >> 7) * 0x1b)); }

constexpr std::array<uint8_t, 256> MakeAesSbox() {
  std::array<uint8_t, 256> sbox{};
  uint8_t p = 1, q = 1;  // q is always the inverse of p; p runs through the powers of the generator 3
  do {
    p = static_cast<uint8_t>(p ^ AesDouble(p));
    q ^= static_cast<uint8_t>(q << 1);
    q ^= static_cast<uint8_t>(q << 2);
    q ^= static_cast<uint8_t>(q << 4);
    if (q & 0x80) q ^= 0x09;
    const auto rotate = [](uint8_t v, int n) { return static_cast<uint8_t>((v << n) | (v >> (8 - n))); };
    sbox[p] = static_cast<uint8_t>(q ^ rotate(q, 1) ^ rotate(q, 2) ^ rotate(q, 3) ^ rotate(q, 4) ^ 0x63);
  } while (p != 1);
  sbox[0] = 0x63;
  return sbox;
}

inline constexpr std::array<uint8_t, 256> kAesSbox = MakeAesSbox();

}  // namespace wrkz
