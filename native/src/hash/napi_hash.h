// cnFastHash(data, out32), keccak1600(data, out200), treeHash(leaves, out32), treeBranch(leaves, out),
// treeHashFromBranch(branch, leaf, path | null, out32)
#pragma once

#include <napi.h>

namespace wrkz {

void RegisterHash(Napi::Env env, Napi::Object exports);

}  // namespace wrkz
