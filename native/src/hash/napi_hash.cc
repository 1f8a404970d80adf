#include "hash/napi_hash.h"

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

Napi::Value Keccak1600Js(const Napi::CallbackInfo& info) {
  const Bytes data = RequireBytes(info, 0, "data");
  Keccak1600(data.data, data.size, RequireOutput(info, 1, kKeccakStateSize));
  return info[1];
}

// At least one 32-byte leaf, concatenated.
Bytes RequireLeaves(const Napi::CallbackInfo& info) {
  const Bytes leaves = RequireBytes(info, 0, "hashes");
  if (leaves.size == 0 || leaves.size % kHashSize != 0) {
    throw Napi::RangeError::New(info.Env(), "hashes must be one or more times 32 bytes");
  }
  return leaves;
}

Napi::Value TreeHashJs(const Napi::CallbackInfo& info) {
  const Bytes leaves = RequireLeaves(info);
  TreeHash(leaves.data, leaves.size / kHashSize, RequireOutput(info, 1, kHashSize));
  return info[1];
}

Napi::Value TreeBranchJs(const Napi::CallbackInfo& info) {
  const Bytes leaves = RequireLeaves(info);
  const size_t count = leaves.size / kHashSize;
  TreeBranch(leaves.data, count, RequireOutput(info, 1, TreeDepth(count) * kHashSize));
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
  exports.Set("keccak1600", Napi::Function::New(env, Keccak1600Js));
  exports.Set("treeHash", Napi::Function::New(env, TreeHashJs));
  exports.Set("treeBranch", Napi::Function::New(env, TreeBranchJs));
  exports.Set("treeHashFromBranch", Napi::Function::New(env, TreeHashFromBranchJs));
}

}  // namespace wrkz
