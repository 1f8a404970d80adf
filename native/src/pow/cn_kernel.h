// Interface of the CryptoNight implementations: the part between the first and the last Keccak
// (docs/protocol/proof-of-work.md#cryptonight-family).
#pragma once

#include <cstddef>
#include <cstdint>

#include "pow/algorithm.h"

namespace wrkz {

// State of one hash. `pad` is 64-byte aligned and is the scratchpad of the algorithm.
struct alignas(64) CnLane {
  uint8_t state[208];  // the 200-byte Keccak state; padding for 16-byte loads
  uint64_t tweak = 0;  // variant 1 only
  uint8_t* pad = nullptr;
};

// Fills the pads, runs the rounds and compresses the pads into the states, for a fixed number of lanes with adjacent
// pads.
using CnKernel = void (*)(CnLane* lanes);

inline constexpr size_t kMaxLanes = 8;

// run[algorithm][lanes - 1]; null if the implementation does not support the number of lanes. One lane always exists.
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
