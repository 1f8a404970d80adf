#define WRKZ_X86_NAMESPACE avx512
#include "pow/cn_x86.h"

namespace wrkz {

CnKernels Avx512Kernels() { return avx512::AllKernels(); }

}  // namespace wrkz
