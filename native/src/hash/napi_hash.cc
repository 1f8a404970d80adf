// cnFastHash(data, out32), treeHash(leaves, out32), treeHashFromBranch(branch, leaf, path | null, out32)
#include "common/napi_modules.h"
#include "common/napi_util.h"
#include "hash/keccak.h"
#include "hash/tree.h"

namespace wrkz {
namespace {

Napi::Value FastHashJs(const Napi::CallbackInfo& info) {
  const Bytes data = RequireBytes(info, 0, "data");
  FastHash(data.data, data.size, RequireOutput(info, 1, kHashSize));
  return info[1];
}

Napi::Value TreeHashJs(const Napi::CallbackInfo& info) {
  const Bytes leaves = RequireBytes(info, 0, "hashes");
  if (leaves.size == 0 || leaves.size % kHashSize != 0) {
    throw Napi::RangeError::New(info.Env(), "hashes must be one or more times 32 bytes");
  }
  TreeHash(leaves.data, leaves.size / kHashSize, RequireOutput(info, 1, kHashSize));
  return info[1];
}

Napi::Value TreeHashFromBranchJs(const Napi::CallbackInfo& info) {
  const Bytes branch = RequireBytes(info, 0, "branch");
  const Bytes leaf = RequireBytes(info, 1, "leaf", kHashSize);
  const bool hasPath = !info[2].IsNull();
  const Bytes path = hasPath ? RequireBytes(info, 2, "path", kHashSize) : Bytes{};
  // A path has 256 bits: a deeper branch would read past its end.
  if (branch.size % kHashSize != 0 || branch.size / kHashSize > 256) {
    throw Napi::RangeError::New(info.Env(), "branch must be at most 256 times 32 bytes");
  }
  TreeHashFromBranch(branch.data, branch.size / kHashSize, leaf.data, path.data, RequireOutput(info, 3, kHashSize));
  return info[3];
}

}  // namespace

void RegisterHash(Napi::Env env, Napi::Object exports) {
  exports.Set("cnFastHash", Napi::Function::New(env, FastHashJs));
  exports.Set("treeHash", Napi::Function::New(env, TreeHashJs));
  exports.Set("treeHashFromBranch", Napi::Function::New(env, TreeHashFromBranchJs));
}

}  // namespace wrkz
