#include <string>

#include "common/napi_util.h"
#include "curve/keys.h"
#include "curve/napi_keys.h"
#include "curve/signatures.h"

namespace wrkz {
namespace {

using namespace curve;

// sign(hash, key, secret, output64)
Napi::Value SignJs(const Napi::CallbackInfo& info) {
  const Bytes hash = RequireBytes(info, 0, "hash", 32);
  const Bytes key = RequireBytes(info, 1, "public key", kKeySize);
  const Bytes secret = RequireBytes(info, 2, "secret key", kKeySize);
  Sign(hash.data, key.data, secret.data, RequireOutput(info, 3, kSignatureSize));
  return info.Env().Undefined();
}

// checkSignature(hash, key, signature)
Napi::Value CheckSignatureJs(const Napi::CallbackInfo& info) {
  const Bytes hash = RequireBytes(info, 0, "hash", 32);
  const Bytes key = RequireBytes(info, 1, "public key", kKeySize);
  const Bytes signature = RequireBytes(info, 2, "signature", kSignatureSize);
  return Napi::Boolean::New(info.Env(), CheckSignature(hash.data, key.data, signature.data));
}

// Arguments 0 to 2: prefix hash, key image, concatenated keys of the ring members.
Ring RequireRing(const Napi::CallbackInfo& info) {
  const Bytes prefixHash = RequireBytes(info, 0, "prefix hash", 32);
  const Bytes keyImage = RequireBytes(info, 1, "key image", kKeySize);
  const Bytes keys = RequireBytes(info, 2, "public keys");
  if (keys.size % kKeySize != 0) throw Napi::RangeError::New(info.Env(), "public keys must be 32 bytes each");
  return {prefixHash.data, keyImage.data, keys.data, keys.size / kKeySize};
}

// signRing(prefixHash, keyImage, keys, secret, real, output): '' or an error message
Napi::Value SignRingJs(const Napi::CallbackInfo& info) {
  const Ring ring = RequireRing(info);
  const Bytes secret = RequireBytes(info, 3, "secret key", kKeySize);
  if (ring.members == 0) throw Napi::RangeError::New(info.Env(), "a ring needs a member");
  const uint64_t real = RequireInteger(info, 4, "real index", ring.members - 1);
  uint8_t* output = RequireOutput(info, 5, ring.members * kSignatureSize);
  switch (SignRing(ring, static_cast<size_t>(real), secret.data, output)) {
    case SignResult::kInvalidKeyImage:
      return Napi::String::New(info.Env(), "invalid key image");
    case SignResult::kInvalidMember:
      return Napi::String::New(info.Env(), "invalid public key in the ring");
    case SignResult::kOk:
      break;
  }
  return Napi::String::New(info.Env(), "");
}

// checkRing(prefixHash, keyImage, keys, signatures)
Napi::Value CheckRingJs(const Napi::CallbackInfo& info) {
  const Ring ring = RequireRing(info);
  const Bytes signatures = RequireBytes(info, 3, "signatures", ring.members * kSignatureSize);
  return Napi::Boolean::New(info.Env(), CheckRing(ring, signatures.data));
}

}  // namespace

void RegisterSignatures(Napi::Env env, Napi::Object exports) {
  exports.Set("sign", Napi::Function::New(env, SignJs));
  exports.Set("checkSignature", Napi::Function::New(env, CheckSignatureJs));
  exports.Set("signRing", Napi::Function::New(env, SignRingJs));
  exports.Set("checkRing", Napi::Function::New(env, CheckRingJs));
}

}  // namespace wrkz
