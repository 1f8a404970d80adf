// Deterministic keys of sub-wallets.
#include <atomic>
#include <cstring>
#include <memory>

#include "common/async.h"
#include "common/napi_modules.h"
#include "common/napi_util.h"
#include "curve/keys.h"
#include "curve/scalar.h"

namespace wrkz {
namespace {

using namespace curve;

class SubWalletBatch : public Batch {
 public:
  SubWalletBatch(const Bytes& secret, uint64_t index) : index_(index) { std::memcpy(secret_, secret.data, kKeySize); }
  ~SubWalletBatch() override { Wipe(secret_, sizeof secret_); }

  void Work(size_t) override {
    done_ = SubWalletSecret(secret_, index_, [this] { return stopped_ || Abandoned(); });
  }

  // Null if the computation was stopped.
  Napi::Value Result(Napi::Env env) override {
    if (!done_) return env.Null();
    return MakeBuffer(env, secret_, sizeof secret_);
  }

  void Stop() { stopped_ = true; }

 private:
  uint8_t secret_[kKeySize];
  const uint64_t index_;
  std::atomic<bool> stopped_{false};
  bool done_ = false;
};

// startSubWalletSecret(secret, index): { promise, stop() }; the promise resolves with the secret, or null after a stop
Napi::Value StartSubWalletSecretJs(const Napi::CallbackInfo& info) {
  const Bytes secret = RequireBytes(info, 0, "secret key", kKeySize);
  const uint64_t index = RequireInteger(info, 1, "index", kMaxSubWallet);
  auto batch = std::make_shared<SubWalletBatch>(secret, index);
  const auto handle = Napi::Object::New(info.Env());
  handle.Set("stop", Napi::Function::New(info.Env(), [batch](const Napi::CallbackInfo&) { batch->Stop(); }));
  handle.Set("promise", StartBatch(info.Env(), std::move(batch)));
  return handle;
}

}  // namespace

void RegisterSubWallets(Napi::Env env, Napi::Object exports) {
  exports.Set("startSubWalletSecret", Napi::Function::New(env, StartSubWalletSecretJs));
}

}  // namespace wrkz
