// Native threads shared by all environments of the process. They never run JavaScript.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

namespace wrkz {

class ThreadPool {
 public:
  // Threads of a pool that `gives_way` run at a lower priority than the rest of the process.
  explicit ThreadPool(size_t limit, bool gives_way = false) : limit_(limit), gives_way_(gives_way) {}

  // The pool of the asynchronous batch forms.
  static ThreadPool& Compute();
  // The pool of nonce searches: a search runs for seconds and must not stand before a block's checks.
  static ThreadPool& Search();
  static size_t HardwareThreads();

  // Queues one task; tasks start in order. Threads are started when first needed. A task must not throw.
  void Run(std::function<void()> task);

  // Whether a queued task waits for a thread: long work should then queue the rest of itself behind it and end.
  bool HasWaiting();

  // At most `limit` tasks run at once from now on (running ones finish). At least 1.
  void SetLimit(size_t limit);
  size_t limit();

 private:
  void Loop();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  size_t limit_;
  const bool gives_way_;
  size_t threads_ = 0;
  size_t active_ = 0;
};

}  // namespace wrkz
