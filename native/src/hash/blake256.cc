#include <bit>
#include <cstring>

#include "common/bytes.h"
#include "hash/blake2b.h"
#include "hash/finalizers.h"

namespace wrkz {
namespace {

constexpr uint32_t kInitial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

constexpr uint32_t kConstants[16] = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
                                     0x082efa98, 0xec4e6c89, 0x452821e6, 0x38d01377, 0xbe5466cf, 0x34e90c6c,
                                     0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917};

// Column and diagonal cells of the eight G functions of a round.
constexpr uint8_t kCells[8][4] = {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15},
                                  {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13}, {3, 4, 9, 14}};

// `bits`: message bits up to the end of this block, or 0 for a block with padding only.
void Compress(uint32_t h[8], const uint8_t* block, uint64_t bits) {
  uint32_t m[16], v[16];
  for (int i = 0; i < 16; i++) m[i] = Load32Be(block + 4 * i);
  for (int i = 0; i < 8; i++) v[i] = h[i];
  for (int i = 0; i < 8; i++) v[8 + i] = kConstants[i];
  v[12] ^= static_cast<uint32_t>(bits);
  v[13] ^= static_cast<uint32_t>(bits);
  v[14] ^= static_cast<uint32_t>(bits >> 32);
  v[15] ^= static_cast<uint32_t>(bits >> 32);
  // Unrolled, so that the word order and the cells are compile-time constants.
#pragma GCC unroll 14
  for (int round = 0; round < 14; round++) {
    const uint8_t* order = kBlakeOrder[round % 10];
#pragma GCC unroll 8
    for (int g = 0; g < 8; g++) {
      uint32_t &a = v[kCells[g][0]], &b = v[kCells[g][1]], &c = v[kCells[g][2]], &d = v[kCells[g][3]];
      const int x = order[2 * g], y = order[2 * g + 1];
      a += b + (m[x] ^ kConstants[y]);
      d = std::rotr(d ^ a, 16);
      c += d;
      b = std::rotr(b ^ c, 12);
      a += b + (m[y] ^ kConstants[x]);
      d = std::rotr(d ^ a, 8);
      c += d;
      b = std::rotr(b ^ c, 7);
    }
  }
  for (int i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
}

}  // namespace

void Blake256(const uint8_t* data, size_t size, uint8_t hash[32]) {
  uint32_t h[8];
  std::memcpy(h, kInitial, sizeof h);
  const uint64_t bits = 8 * static_cast<uint64_t>(size);
  uint64_t done = 0;
  for (; size >= 64; data += 64, size -= 64) Compress(h, data, done += 512);

  // Padding: 0x80, zeros, a one bit directly before the 64-bit big-endian length; a second block if it does not fit.
  uint8_t tail[128] = {};
  if (size > 0) std::memcpy(tail, data, size);
  tail[size] = 0x80;
  const size_t end = size < 56 ? 64 : 128;
  tail[end - 9] |= 0x01;
  Store64Be(tail + end - 8, bits);
  Compress(h, tail, size > 0 ? bits : 0);
  if (end == 128) Compress(h, tail + 64, 0);
  for (int i = 0; i < 8; i++) Store32Be(hash + 4 * i, h[i]);
}

}  // namespace wrkz
