// Four lanes on AVX2 with FMA. Only called after the processor was asked (batch.cc).
#include "curve/field_avx2.h"
#include "curve/lanes.h"

namespace wrkz::curve {

// Where everything is public the single forms skip most additions, which four lanes do not make up for.
const BatchKernels kAvx2Kernels{4,
                                LaneForms<Field4>::CheckKeys,
                                SinglePrimeOrders,
                                LaneForms<Field4>::Derivations,
                                LaneForms<Field4>::Underive,
                                LaneForms<Field4>::KeyImages,
                                nullptr};

}  // namespace wrkz::curve
