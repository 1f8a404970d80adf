// Batches of keys, rings or outputs on the native threads. Inputs are copied before the call returns. Lists are
// concatenated in one buffer, and a Uint32Array has their counts.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/async.h"
#include "common/napi_modules.h"
#include "common/napi_util.h"
#include "curve/batch.h"
#include "curve/keys.h"
#include "curve/scan.h"
#include "curve/signatures.h"

namespace wrkz {
namespace {

using namespace curve;

// Large enough for full lanes, small enough to distribute over the threads.
constexpr size_t kKeysPerChunk = 64;
constexpr size_t kMembersPerChunk = 32;
constexpr size_t kOutputsPerChunk = 256;  // a few dozen transactions, whose derivations fill most lanes

size_t Chunks(size_t count, size_t size) { return (count + size - 1) / size; }

// One flag per item; a plain byte array, so that threads can write adjacent flags without a data race.
class Flags {
 public:
  explicit Flags(size_t count) : count_(count), flags_(std::make_unique<bool[]>(count)) {}
  bool* at(size_t index) { return flags_.get() + index; }
  Napi::Value ToJs(Napi::Env env) const {
    auto bytes = Napi::Buffer<uint8_t>::New(env, count_);
    for (size_t i = 0; i < count_; ++i) bytes[i] = flags_[i] ? 1 : 0;
    return bytes;
  }

 private:
  size_t count_;
  std::unique_ptr<bool[]> flags_;
};

std::vector<uint32_t> RequireCounts(const Napi::CallbackInfo& info, size_t index, const char* name) {
  const Napi::Value value = info[index];
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_uint32_array) {
    throw Napi::TypeError::New(info.Env(), std::string(name) + " must be a Uint32Array");
  }
  const auto array = value.As<Napi::Uint32Array>();
  return {array.Data(), array.Data() + array.ElementLength()};
}

size_t Sum(const std::vector<uint32_t>& counts) {
  size_t sum = 0;
  for (const uint32_t count : counts) sum += count;
  return sum;
}

// Consecutive groups of items, each of about `size` units of work.
std::vector<size_t> Boundaries(const std::vector<uint32_t>& counts, size_t size) {
  std::vector<size_t> boundaries{0};
  size_t units = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    units += counts[i] + 1;
    if (units >= size || i + 1 == counts.size()) {
      boundaries.push_back(i + 1);
      units = 0;
    }
  }
  return boundaries;
}

class KeyBatch : public Batch {
 public:
  using Kernel = void (*BatchKernels::*)(const uint8_t* keys, size_t count, bool* valid);

  KeyBatch(Kernel kernel, std::vector<uint8_t> keys)
      : kernel_(kernel), keys_(std::move(keys)), count_(keys_.size() / kKeySize), flags_(count_) {}

  size_t chunks() const override { return Chunks(count_, kKeysPerChunk); }

  void Work(size_t chunk) override {
    const size_t first = chunk * kKeysPerChunk;
    const size_t count = std::min(kKeysPerChunk, count_ - first);
    (KernelsFor(count).*kernel_)(keys_.data() + kKeySize * first, count, flags_.at(first));
  }

  Napi::Value Result(Napi::Env env) override { return flags_.ToJs(env); }

 private:
  Kernel kernel_;
  std::vector<uint8_t> keys_;
  size_t count_;
  Flags flags_;
};

Napi::Value StartKeys(const Napi::CallbackInfo& info, KeyBatch::Kernel kernel) {
  const Bytes keys = RequireBytes(info, 0, "keys");
  if (keys.size % kKeySize != 0) throw Napi::RangeError::New(info.Env(), "keys must be 32 bytes each");
  return StartBatch(info.Env(), std::make_shared<KeyBatch>(kernel, keys.Copy()));
}

// checkKeys(keys): promise of one byte per key
Napi::Value CheckKeysJs(const Napi::CallbackInfo& info) { return StartKeys(info, &BatchKernels::checkKeys); }
// checkPrimeOrders(keys): the same
Napi::Value CheckPrimeOrdersJs(const Napi::CallbackInfo& info) { return StartKeys(info, &BatchKernels::primeOrders); }

class RingBatch : public Batch {
 public:
  RingBatch(const Bytes& prefixHashes, const Bytes& keyImages, const std::vector<uint32_t>& sizes, const Bytes& keys,
            const Bytes& signatures)
      : prefixHashes_(prefixHashes.Copy()),
        keyImages_(keyImages.Copy()),
        keys_(keys.Copy()),
        signatures_(signatures.Copy()),
        boundaries_(Boundaries(sizes, kMembersPerChunk)),
        verdicts_(sizes.size()) {
    size_t member = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      rings_.push_back({prefixHashes_.data() + 32 * i, keyImages_.data() + kKeySize * i,
                        keys_.data() + kKeySize * member, sizes[i]});
      rows_.push_back(signatures_.data() + kSignatureSize * member);
      member += sizes[i];
    }
  }

  size_t chunks() const override { return boundaries_.size() - 1; }

  void Work(size_t chunk) override {
    const size_t first = boundaries_[chunk];
    CheckRings(rings_.data() + first, rows_.data() + first, boundaries_[chunk + 1] - first, verdicts_.data() + first);
  }

  Napi::Value Result(Napi::Env env) override {
    auto bytes = Napi::Buffer<uint8_t>::New(env, verdicts_.size());
    for (size_t i = 0; i < verdicts_.size(); ++i) bytes[i] = (verdicts_[i].valid ? 1 : 0) | (verdicts_[i].primeOrder ? 2 : 0);
    return bytes;
  }

 private:
  std::vector<uint8_t> prefixHashes_, keyImages_, keys_, signatures_;
  std::vector<size_t> boundaries_;
  std::vector<RingVerdict> verdicts_;
  std::vector<Ring> rings_;
  std::vector<const uint8_t*> rows_;
};

// checkRings(prefixHashes, keyImages, sizes, keys, signatures): promise of one byte per ring,
// 1 if its signatures are valid, plus 2 if its key image has prime order
Napi::Value CheckRingsJs(const Napi::CallbackInfo& info) {
  const std::vector<uint32_t> sizes = RequireCounts(info, 2, "sizes");
  const size_t members = Sum(sizes);
  const Bytes prefixHashes = RequireBytes(info, 0, "prefix hashes", 32 * sizes.size());
  const Bytes keyImages = RequireBytes(info, 1, "key images", kKeySize * sizes.size());
  const Bytes keys = RequireBytes(info, 3, "public keys", kKeySize * members);
  const Bytes signatures = RequireBytes(info, 4, "signatures", kSignatureSize * members);
  return StartBatch(info.Env(), std::make_shared<RingBatch>(prefixHashes, keyImages, sizes, keys, signatures));
}

class ScanBatch : public Batch {
 public:
  ScanBatch(const Bytes& viewSecret, const Bytes& keys, const std::vector<uint32_t>& counts, const Bytes& outputs,
            const Bytes& spendKeys)
      : viewSecret_(viewSecret.Copy()),
        keys_(keys.Copy()),
        outputs_(outputs.Copy()),
        spendKeys_(spendKeys.data, spendKeys.size / kKeySize),
        boundaries_(Boundaries(counts, kOutputsPerChunk)),
        owned_(chunks()) {
    size_t output = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
      transactions_.push_back({keys_.data() + kKeySize * i, outputs_.data() + kKeySize * output, counts[i]});
      output += counts[i];
    }
  }

  ~ScanBatch() override { Wipe(viewSecret_.data(), viewSecret_.size()); }

  size_t chunks() const override { return boundaries_.size() - 1; }

  void Work(size_t chunk) override {
    const size_t first = boundaries_[chunk];
    Scan(viewSecret_.data(), transactions_.data() + first, boundaries_[chunk + 1] - first, first, spendKeys_,
         &owned_[chunk]);
  }

  Napi::Value Result(Napi::Env env) override {
    const auto list = Napi::Array::New(env);
    uint32_t length = 0;
    for (const auto& part : owned_) {
      for (const OwnedOutput& found : part) {
        const auto item = Napi::Object::New(env);
        item.Set("transaction", static_cast<double>(found.transaction));
        item.Set("output", static_cast<double>(found.output));
        item.Set("spendKey", static_cast<double>(found.spendKey));
        item.Set("derivation", MakeBuffer(env, found.derivation.data(), found.derivation.size()));
        list.Set(length++, item);
      }
    }
    return list;
  }

 private:
  std::vector<uint8_t> viewSecret_, keys_, outputs_;
  SpendKeys spendKeys_;
  std::vector<size_t> boundaries_;
  std::vector<std::vector<OwnedOutput>> owned_;
  std::vector<ScannedTransaction> transactions_;
};

// scanOutputs(viewSecret, transactionKeys, outputCounts, outputs, spendKeys): promise of the outputs owned by the spend keys
Napi::Value ScanOutputsJs(const Napi::CallbackInfo& info) {
  const Bytes viewSecret = RequireBytes(info, 0, "view secret key", kKeySize);
  const std::vector<uint32_t> counts = RequireCounts(info, 2, "output counts");
  const Bytes keys = RequireBytes(info, 1, "transaction keys", kKeySize * counts.size());
  const Bytes outputs = RequireBytes(info, 3, "outputs", kKeySize * Sum(counts));
  const Bytes spendKeys = RequireBytes(info, 4, "spend keys");
  if (spendKeys.size % kKeySize != 0) throw Napi::RangeError::New(info.Env(), "spend keys must be 32 bytes each");
  return StartBatch(info.Env(), std::make_shared<ScanBatch>(viewSecret, keys, counts, outputs, spendKeys));
}

class KeyImageBatch : public Batch {
 public:
  KeyImageBatch(const Bytes& keys, const Bytes& secrets)
      : keys_(keys.Copy()), secrets_(secrets.Copy()), images_(keys.size) {}
  ~KeyImageBatch() override { Wipe(secrets_.data(), secrets_.size()); }

  size_t chunks() const override { return Chunks(keys_.size() / kKeySize, kKeysPerChunk); }

  void Work(size_t chunk) override {
    const size_t first = kKeySize * chunk * kKeysPerChunk;
    const size_t count = std::min(kKeysPerChunk, (keys_.size() - first) / kKeySize);
    KernelsFor(count).keyImages(keys_.data() + first, secrets_.data() + first, count, images_.data() + first);
  }

  Napi::Value Result(Napi::Env env) override { return MakeBuffer(env, images_.data(), images_.size()); }

 private:
  std::vector<uint8_t> keys_, secrets_, images_;
};

// keyImages(keys, secrets): promise of the concatenated key images
Napi::Value KeyImagesJs(const Napi::CallbackInfo& info) {
  const Bytes keys = RequireBytes(info, 0, "public keys");
  if (keys.size % kKeySize != 0) throw Napi::RangeError::New(info.Env(), "public keys must be 32 bytes each");
  const Bytes secrets = RequireBytes(info, 1, "secret keys", keys.size);
  return StartBatch(info.Env(), std::make_shared<KeyImageBatch>(keys, secrets));
}

// limitCurveLanes(limit), forceCurveLanes(lanes): false if not available, curveLanes(): number that a large batch uses
Napi::Value LimitLanesJs(const Napi::CallbackInfo& info) {
  LimitLanes(static_cast<size_t>(RequireInteger(info, 0, "limit", 8)));
  return info.Env().Undefined();
}

Napi::Value ForceLanesJs(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), ForceLanes(static_cast<size_t>(RequireInteger(info, 0, "lanes", 8))));
}

Napi::Value LanesJs(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(LanesInUse()));
}

}  // namespace

void RegisterCurveBatches(Napi::Env env, Napi::Object exports) {
  exports.Set("checkKeys", Napi::Function::New(env, CheckKeysJs));
  exports.Set("checkPrimeOrders", Napi::Function::New(env, CheckPrimeOrdersJs));
  exports.Set("checkRings", Napi::Function::New(env, CheckRingsJs));
  exports.Set("scanOutputs", Napi::Function::New(env, ScanOutputsJs));
  exports.Set("keyImages", Napi::Function::New(env, KeyImagesJs));
  exports.Set("limitCurveLanes", Napi::Function::New(env, LimitLanesJs));
  exports.Set("forceCurveLanes", Napi::Function::New(env, ForceLanesJs));
  exports.Set("curveLanes", Napi::Function::New(env, LanesJs));
}

}  // namespace wrkz
