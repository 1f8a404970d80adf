// Entry point of the addon: every module registers its functions on one exports object.
#include <napi.h>

#include "common/async.h"
#include "common/napi_modules.h"

namespace {

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  wrkz::InitAsync(env);  // first: the other modules may start asynchronous work
  wrkz::RegisterPool(env, exports);
  wrkz::RegisterHash(env, exports);
  wrkz::RegisterPow(env, exports);
  wrkz::RegisterSearch(env, exports);
  wrkz::RegisterKeys(env, exports);
  wrkz::RegisterSubWallets(env, exports);
  wrkz::RegisterCurveBatches(env, exports);
  return exports;
}

}  // namespace

NODE_API_MODULE(wrkz_native, Init)
