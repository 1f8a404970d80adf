// powHash(algorithm, data, out32), powHashMany(algorithms, lengths, data): Promise<Buffer>, checkHash(hash, difficulty),
// powLanes(algorithm): Promise<number>, implementation(), setImplementation(name), cpuFeatures(), timeStamp()
#pragma once

#include <napi.h>

#include "pow/algorithm.h"

namespace wrkz {

void RegisterPow(Napi::Env env, Napi::Object exports);

// Argument `index` as one of the algorithms. Throws TypeError or RangeError otherwise.
PowAlgorithm RequireAlgorithm(const Napi::CallbackInfo& info, size_t index);
// Throws RangeError if the input is shorter than the algorithm requires.
void RequireInputSize(Napi::Env env, PowAlgorithm algorithm, size_t size);

}  // namespace wrkz
