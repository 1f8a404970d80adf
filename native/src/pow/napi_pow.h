// Arguments that the proofs of work and the nonce search have in common.
#pragma once

#include <napi.h>

#include "pow/algorithm.h"

namespace wrkz {

// Argument `index` as one of the algorithms. Throws TypeError or RangeError otherwise.
PowAlgorithm RequireAlgorithm(const Napi::CallbackInfo& info, size_t index);
// Throws RangeError if the input is shorter than the algorithm requires.
void RequireInputSize(Napi::Env env, PowAlgorithm algorithm, size_t size);

}  // namespace wrkz
