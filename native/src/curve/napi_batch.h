// Batches of keys, rings or outputs on the native threads. Inputs are copied before the call returns. Lists are
// concatenated in one buffer, and a Uint32Array has their counts.
#pragma once

#include <napi.h>

namespace wrkz {

void RegisterCurveBatches(Napi::Env env, Napi::Object exports);

}  // namespace wrkz
