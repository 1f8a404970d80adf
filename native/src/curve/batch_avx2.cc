// Four lanes on AVX2 with FMA. Only called after batch.cc has detected these features.
#include "curve/field_avx2.h"
#include "curve/lanes_public.h"

namespace wrkz::curve {

const BatchKernels kAvx2Kernels = KernelsOf<Field4>();

}  // namespace wrkz::curve
