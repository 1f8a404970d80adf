#include "hash/keccak.h"

#include <bit>
#include <cstring>

#include "common/bytes.h"

namespace wrkz {
namespace {

constexpr size_t kRate = 136;

constexpr uint64_t kRoundConstants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};

template <int R>
inline uint64_t Rotate(uint64_t v) {
  return std::rotl(v, R);
}

// One row of chi: out[i] = b[i] ^ (~b[i+1] & b[i+2]).
inline void Chi(uint64_t* out, uint64_t b0, uint64_t b1, uint64_t b2, uint64_t b3, uint64_t b4) {
  out[0] = b0 ^ (~b1 & b2);
  out[1] = b1 ^ (~b2 & b3);
  out[2] = b2 ^ (~b3 & b4);
  out[3] = b3 ^ (~b4 & b0);
  out[4] = b4 ^ (~b0 & b1);
}

// One round from `a` to `e`. Rho and pi are merged into the lanes that each row of chi reads.
inline void Round(const uint64_t* a, uint64_t* e, uint64_t constant) {
  const uint64_t c0 = a[0] ^ a[5] ^ a[10] ^ a[15] ^ a[20];
  const uint64_t c1 = a[1] ^ a[6] ^ a[11] ^ a[16] ^ a[21];
  const uint64_t c2 = a[2] ^ a[7] ^ a[12] ^ a[17] ^ a[22];
  const uint64_t c3 = a[3] ^ a[8] ^ a[13] ^ a[18] ^ a[23];
  const uint64_t c4 = a[4] ^ a[9] ^ a[14] ^ a[19] ^ a[24];
  const uint64_t d0 = c4 ^ Rotate<1>(c1);
  const uint64_t d1 = c0 ^ Rotate<1>(c2);
  const uint64_t d2 = c1 ^ Rotate<1>(c3);
  const uint64_t d3 = c2 ^ Rotate<1>(c4);
  const uint64_t d4 = c3 ^ Rotate<1>(c0);
  Chi(e + 0, a[0] ^ d0, Rotate<44>(a[6] ^ d1), Rotate<43>(a[12] ^ d2), Rotate<21>(a[18] ^ d3), Rotate<14>(a[24] ^ d4));
  e[0] ^= constant;
  Chi(e + 5, Rotate<28>(a[3] ^ d3), Rotate<20>(a[9] ^ d4), Rotate<3>(a[10] ^ d0), Rotate<45>(a[16] ^ d1), Rotate<61>(a[22] ^ d2));
  Chi(e + 10, Rotate<1>(a[1] ^ d1), Rotate<6>(a[7] ^ d2), Rotate<25>(a[13] ^ d3), Rotate<8>(a[19] ^ d4), Rotate<18>(a[20] ^ d0));
  Chi(e + 15, Rotate<27>(a[4] ^ d4), Rotate<36>(a[5] ^ d0), Rotate<10>(a[11] ^ d1), Rotate<15>(a[17] ^ d2), Rotate<56>(a[23] ^ d3));
  Chi(e + 20, Rotate<62>(a[2] ^ d2), Rotate<55>(a[8] ^ d3), Rotate<39>(a[14] ^ d4), Rotate<41>(a[15] ^ d0), Rotate<2>(a[21] ^ d1));
}

void Absorb(uint64_t state[25], const uint8_t* block) {
  for (size_t i = 0; i < kRate / 8; i++) state[i] ^= Load64(block + 8 * i);
  KeccakPermute(state);
}

void AbsorbAll(uint64_t state[25], const uint8_t* data, size_t size) {
  std::memset(state, 0, kKeccakStateSize);
  for (; size >= kRate; data += kRate, size -= kRate) Absorb(state, data);
  uint8_t last[kRate] = {};
  if (size > 0) std::memcpy(last, data, size);
  last[size] = 0x01;
  last[kRate - 1] |= 0x80;
  Absorb(state, last);
}

}  // namespace

void KeccakPermute(uint64_t state[25]) {
  uint64_t a[25], e[25];
  std::memcpy(a, state, sizeof a);
  for (int round = 0; round < 24; round += 2) {
    Round(a, e, kRoundConstants[round]);
    Round(e, a, kRoundConstants[round + 1]);
  }
  std::memcpy(state, a, sizeof a);
}

void Keccak1600(const uint8_t* data, size_t size, uint8_t out[kKeccakStateSize]) {
  uint64_t state[25];
  AbsorbAll(state, data, size);
  std::memcpy(out, state, kKeccakStateSize);
}

void FastHash(const uint8_t* data, size_t size, uint8_t hash[kHashSize]) {
  uint64_t state[25];
  AbsorbAll(state, data, size);
  std::memcpy(hash, state, kHashSize);
}

}  // namespace wrkz
