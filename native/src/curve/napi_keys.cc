// Keys, key images and ring signatures, one at a time. Results are written to the output buffer, the last argument. Functions that decode
// a point return false if it does not decode, otherwise true.
#include <cstring>

#include "common/bytes.h"
#include "common/napi_modules.h"
#include "common/napi_util.h"
#include "curve/keys.h"
#include "curve/random.h"
#include "curve/signatures.h"
#include "hash/keccak.h"

namespace wrkz {
namespace {

using namespace curve;

const uint8_t* Key(const Napi::CallbackInfo& info, size_t index, const char* name) {
  return RequireBytes(info, index, name, kKeySize).data;
}

uint8_t* KeyOutput(const Napi::CallbackInfo& info, size_t index) { return RequireOutput(info, index, kKeySize); }

// An output index: a number, or a bigint for values that a number cannot represent.
uint64_t OutputIndex(const Napi::CallbackInfo& info, size_t index) {
  constexpr uint64_t kMaxNumber = (uint64_t{1} << 53) - 1;
  if (info[index].IsBigInt()) return RequireUint64(info, index, "output index");
  return RequireInteger(info, index, "output index", kMaxNumber);
}

Napi::Value Bool(const Napi::CallbackInfo& info, bool value) { return Napi::Boolean::New(info.Env(), value); }

// randomKeyPair(secretOutput, publicOutput)
Napi::Value RandomKeyPairJs(const Napi::CallbackInfo& info) {
  uint8_t* secret = KeyOutput(info, 0);
  uint8_t* key = KeyOutput(info, 1);
  ScalarToBytes(RandomScalar(), secret);
  PublicFromSecret(secret, key);
  return info.Env().Undefined();
}

// publicFromSecret(secret, output): false if the secret is not less than l
Napi::Value PublicFromSecretJs(const Napi::CallbackInfo& info) {
  const uint8_t* secret = Key(info, 0, "secret key");
  uint8_t* output = KeyOutput(info, 1);
  if (!IsReduced(secret)) return Bool(info, false);
  PublicFromSecret(secret, output);
  return Bool(info, true);
}

Napi::Value CheckKeyJs(const Napi::CallbackInfo& info) { return Bool(info, CheckKey(Key(info, 0, "public key"))); }

Napi::Value CheckScalarJs(const Napi::CallbackInfo& info) { return Bool(info, IsReduced(Key(info, 0, "scalar"))); }

Napi::Value IsPrimeOrderJs(const Napi::CallbackInfo& info) { return Bool(info, IsPrimeOrder(Key(info, 0, "point"))); }

Napi::Value ScalarReduceJs(const Napi::CallbackInfo& info) {
  ScalarToBytes(Reduce32(Key(info, 0, "scalar")), KeyOutput(info, 1));
  return info.Env().Undefined();
}

Napi::Value MultiplyKeyJs(const Napi::CallbackInfo& info) {
  return Bool(info, MultiplyKey(Key(info, 0, "point"), Key(info, 1, "scalar"), KeyOutput(info, 2)));
}

Napi::Value KeyDerivationJs(const Napi::CallbackInfo& info) {
  return Bool(info, KeyDerivation(Key(info, 0, "public key"), Key(info, 1, "secret key"), KeyOutput(info, 2)));
}

Napi::Value DerivationToScalarJs(const Napi::CallbackInfo& info) {
  const uint64_t index = OutputIndex(info, 1);
  ScalarToBytes(DerivationToScalar(Key(info, 0, "derivation"), index), KeyOutput(info, 2));
  return info.Env().Undefined();
}

Napi::Value DerivePublicKeyJs(const Napi::CallbackInfo& info) {
  const uint64_t index = OutputIndex(info, 1);
  return Bool(info, DerivePublicKey(Key(info, 0, "derivation"), index, Key(info, 2, "base"), KeyOutput(info, 3)));
}

Napi::Value UnderivePublicKeyJs(const Napi::CallbackInfo& info) {
  const uint64_t index = OutputIndex(info, 1);
  return Bool(info, UnderivePublicKey(Key(info, 0, "derivation"), index, Key(info, 2, "key"), KeyOutput(info, 3)));
}

Napi::Value DeriveSecretKeyJs(const Napi::CallbackInfo& info) {
  const uint64_t index = OutputIndex(info, 1);
  const Scalar base = ScalarFromBytes(Key(info, 2, "base"));
  ScalarToBytes(AddScalars(DerivationToScalar(Key(info, 0, "derivation"), index), base), KeyOutput(info, 3));
  return info.Env().Undefined();
}

Napi::Value KeyImageJs(const Napi::CallbackInfo& info) {
  KeyImage(Key(info, 0, "public key"), Key(info, 1, "secret key"), KeyOutput(info, 2));
  return info.Env().Undefined();
}

Napi::Value HashToScalarJs(const Napi::CallbackInfo& info) {
  const Bytes data = RequireBytes(info, 0, "data");
  ScalarToBytes(HashToScalar(data.data, data.size), KeyOutput(info, 1));
  return info.Env().Undefined();
}

Napi::Value HashToPointJs(const Napi::CallbackInfo& info) {
  const Bytes data = RequireBytes(info, 0, "data");
  EncodePoint(HashToPoint(data.data, data.size), KeyOutput(info, 1));
  return info.Env().Undefined();
}

Napi::Value PointFromFieldJs(const Napi::CallbackInfo& info) {
  EncodePoint(PointFromField(Key(info, 0, "data")), KeyOutput(info, 1));
  return info.Env().Undefined();
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
  return Bool(info, CheckRing(ring, signatures.data));
}

}  // namespace

void RegisterKeys(Napi::Env env, Napi::Object exports) {
  const auto set = [&](const char* name, Napi::Value (*function)(const Napi::CallbackInfo&)) {
    exports.Set(name, Napi::Function::New(env, function, name));
  };
  set("randomKeyPair", RandomKeyPairJs);
  set("publicFromSecret", PublicFromSecretJs);
  set("checkKey", CheckKeyJs);
  set("checkScalar", CheckScalarJs);
  set("isPrimeOrder", IsPrimeOrderJs);
  set("scalarReduce32", ScalarReduceJs);
  set("multiplyKey", MultiplyKeyJs);
  set("keyDerivation", KeyDerivationJs);
  set("derivationToScalar", DerivationToScalarJs);
  set("derivePublicKey", DerivePublicKeyJs);
  set("underivePublicKey", UnderivePublicKeyJs);
  set("deriveSecretKey", DeriveSecretKeyJs);
  set("keyImage", KeyImageJs);
  set("hashToScalar", HashToScalarJs);
  set("hashToPoint", HashToPointJs);
  set("pointFromField", PointFromFieldJs);
  set("signRing", SignRingJs);
  set("checkRing", CheckRingJs);
}

}  // namespace wrkz
