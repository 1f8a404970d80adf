#define WRKZ_X86_NAMESPACE aesni
#include "pow/cn_x86.h"

namespace wrkz {

CnKernels AesniKernels() { return aesni::AllKernels(); }

}  // namespace wrkz
