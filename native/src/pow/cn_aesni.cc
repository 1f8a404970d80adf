#define WRKZ_VECTOR_NAMESPACE aesni
#include "pow/cn_lanes.h"

namespace wrkz {

CnKernels AesniKernels() { return aesni::AllKernels(); }

}  // namespace wrkz
