// What the processor can do, asked once. Paths are chosen by these flags, never by a model's name.
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
  bool armAes = false;  // AES instructions of ARMv8, and SHA-2, which compilers switch on with them
};

// Features the processor has and the operating system saves registers for.
const CpuFeatures& Cpu();

// The processor's time stamp counter, 0 where there is none. Counts at a constant rate, not in core cycles.
uint64_t TimeStamp();

}  // namespace wrkz
