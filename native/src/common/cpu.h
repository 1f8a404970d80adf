// What the processor can do, asked once. Paths are chosen by these flags, never by a model's name.
#pragma once

namespace wrkz {

struct CpuFeatures {
  bool aesni = false;   // AES-NI with SSE4.1
  bool avx2 = false;
  bool avx512 = false;  // F, BW, DQ and VL together
  bool vaes = false;
  bool ifma = false;
};

// Features the processor has and the operating system saves registers for.
const CpuFeatures& Cpu();

}  // namespace wrkz
