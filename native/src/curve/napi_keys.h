// Keys, key images, signatures and ring signatures, one at a time. Results are written to the output buffer, the last
// argument. Functions that decode a point return false if it does not decode, otherwise true.
#pragma once

#include <napi.h>

namespace wrkz {

void RegisterKeys(Napi::Env env, Napi::Object exports);
void RegisterSignatures(Napi::Env env, Napi::Object exports);

}  // namespace wrkz
