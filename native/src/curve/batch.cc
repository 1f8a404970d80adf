#include "curve/batch.h"

#include <atomic>

#include "common/cpu.h"

namespace wrkz::curve {
namespace {

std::atomic<size_t> lane_limit{8};

}  // namespace

const BatchKernels& KernelsFor(size_t count) {
#if defined(WRKZ_X86)
  const size_t limit = lane_limit.load(std::memory_order_relaxed);
  const CpuFeatures& cpu = Cpu();
  if (limit >= 8 && count >= 3 && cpu.avx512 && cpu.ifma) return kIfmaKernels;
  if (limit >= 4 && count >= 3 && cpu.avx2) return kAvx2Kernels;
#endif
  return kSingleKernels;
}

void LimitLanes(size_t limit) { lane_limit = limit; }

size_t LanesInUse() { return KernelsFor(SIZE_MAX).lanes; }

}  // namespace wrkz::curve
