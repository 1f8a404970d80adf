#define WRKZ_X86_NAMESPACE avx2
#include "pow/cn_x86.h"

namespace wrkz {

CnKernels Avx2Kernels() { return avx2::AllKernels(); }

}  // namespace wrkz
