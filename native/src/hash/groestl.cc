#include <array>
#include <bit>
#include <cstring>

#include "common/aes_sbox.h"
#include "common/bytes.h"
#include "hash/finalizers.h"

namespace wrkz {
namespace {

// A state has eight columns; row i of a column is byte i of the 64-bit word, least significant byte first.
using State = uint64_t[8];

constexpr uint8_t Multiply(uint8_t x, uint8_t factor) {
  const uint8_t x2 = AesDouble(x), x4 = AesDouble(x2);
  return static_cast<uint8_t>((factor & 1 ? x : 0) ^ (factor & 2 ? x2 : 0) ^ (factor & 4 ? x4 : 0));
}

// Contribution of a row 0 byte to its column after SubBytes and MixBytes (circulant 2 2 3 4 5 3 5 7).
// A byte of row k contributes the same value rotated by k bytes.
constexpr std::array<uint64_t, 256> MakeMix() {
  constexpr uint8_t circulant[8] = {2, 2, 3, 4, 5, 3, 5, 7};
  std::array<uint64_t, 256> mix{};
  for (int value = 0; value < 256; value++) {
    for (int row = 0; row < 8; row++) {
      mix[value] |= static_cast<uint64_t>(Multiply(kAesSbox[value], circulant[(8 - row) & 7])) << (8 * row);
    }
  }
  return mix;
}
constexpr std::array<uint64_t, 256> kMix = MakeMix();

template <int... Shift>
inline uint64_t Column(const State& s, int j) {
  int row = 0;
  uint64_t column = 0;
  ((column ^= std::rotl(kMix[(s[(j + Shift) & 7] >> (8 * row)) & 0xff], 8 * row), row++), ...);
  return column;
}

void PermuteP(State& s) {
  for (uint64_t round = 0; round < 10; round++) {
    State next;
    for (uint64_t j = 0; j < 8; j++) s[j] ^= (j << 4) ^ round;
    for (int j = 0; j < 8; j++) next[j] = Column<0, 1, 2, 3, 4, 5, 6, 7>(s, j);
    std::memcpy(s, next, sizeof next);
  }
}

void PermuteQ(State& s) {
  for (uint64_t round = 0; round < 10; round++) {
    State next;
    for (uint64_t j = 0; j < 8; j++) s[j] ^= ~static_cast<uint64_t>(0) ^ (((j << 4) ^ round) << 56);
    for (int j = 0; j < 8; j++) next[j] = Column<1, 3, 5, 7, 0, 2, 4, 6>(s, j);
    std::memcpy(s, next, sizeof next);
  }
}

void Compress(State& h, const uint8_t* block) {
  State p, q;
  for (int i = 0; i < 8; i++) {
    q[i] = Load64(block + 8 * i);
    p[i] = h[i] ^ q[i];
  }
  PermuteP(p);
  PermuteQ(q);
  for (int i = 0; i < 8; i++) h[i] ^= p[i] ^ q[i];
}

}  // namespace

void Groestl256(const uint8_t* data, size_t size, uint8_t hash[32]) {
  State h = {};
  h[7] = static_cast<uint64_t>(0x01) << 48;  // digest size of 256 bits in the last two bytes, big-endian
  const uint64_t blocks = size / 64 + (size % 64 < 56 ? 1 : 2);
  for (; size >= 64; data += 64, size -= 64) Compress(h, data);

  uint8_t tail[128] = {};
  if (size > 0) std::memcpy(tail, data, size);
  tail[size] = 0x80;
  const size_t end = size < 56 ? 64 : 128;
  Store64Be(tail + end - 8, blocks);
  for (size_t at = 0; at < end; at += 64) Compress(h, tail + at);

  State out;
  std::memcpy(out, h, sizeof out);
  PermuteP(out);
  for (int i = 0; i < 4; i++) Store64(hash + 8 * i, out[4 + i] ^ h[4 + i]);
}

}  // namespace wrkz
