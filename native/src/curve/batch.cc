#include "curve/batch.h"

#include <atomic>

#include "common/cpu.h"

namespace wrkz::curve {
namespace {

bool IfmaSupported() {
#if defined(WRKZ_X86)
  return Cpu().avx512 && Cpu().ifma;
#else
  return false;
#endif
}

std::atomic<bool> portable_only{false};

}  // namespace

const BatchKernels& KernelsFor(size_t count) {
#if defined(WRKZ_X86)
  if (count >= 3 && IfmaSupported() && !portable_only.load(std::memory_order_relaxed)) return kIfmaKernels;
#endif
  return kSingleKernels;
}

void AllowLanes(bool allowed) { portable_only = !allowed; }

size_t LanesInUse() { return KernelsFor(SIZE_MAX).lanes; }

}  // namespace wrkz::curve
