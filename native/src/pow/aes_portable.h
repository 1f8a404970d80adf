// Table-based AES rounds and the key schedule, for processors without AES instructions.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "common/aes_sbox.h"
#include "common/bytes.h"

namespace wrkz {

struct Block {
  uint64_t low, high;
};

static inline Block LoadBlock(const uint8_t* p) { return {Load64(p), Load64(p + 8)}; }
static inline void StoreBlock(uint8_t* p, Block b) {
  Store64(p, b.low);
  Store64(p + 8, b.high);
}
static inline Block operator^(Block x, Block y) { return {x.low ^ y.low, x.high ^ y.high}; }
static inline Block operator+(Block x, Block y) { return {x.low + y.low, x.high + y.high}; }

// Contribution of a byte of row k to its column after SubBytes and MixColumns.
constexpr std::array<std::array<uint32_t, 256>, 4> MakeAesTables() {
  std::array<std::array<uint32_t, 256>, 4> tables{};
  for (int i = 0; i < 256; i++) {
    const uint8_t s = kAesSbox[i], s2 = AesDouble(s);
    const uint32_t column = s2 | (uint32_t{s} << 8) | (uint32_t{s} << 16) | (static_cast<uint32_t>(s2 ^ s) << 24);
    for (int row = 0; row < 4; row++) tables[row][i] = std::rotl(column, 8 * row);
  }
  return tables;
}
static inline constexpr std::array<std::array<uint32_t, 256>, 4> kAesTables = MakeAesTables();

// One forward round: SubBytes, ShiftRows, MixColumns, AddRoundKey.
static inline Block AesRound(Block x, Block key) {
  const uint32_t c[4] = {static_cast<uint32_t>(x.low), static_cast<uint32_t>(x.low >> 32),
                         static_cast<uint32_t>(x.high), static_cast<uint32_t>(x.high >> 32)};
  const auto column = [&c](int j) {
    return kAesTables[0][c[j] & 0xff] ^ kAesTables[1][(c[(j + 1) & 3] >> 8) & 0xff] ^
           kAesTables[2][(c[(j + 2) & 3] >> 16) & 0xff] ^ kAesTables[3][c[(j + 3) & 3] >> 24];
  };
  const Block mixed = {column(0) | (static_cast<uint64_t>(column(1)) << 32),
                       column(2) | (static_cast<uint64_t>(column(3)) << 32)};
  return mixed ^ key;
}

// The first ten round keys of the AES-256 schedule of a 32-byte key.
static inline void ExpandKey(const uint8_t key[32], Block keys[10]) {
  uint32_t w[40];
  const auto substitute = [](uint32_t v) {
    return uint32_t{kAesSbox[v & 0xff]} | (uint32_t{kAesSbox[(v >> 8) & 0xff]} << 8) |
           (uint32_t{kAesSbox[(v >> 16) & 0xff]} << 16) | (uint32_t{kAesSbox[v >> 24]} << 24);
  };
  for (int i = 0; i < 8; i++) w[i] = Load32(key + 4 * i);
  uint32_t constant = 1;
  for (int i = 8; i < 40; i++) {
    uint32_t t = w[i - 1];
    if (i % 8 == 0) {
      t = substitute(std::rotr(t, 8)) ^ constant;
      constant <<= 1;
    } else if (i % 8 == 4) {
      t = substitute(t);
    }
    w[i] = w[i - 8] ^ t;
  }
  for (int i = 0; i < 10; i++) {
    keys[i] = {w[4 * i] | (static_cast<uint64_t>(w[4 * i + 1]) << 32),
               w[4 * i + 2] | (static_cast<uint64_t>(w[4 * i + 3]) << 32)};
  }
}

}  // namespace wrkz
