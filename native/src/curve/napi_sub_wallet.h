// Deterministic keys of sub-wallets: computed synchronously for small indexes, on a native thread for large ones.
#pragma once

#include <napi.h>

namespace wrkz {

void RegisterSubWallets(Napi::Env env, Napi::Object exports);

}  // namespace wrkz
