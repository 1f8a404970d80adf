// Many keys, rings or outputs on the native threads. Inputs are copied before the call returns; lists stand one after
// another in one buffer, with their counts in a Uint32Array beside them.
#pragma once

#include <napi.h>

namespace wrkz {

void RegisterCurveBatches(Napi::Env env, Napi::Object exports);

}  // namespace wrkz
