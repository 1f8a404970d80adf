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
  // With `gives_way`, the threads run at a lower priority than the rest of the process.
  explicit ThreadPool(size_t limit, bool gives_way = false) : limit_(limit), gives_way_(gives_way) {}

  // The pool of asynchronous batches.
  static ThreadPool& Compute();
  // The pool of nonce searches: a search runs for seconds and must not delay the checks of a block.
  static ThreadPool& Search();
  static size_t HardwareThreads();

  // Queues one task; tasks start in FIFO order. Threads are started on demand. A task must not throw.
  void Run(std::function<void()> task);

  // True if a queued task waits for a thread: a long task should then queue its remaining work and return.
  bool HasWaiting();

  // Sets the maximum number of concurrent tasks, at least 1. Tasks that are already running finish.
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
