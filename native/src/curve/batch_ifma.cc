// Eight lanes on AVX-512 with IFMA. Only called after batch.cc has detected these features.
#include "curve/field_ifma.h"
#include "curve/lanes_public.h"

namespace wrkz::curve {

const BatchKernels kIfmaKernels = KernelsOf<Field8>();

}  // namespace wrkz::curve
