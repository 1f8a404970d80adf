// Eight lanes on AVX-512 with IFMA. Only called after the processor was asked (batch.cc).
#include "curve/field_ifma.h"
#include "curve/lanes.h"

namespace wrkz::curve {

const BatchKernels kIfmaKernels = LaneForms<Field8>::Kernels();

}  // namespace wrkz::curve
