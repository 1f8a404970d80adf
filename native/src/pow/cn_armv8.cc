// CryptoNight with the AES instructions of ARMv8. Only called after implementation.cc has detected them.
#define WRKZ_VECTOR_NAMESPACE armv8
#include "pow/cn_lanes.h"

namespace wrkz {

CnKernels Armv8Kernels() { return armv8::AllKernels(); }

}  // namespace wrkz
