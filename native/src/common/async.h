// Promises for work on the native thread pool, for any number of JavaScript environments.
#pragma once

#include <napi.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

namespace wrkz {

// Posts calls to one environment (main thread or worker). May outlive the environment.
class Mailbox {
 public:
  virtual ~Mailbox() = default;
  // From any thread: runs `call` on the thread of the environment, or drops it if the environment is gone.
  virtual void Post(std::function<void(Napi::Env)> call) = 0;
  // True once the environment is being torn down: long work should stop.
  virtual bool closed() const = 0;
  // Only on the thread of the environment: while held, the event loop stays alive.
  virtual void Hold() = 0;
  virtual void Release() = 0;
};

// Creates the mailbox of this environment. Called once, when the environment loads the addon.
void InitAsync(Napi::Env env);
std::shared_ptr<Mailbox> MailboxOf(Napi::Env env);

// Work split into chunks that run on several threads in any order.
class Batch {
 public:
  virtual ~Batch() = default;
  virtual size_t chunks() const { return 1; }
  // Called on pool threads, once per chunk index; must write only the results of this chunk. If it throws, the promise
  // rejects.
  virtual void Work(size_t chunk) = 0;
  // Called on the thread of the environment after the last chunk; returns the value that the promise resolves with.
  virtual Napi::Value Result(Napi::Env env) = 0;

  // True once the result is no longer needed: a long chunk should return early.
  bool Abandoned() const { return mailbox_ != nullptr && mailbox_->closed(); }

 private:
  friend Napi::Promise StartBatch(Napi::Env env, std::shared_ptr<Batch> batch);
  std::shared_ptr<Mailbox> mailbox_;
};

// Starts the batch on ThreadPool::Compute() and returns its promise.
Napi::Promise StartBatch(Napi::Env env, std::shared_ptr<Batch> batch);

}  // namespace wrkz
