#include <array>
#include <cstring>

#include "common/bytes.h"
#include "hash/finalizers.h"

// Bit-sliced. The 256 four-bit elements are stored as 128 pairs: bit s (bit 0 is the first bit of the first byte) of
// even[k] and odd[k] is bit k, most significant first, of the pair in slot s.
//
// The permutation after each round sends the even element of pair 2i + b to pair 64b + i, and the odd element likewise
// with b flipped: even and odd elements never mix. The even elements therefore stay in place, so that slot s represents
// pair ror7^round(s). The odd elements move to the slots of their new partners: a swap of slots that differ in bit
// (round mod 7). After 42 = 6 x 7 rounds, slots and pairs are equal again.

namespace wrkz {
namespace {

constexpr int kRounds = 42;
typedef uint64_t Word __attribute__((vector_size(16)));

struct State {
  Word even[4], odd[4];
};

Word LoadWord(const uint8_t* p) { return Word{Load64(p), Load64(p + 8)}; }
void StoreWord(uint8_t* p, Word w) {
  Store64(p, w[0]);
  Store64(p + 8, w[1]);
}

struct RoundConstants {
  Word even[kRounds], odd[kRounds];
};

// The selector bits of all rounds: first 256 bits of the square root of 2, then the same round function on 64 elements
// for each following set.
RoundConstants MakeConstants() {
  constexpr char root[] = "6a09e667f3bcc908b2fb1366ea957d3e3adec17512775099da2f590b0667322a";
  constexpr uint8_t sbox[16] = {9, 0, 4, 11, 13, 12, 3, 15, 1, 10, 2, 6, 7, 5, 8, 14};
  std::array<uint8_t, 64> c{};
  for (int i = 0; i < 64; i++) c[i] = static_cast<uint8_t>(root[i] <= '9' ? root[i] - '0' : root[i] - 'a' + 10);

  const auto twice = [](uint8_t x) { return static_cast<uint8_t>(((x << 1) ^ (x >> 3) ^ ((x >> 2) & 2)) & 15); };
  RoundConstants constants;
  for (int round = 0; round < kRounds; round++) {
    uint8_t even[16] = {}, odd[16] = {};
    for (unsigned slot = 0; slot < 128; slot++) {
      const unsigned turn = round % 7;
      const unsigned pair = ((slot >> turn) | (slot << (7 - turn))) & 127;
      const auto selector = [&](unsigned element) { return (c[element >> 2] >> (3 - (element & 3))) & 1; };
      even[slot >> 3] |= static_cast<uint8_t>(selector(2 * pair) << (7 - (slot & 7)));
      odd[slot >> 3] |= static_cast<uint8_t>(selector(2 * pair + 1) << (7 - (slot & 7)));
    }
    constants.even[round] = LoadWord(even);
    constants.odd[round] = LoadWord(odd);

    std::array<uint8_t, 64> next{};
    for (int i = 0; i < 32; i += 2) {
      uint8_t v[4];
      for (int k = 0; k < 4; k++) v[k] = sbox[c[2 * i + k]];
      for (int k = 0; k < 4; k += 2) {
        v[k + 1] ^= twice(v[k]);
        v[k] ^= twice(v[k + 1]);
      }
      next[i] = v[0];
      next[i + 1] = v[3];
      next[32 + i] = v[2];
      next[32 + i + 1] = v[1];
    }
    c = next;
  }
  return constants;
}

const RoundConstants& Constants() {
  static const RoundConstants constants = MakeConstants();
  return constants;
}

// Both S-boxes as one circuit over the bit planes (most significant first); 1 bits of `c` select the second S-box.
inline void Substitute(Word x[4], Word c) {
  x[3] = ~x[3];
  x[0] ^= ~x[2] & c;
  const Word t = c ^ (x[0] & x[1]);
  x[0] ^= x[2] & x[3];
  x[3] ^= ~x[1] & x[2];
  x[1] ^= x[0] & x[2];
  x[2] ^= x[0] & ~x[3];
  x[0] ^= x[1] | x[3];
  x[3] ^= x[1] & x[2];
  x[1] ^= t & x[0];
  x[2] ^= t;
}

// into ^= 2 * from, per element, in GF(16) modulo x^4 + x + 1.
inline void AddDoubled(Word into[4], const Word from[4]) {
  into[0] ^= from[1];
  into[1] ^= from[2];
  into[2] ^= from[3] ^ from[0];
  into[3] ^= from[0];
}

template <int Bit>
inline Word SwapSlots(Word w) {
  if constexpr (Bit == 6) {
    return Word{w[1], w[0]};
  } else {
    constexpr uint64_t masks[6] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                   0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    constexpr uint64_t mask = masks[Bit];
    constexpr int distance = 1 << Bit;
    return ((w >> distance) & Word{mask, mask}) | ((w & Word{mask, mask}) << distance);
  }
}

template <int Bit>
inline void Round(State& s, int round, const RoundConstants& constants) {
  Substitute(s.even, constants.even[round]);
  Substitute(s.odd, constants.odd[round]);
  AddDoubled(s.odd, s.even);
  AddDoubled(s.even, s.odd);
  for (int k = 0; k < 4; k++) s.odd[k] = SwapSlots<Bit>(s.odd[k]);
}

// Byte order of the state: plane k is bytes 32k..32k+31, even elements first.
void Compress(uint8_t state[128], const uint8_t block[64]) {
  for (int i = 0; i < 64; i++) state[i] ^= block[i];
  State s;
  for (int k = 0; k < 4; k++) {
    s.even[k] = LoadWord(state + 32 * k);
    s.odd[k] = LoadWord(state + 32 * k + 16);
  }
  const RoundConstants& constants = Constants();
  for (int round = 0; round < kRounds; round += 7) {
    Round<0>(s, round, constants);
    Round<1>(s, round + 1, constants);
    Round<2>(s, round + 2, constants);
    Round<3>(s, round + 3, constants);
    Round<4>(s, round + 4, constants);
    Round<5>(s, round + 5, constants);
    Round<6>(s, round + 6, constants);
  }
  for (int k = 0; k < 4; k++) {
    StoreWord(state + 32 * k, s.even[k]);
    StoreWord(state + 32 * k + 16, s.odd[k]);
  }
  for (int i = 0; i < 64; i++) state[64 + i] ^= block[i];
}

// Initial state: the digest size in bits, after compression with one zero block.
std::array<uint8_t, 128> MakeInitial() {
  std::array<uint8_t, 128> state{};
  state[0] = 0x01;
  const uint8_t zero[64] = {};
  Compress(state.data(), zero);
  return state;
}

}  // namespace

void Jh256(const uint8_t* data, size_t size, uint8_t hash[32]) {
  static const std::array<uint8_t, 128> initial = MakeInitial();
  std::array<uint8_t, 128> state = initial;
  const uint64_t bits = 8 * static_cast<uint64_t>(size);
  for (; size >= 64; data += 64, size -= 64) Compress(state.data(), data);

  // The block with the length has no message bytes. After a full message block, it also has the 0x80 byte.
  uint8_t tail[128] = {};
  if (size > 0) std::memcpy(tail, data, size);
  tail[size] = 0x80;
  const size_t end = size == 0 ? 64 : 128;
  Store64Be(tail + end - 8, bits);
  for (size_t at = 0; at < end; at += 64) Compress(state.data(), tail + at);
  std::memcpy(hash, state.data() + 96, 32);
}

}  // namespace wrkz
