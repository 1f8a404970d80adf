#include <array>
#include <bit>
#include <cstring>

#include "common/bytes.h"
#include "hash/finalizers.h"

namespace wrkz {
namespace {

using Words = std::array<uint64_t, 8>;

constexpr int kRotations[8][4] = {{46, 36, 19, 37}, {33, 27, 14, 42}, {17, 49, 36, 39}, {44, 9, 54, 56},
                                  {39, 30, 34, 24}, {13, 50, 10, 17}, {25, 29, 39, 43}, {8, 35, 56, 22}};

constexpr uint64_t kKeyParity = 0x1bd11bdaa9fc1a22;

enum BlockType : uint64_t { kConfig = 4, kMessage = 48, kOutput = 63 };
constexpr uint64_t kFirst = static_cast<uint64_t>(1) << 62, kFinal = static_cast<uint64_t>(1) << 63;

inline void Mix(uint64_t& x, uint64_t& y, int rotation) {
  x += y;
  y = std::rotl(y, rotation) ^ x;
}

// Four rounds; the word permutation is merged into the word pairs of each round.
template <int Half>
inline void FourRounds(Words& v) {
  const auto& r = kRotations + 4 * Half;
  Mix(v[0], v[1], r[0][0]), Mix(v[2], v[3], r[0][1]), Mix(v[4], v[5], r[0][2]), Mix(v[6], v[7], r[0][3]);
  Mix(v[2], v[1], r[1][0]), Mix(v[4], v[7], r[1][1]), Mix(v[6], v[5], r[1][2]), Mix(v[0], v[3], r[1][3]);
  Mix(v[4], v[1], r[2][0]), Mix(v[6], v[3], r[2][1]), Mix(v[0], v[5], r[2][2]), Mix(v[2], v[7], r[2][3]);
  Mix(v[6], v[1], r[3][0]), Mix(v[0], v[7], r[3][1]), Mix(v[2], v[5], r[3][2]), Mix(v[4], v[3], r[3][3]);
}

// One UBI step: encrypts the block with Threefish-512 under the chaining value, then XORs the block.
void Compress(Words& chain, const uint8_t* block, uint64_t position, uint64_t type) {
  uint64_t key[9], tweak[3] = {position, type, position ^ type};
  key[8] = kKeyParity;
  for (int i = 0; i < 8; i++) key[8] ^= key[i] = chain[i];
  Words m, v;
  for (int i = 0; i < 8; i++) v[i] = m[i] = Load64(block + 8 * i);
  const auto addKey = [&](unsigned s) {
    for (unsigned i = 0; i < 8; i++) v[i] += key[(s + i) % 9];
    v[5] += tweak[s % 3];
    v[6] += tweak[(s + 1) % 3];
    v[7] += s;
  };
  for (unsigned s = 0; s < 18; s += 2) {
    addKey(s);
    FourRounds<0>(v);
    addKey(s + 1);
    FourRounds<1>(v);
  }
  addKey(18);
  for (int i = 0; i < 8; i++) chain[i] = v[i] ^ m[i];
}

// The chaining value after the configuration block: "SHA3", version 1, 256 bits of output.
Words MakeInitial() {
  Words chain{};
  uint8_t config[64] = {'S', 'H', 'A', '3', 1};
  Store64(config + 8, 256);
  Compress(chain, config, 32, (static_cast<uint64_t>(kConfig) << 56) | kFirst | kFinal);
  return chain;
}

}  // namespace

void Skein512_256(const uint8_t* data, size_t size, uint8_t hash[32]) {
  static const Words initial = MakeInitial();
  Words chain = initial;
  uint64_t type = (static_cast<uint64_t>(kMessage) << 56) | kFirst, position = 0;
  // The final block has a flag, so a full last block is not processed in this loop.
  for (; size > 64; data += 64, size -= 64) {
    Compress(chain, data, position += 64, type);
    type &= ~kFirst;
  }
  uint8_t block[64] = {};
  if (size > 0) std::memcpy(block, data, size);
  Compress(chain, block, position + size, type | kFinal);

  const uint8_t counter[64] = {};
  Compress(chain, counter, 8, (static_cast<uint64_t>(kOutput) << 56) | kFirst | kFinal);
  for (int i = 0; i < 4; i++) Store64(hash + 8 * i, chain[i]);
}

}  // namespace wrkz
