#include "pow/pow.h"

#include <algorithm>
#include <cstring>

#include "common/bytes.h"
#include "hash/finalizers.h"
#include "hash/keccak.h"
#include "pow/scratchpad.h"

namespace wrkz {
namespace {

void StartLane(CnLane& lane, PowAlgorithm algorithm, const PowInput& input) {
  Keccak1600(input.data, input.size, lane.state);
  if (kCnParams[static_cast<size_t>(algorithm)].variant == 1) {
    lane.tweak = Load64(lane.state + 192) ^ Load64(input.data + 35);
  }
}

void FinishLane(CnLane& lane, uint8_t hash[32]) {
  uint64_t state[25];
  std::memcpy(state, lane.state, sizeof state);
  KeccakPermute(state);
  std::memcpy(lane.state, state, sizeof state);
  constexpr void (*finalizers[4])(const uint8_t*, size_t, uint8_t*) = {Blake256, Groestl256, Jh256, Skein512_256};
  finalizers[lane.state[0] & 3](lane.state, kKeccakStateSize, hash);
}

void CryptoNight(PowAlgorithm algorithm, const PowInput* inputs, size_t lanes, CnKernel kernel, uint8_t (*hashes)[32]) {
  const size_t padSize = kCnParams[static_cast<size_t>(algorithm)].scratchpad;
  uint8_t* pads = ThreadScratchpad(lanes * padSize);
  CnLane lane[kMaxLanes];
  for (size_t i = 0; i < lanes; i++) {
    lane[i].pad = pads + i * padSize;
    StartLane(lane[i], algorithm, inputs[i]);
  }
  kernel(lane);
  for (size_t i = 0; i < lanes; i++) FinishLane(lane[i], hashes[i]);
}

}  // namespace

void PowHashes(PowAlgorithm algorithm, const PowInput* inputs, size_t count, uint8_t (*hashes)[32]) {
  const PowImplementation& implementation = CurrentImplementation();
  if (algorithm == PowAlgorithm::Chukwa) {
    auto* memory = reinterpret_cast<uint64_t*>(ThreadScratchpad(kChukwaMemory));
    for (size_t i = 0; i < count; i++) Chukwa(inputs[i].data, inputs[i].size, memory, implementation.argon, hashes[i]);
    return;
  }
  const CnKernel* kernels = implementation.cryptonight.run[static_cast<size_t>(algorithm)];
  for (size_t at = 0; at < count;) {
    size_t lanes = std::min(count - at, kMaxLanes);
    while (kernels[lanes - 1] == nullptr) lanes--;
    CryptoNight(algorithm, inputs + at, lanes, kernels[lanes - 1], hashes + at);
    at += lanes;
  }
}

bool CheckHash(const uint8_t hash[32], uint64_t difficulty) {
  unsigned __int128 carry = 0;
  for (int i = 0; i < 4; i++) {
    carry += static_cast<unsigned __int128>(Load64(hash + 8 * i)) * difficulty;
    carry >>= 64;
  }
  return carry == 0;
}

}  // namespace wrkz
