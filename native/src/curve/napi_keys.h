// Keys, key images, signatures and ring signatures, one at a time. Results go into the output buffer given last; a
// function that can fail on a point that does not decode returns whether it did not.
#pragma once

#include <napi.h>

namespace wrkz {

void RegisterKeys(Napi::Env env, Napi::Object exports);
void RegisterSignatures(Napi::Env env, Napi::Object exports);

}  // namespace wrkz
