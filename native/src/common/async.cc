#include "common/async.h"

#include <algorithm>
#include <mutex>
#include <string>

#include "common/napi_modules.h"
#include "common/napi_util.h"
#include "common/thread_pool.h"

namespace wrkz {
namespace {

using Call = std::function<void(Napi::Env)>;

class EnvMailbox : public Mailbox {
 public:
  void Post(Call call) override {
    // The lock prevents finalization, so the function is never called after it was finalized.
    std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return;
    auto* data = new Call(std::move(call));
    if (napi_call_threadsafe_function(function_, data, napi_tsfn_nonblocking) != napi_ok) delete data;
  }

  bool closed() const override { return closed_; }

  void Hold() override {
    if (held_++ == 0 && !closed_) napi_ref_threadsafe_function(env_, function_);
  }

  void Release() override {
    if (--held_ == 0 && !closed_) napi_unref_threadsafe_function(env_, function_);
  }

  static std::shared_ptr<EnvMailbox> Create(Napi::Env env) {
    auto mailbox = std::make_shared<EnvMailbox>();
    mailbox->env_ = env;
    auto* kept = new std::shared_ptr<EnvMailbox>(mailbox);
    const napi_status status = napi_create_threadsafe_function(
        env, nullptr, nullptr, Napi::String::New(env, "wrkz_native"), 0, 1, kept, Finalize, nullptr, CallJs,
        &mailbox->function_);
    if (status != napi_ok) {
      delete kept;
      throw Napi::Error::New(env, "cannot create the way back from native threads");
    }
    napi_unref_threadsafe_function(env, mailbox->function_);
    return mailbox;
  }

 private:
  static void Finalize(napi_env, void* data, void*) {
    auto* kept = static_cast<std::shared_ptr<EnvMailbox>*>(data);
    {
      std::lock_guard<std::mutex> lock((*kept)->mutex_);
      (*kept)->closed_ = true;
    }
    delete kept;
  }

  static void CallJs(napi_env env, napi_value, void*, void* data) {
    std::unique_ptr<Call> call(static_cast<Call*>(data));
    if (env == nullptr) return;
    try {
      Napi::HandleScope scope(env);
      try {
        (*call)(Napi::Env(env));
      } catch (const Napi::Error& error) {
        error.ThrowAsJavaScriptException();
      } catch (const std::exception& error) {
        Napi::Error::New(env, error.what()).ThrowAsJavaScriptException();
      }
    } catch (...) {
      // The environment is being torn down (for example a terminated worker): every call into it fails, so the error
      // cannot be reported. An exception that leaves this function would end the whole process.
    }
  }

  std::mutex mutex_;
  std::atomic<bool> closed_{false};
  napi_threadsafe_function function_ = nullptr;
  napi_env env_ = nullptr;
  size_t held_ = 0;
};

struct AddonData {
  std::shared_ptr<EnvMailbox> mailbox;
};

struct Running {
  std::shared_ptr<Batch> batch;
  std::shared_ptr<Mailbox> mailbox;
  std::unique_ptr<Napi::Promise::Deferred> deferred;
  size_t chunks = 0;
  std::atomic<size_t> next{0};
  std::atomic<size_t> runners{0};
  std::mutex error_mutex;
  std::string error;

  void Fail(const char* message) {
    std::lock_guard<std::mutex> lock(error_mutex);
    if (error.empty()) error = message;
  }

  void Settle(Napi::Env env) {
    mailbox->Release();
    if (!error.empty()) {
      deferred->Reject(Napi::Error::New(env, error).Value());
      return;
    }
    deferred->Resolve(batch->Result(env));
  }
};

void RunChunks(const std::shared_ptr<Running>& running);

// Queues the rest of a batch behind the waiting tasks, so that the chunks of concurrent batches alternate: one check
// must not wait for a thousand earlier checks. False if the rest could not be queued.
bool StepBack(const std::shared_ptr<Running>& running) {
  if (!ThreadPool::Compute().HasWaiting()) return false;
  try {
    ThreadPool::Compute().Run([running] { RunChunks(running); });
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void RunChunks(const std::shared_ptr<Running>& running) {
  for (bool first = true;; first = false) {
    if (!first && StepBack(running)) return;
    const size_t chunk = running->next.fetch_add(1);
    if (chunk >= running->chunks || running->mailbox->closed()) break;
    try {
      running->batch->Work(chunk);
    } catch (const std::exception& error) {
      running->Fail(error.what());
    } catch (...) {
      running->Fail("native work failed");
    }
  }
  if (running->runners.fetch_sub(1) == 1) {
    running->mailbox->Post([running](Napi::Env env) { running->Settle(env); });
  }
}

Napi::Value SetThreads(const Napi::CallbackInfo& info) {
  const uint64_t count = RequireInteger(info, 0, "count", 1024);
  ThreadPool::Compute().SetLimit(static_cast<size_t>(count));
  return info.Env().Undefined();
}

Napi::Value HardwareThreads(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(ThreadPool::HardwareThreads()));
}

}  // namespace

void InitAsync(Napi::Env env) {
  env.SetInstanceData(new AddonData{EnvMailbox::Create(env)});
}

std::shared_ptr<Mailbox> MailboxOf(Napi::Env env) {
  return env.GetInstanceData<AddonData>()->mailbox;
}

Napi::Promise StartBatch(Napi::Env env, std::shared_ptr<Batch> batch) {
  auto running = std::make_shared<Running>();
  running->batch = std::move(batch);
  running->mailbox = MailboxOf(env);
  running->batch->mailbox_ = running->mailbox;
  running->deferred = std::make_unique<Napi::Promise::Deferred>(Napi::Promise::Deferred::New(env));
  running->chunks = running->batch->chunks();
  const Napi::Promise promise = running->deferred->Promise();
  running->mailbox->Hold();
  const size_t runners = std::max<size_t>(1, std::min(running->chunks, ThreadPool::Compute().limit()));
  running->runners = runners;
  for (size_t i = 0; i < runners; i++) {
    try {
      ThreadPool::Compute().Run([running] { RunChunks(running); });
    } catch (const std::exception& error) {
      // No thread could be started for this runner, but the promise must still settle.
      running->Fail(error.what());
      if (running->runners.fetch_sub(1) == 1) {
        running->mailbox->Post([running](Napi::Env later) { running->Settle(later); });
      }
    }
  }
  return promise;
}

// hardwareThreads(), setThreads(n)
void RegisterPool(Napi::Env env, Napi::Object exports) {
  exports.Set("hardwareThreads", Napi::Function::New(env, HardwareThreads));
  exports.Set("setThreads", Napi::Function::New(env, SetThreads));
}

}  // namespace wrkz
