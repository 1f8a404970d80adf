// Every module registers its functions on the one exports object of the addon.
#pragma once

#include <napi.h>

namespace wrkz {

void RegisterPool(Napi::Env env, Napi::Object exports);
void RegisterHash(Napi::Env env, Napi::Object exports);
void RegisterPow(Napi::Env env, Napi::Object exports);
void RegisterSearch(Napi::Env env, Napi::Object exports);
void RegisterKeys(Napi::Env env, Napi::Object exports);
void RegisterSubWallets(Napi::Env env, Napi::Object exports);
void RegisterCurveBatches(Napi::Env env, Napi::Object exports);

}  // namespace wrkz
