// The proofs of work behind one door: the processor's best implementation is taken, every one gives the same hashes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pow/algorithm.h"
#include "pow/argon2.h"
#include "pow/cn_kernel.h"

namespace wrkz {

struct PowInput {
  const uint8_t* data;
  size_t size;  // at least kMinimumInput of the algorithm
};

// Hashes `count` inputs one after another, several interleaved where that is faster. Throws std::bad_alloc only.
void PowHashes(PowAlgorithm algorithm, const PowInput* inputs, size_t count, uint8_t (*hashes)[32]);

// How many hashes of one thread are best computed at once. The first call for an algorithm measures it (a few
// milliseconds, for the oldest algorithms some tenths of a second); not for the JavaScript thread.
size_t BestLanes(PowAlgorithm algorithm);

// The largest number of lanes the current implementation offers.
size_t MostLanes(PowAlgorithm algorithm);

// hash x difficulty < 2^256 with the hash as a little-endian integer. Always true for difficulty 0.
bool CheckHash(const uint8_t hash[32], uint64_t difficulty);

struct PowImplementation {
  const char* name;  // portable, aesni, avx2, avx512
  bool supported;
  CnKernels cryptonight;
  ArgonCompress argon;
};

const PowImplementation& CurrentImplementation();
// By name, or "auto" for the best. False when this processor does not have it.
bool SelectImplementation(const char* name);

}  // namespace wrkz
