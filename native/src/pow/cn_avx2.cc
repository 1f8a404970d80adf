#define WRKZ_VECTOR_NAMESPACE avx2
#include "pow/cn_lanes.h"

namespace wrkz {

CnKernels Avx2Kernels() { return avx2::AllKernels(); }

}  // namespace wrkz
