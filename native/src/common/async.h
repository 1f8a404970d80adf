// From native threads back to JavaScript: promises over the pool, for any number of environments.
#pragma once

#include <napi.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

namespace wrkz {

// The way back into one environment (main thread or worker). Safe to keep after the environment is gone.
class Mailbox {
 public:
  virtual ~Mailbox() = default;
  // From any thread: `call` runs on the environment's thread, or is dropped when the environment is gone.
  virtual void Post(std::function<void(Napi::Env)> call) = 0;
  // True once the environment is being torn down: long work should stop.
  virtual bool closed() const = 0;
  // Only on the environment's thread: while held, the event loop stays alive.
  virtual void Hold() = 0;
  virtual void Release() = 0;
};

// Creates the mailbox of this environment (called once, when the addon is loaded into it).
void InitAsync(Napi::Env env);
std::shared_ptr<Mailbox> MailboxOf(Napi::Env env);

// Work split into chunks that run on several threads in any order.
class Batch {
 public:
  virtual ~Batch() = default;
  // On pool threads, once for each chunk index; must touch only its own results. May throw: the promise rejects.
  virtual void Work(size_t chunk) = 0;
  // On the environment's thread after the last chunk: the value the promise resolves with.
  virtual Napi::Value Result(Napi::Env env) = 0;

  // True when nobody waits any more: a chunk that takes long should end early.
  bool Abandoned() const { return mailbox_ != nullptr && mailbox_->closed(); }

 private:
  friend Napi::Promise StartBatch(Napi::Env env, std::shared_ptr<Batch> batch, size_t chunks);
  std::shared_ptr<Mailbox> mailbox_;
};

// Starts the batch on ThreadPool::Compute() and returns its promise.
Napi::Promise StartBatch(Napi::Env env, std::shared_ptr<Batch> batch, size_t chunks);

// hardwareThreads(), setThreads(n)
void RegisterPool(Napi::Env env, Napi::Object exports);

}  // namespace wrkz
