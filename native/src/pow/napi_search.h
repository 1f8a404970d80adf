// startSearch(algorithm, data, nonceOffset, nonceSize, difficulty, first, last, threads, done): {stop(), hashes(): bigint}
// done(error: string | null, nonce: bigint | null, hash: Buffer | null) is called once.
#pragma once

#include <napi.h>

namespace wrkz {

void RegisterSearch(Napi::Env env, Napi::Object exports);

}  // namespace wrkz
