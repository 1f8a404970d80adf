#define WRKZ_VECTOR_NAMESPACE aesni
#include "pow/vector_x86.h"

#include "pow/cn_lanes.h"

namespace wrkz {

CnKernels AesniKernels() { return aesni::AllKernels(); }

}  // namespace wrkz
