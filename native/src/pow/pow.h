// Common interface of the proofs of work. Uses the best implementation for the processor; all return the same hashes.
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

// Hashes `count` inputs, several of them interleaved if that is faster. Throws only std::bad_alloc.
void PowHashes(PowAlgorithm algorithm, const PowInput* inputs, size_t count, uint8_t (*hashes)[32]);

// Optimal number of interleaved hashes per thread. The first call for an algorithm measures it (a few milliseconds, for
// the oldest algorithms some tenths of a second). Do not call it on the JavaScript thread.
size_t BestLanes(PowAlgorithm algorithm);

// Maximum number of lanes of the current implementation.
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
// Selects an implementation by name, or the best one with "auto". False if this processor does not support it.
bool SelectImplementation(const char* name);

}  // namespace wrkz
