// Processor features, detected once. These flags select the code paths, never the name of a model.
#pragma once

#include <cstdint>

#if defined(_WIN32)
#error "Windows is not supported: build on Linux (WSL 2 will do) or macOS"
#endif

namespace wrkz {

struct CpuFeatures {
  bool aesni = false;   // AES-NI with SSE4.1
  bool avx2 = false;
  bool bmi2 = false;
  bool fma = false;
  bool avx512 = false;  // F, BW, DQ and VL together
  bool vaes = false;
  bool ifma = false;
  bool armAes = false;  // AES instructions of ARMv8, and SHA-2, which compilers enable together with AES
};

// Features that the processor supports and for which the operating system saves the registers.
const CpuFeatures& Cpu();

// The time stamp counter of the processor, 0 if there is none. Counts at a constant rate, not in core cycles.
uint64_t TimeStamp();

}  // namespace wrkz
