#include "curve/batch.h"

#include <atomic>

#include "common/cpu.h"

namespace wrkz::curve {
namespace {

std::atomic<size_t> lane_limit{8};
std::atomic<const BatchKernels*> forced{nullptr};

bool HasFourLanes() { return Cpu().fma; }
bool HasEightLanes() { return Cpu().avx512 && Cpu().ifma; }

// Null if this processor has no kernels with this number of lanes.
const BatchKernels* KernelsOf(size_t lanes) {
  if (lanes == 1) return &kSingleKernels;
#if defined(WRKZ_X86)
  if (lanes == 4 && HasFourLanes()) return &kAvx2Kernels;
  if (lanes == 8 && HasEightLanes()) return &kIfmaKernels;
#endif
  return nullptr;
}

}  // namespace

const BatchKernels& KernelsFor(size_t count) {
  if (const BatchKernels* kernels = forced.load(std::memory_order_relaxed)) return *kernels;
#if defined(WRKZ_X86)
  const size_t limit = lane_limit.load(std::memory_order_relaxed);
  if (limit >= 8 && count >= 3 && HasEightLanes()) return kIfmaKernels;
  if (limit >= 4 && count >= 3 && HasFourLanes()) return kAvx2Kernels;
#endif
  return kSingleKernels;
}

void LimitLanes(size_t limit) { lane_limit = limit; }

size_t LanesInUse() { return KernelsFor(SIZE_MAX).lanes; }

bool ForceLanes(size_t lanes) {
  const BatchKernels* kernels = lanes == 0 ? nullptr : KernelsOf(lanes);
  if (lanes != 0 && kernels == nullptr) return false;
  forced = kernels;
  return true;
}

}  // namespace wrkz::curve
