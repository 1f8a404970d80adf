#include "common/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace wrkz {
namespace {

#if defined(__x86_64__)
// The register sets that the operating system saves (XCR0). A feature is usable only if its registers are saved.
uint64_t SavedRegisters() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

CpuFeatures Detect() {
  CpuFeatures found;
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return found;
  const bool sse41 = c & (1u << 19);
  const bool aes = c & (1u << 25);
  const bool osxsave = c & (1u << 27);
  const bool fma = c & (1u << 12);
  found.aesni = sse41 && aes;
  const uint64_t saved = osxsave ? SavedRegisters() : 0;
  const bool ymm = (saved & 0x06) == 0x06;
  const bool zmm = (saved & 0xe6) == 0xe6;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return found;
  const auto has = [](unsigned word, int bit) { return (word >> bit) & 1u; };
  found.avx2 = ymm && has(b, 5);
  found.bmi2 = has(b, 8);
  found.fma = found.avx2 && fma;
  found.avx512 = found.avx2 && zmm && has(b, 16) && has(b, 17) && has(b, 30) && has(b, 31);
  found.ifma = found.avx512 && has(b, 21);
  found.vaes = found.avx2 && found.aesni && has(c, 9);
  return found;
}
#elif defined(__aarch64__) && defined(__linux__)
CpuFeatures Detect() {
  CpuFeatures found;
  constexpr unsigned long kWanted = HWCAP_AES | HWCAP_SHA2;
  found.armAes = (getauxval(AT_HWCAP) & kWanted) == kWanted;
  return found;
}
#elif defined(__aarch64__) && defined(__APPLE__)
CpuFeatures Detect() {
  CpuFeatures found;
  const auto has = [](const char* name) {
    int value = 0;
    size_t size = sizeof value;
    return sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value != 0;
  };
  found.armAes = has("hw.optional.arm.FEAT_AES") && has("hw.optional.arm.FEAT_SHA256");
  return found;
}
#else
CpuFeatures Detect() { return {}; }
#endif

}  // namespace

const CpuFeatures& Cpu() {
  static const CpuFeatures features = Detect();
  return features;
}

uint64_t TimeStamp() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

}  // namespace wrkz
