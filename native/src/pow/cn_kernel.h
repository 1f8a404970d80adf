// What every CryptoNight implementation offers: the part between the first Keccak and the last one
// (docs/protocol/proof-of-work.md#cryptonight-family).
#pragma once

#include <cstddef>
#include <cstdint>

#include "pow/algorithm.h"

namespace wrkz {

// One hash under way. `pad` is 64-byte aligned and holds the algorithm's scratchpad.
struct alignas(64) CnLane {
  uint8_t state[208];  // the 200-byte Keccak state; the tail keeps 16-byte loads inside
  uint64_t tweak = 0;  // variant 1 only
  uint8_t* pad = nullptr;
};

// Fills the pads, runs the rounds and folds the pads back into the states, for a fixed number of lanes whose pads stand one
// after another.
using CnKernel = void (*)(CnLane* lanes);

inline constexpr size_t kMaxLanes = 8;

// run[algorithm][lanes - 1]; null where an implementation has no such number of lanes. One lane always exists.
struct CnKernels {
  CnKernel run[kCnAlgorithms][kMaxLanes] = {};
};

CnKernels PortableKernels();
#if WRKZ_X86
CnKernels AesniKernels();
CnKernels Avx2Kernels();
CnKernels Avx512Kernels();
#endif
#if WRKZ_ARM64
CnKernels Armv8Kernels();
#endif

}  // namespace wrkz
