#include "common/thread_pool.h"

#include <algorithm>
#include <system_error>
#include <thread>

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread/qos.h>
#endif

namespace wrkz {

namespace {

// A search uses every processor for seconds and must not delay responses to requests. If the system rejects the
// lower priority, the thread continues at its current priority.
void GiveWay() {
#if defined(__linux__)
  constexpr int kNicer = 5;
  const id_t self = static_cast<id_t>(syscall(SYS_gettid));
  (void)setpriority(PRIO_PROCESS, self, std::min(19, getpriority(PRIO_PROCESS, self) + kNicer));
#elif defined(__APPLE__)
  (void)pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0);
#endif
}

}  // namespace

// Both pools are leaked on purpose: their threads may still run while the process exits.
ThreadPool& ThreadPool::Compute() {
  static ThreadPool* pool = new ThreadPool(HardwareThreads());
  return *pool;
}

ThreadPool& ThreadPool::Search() {
  static ThreadPool* pool = new ThreadPool(1024, true);
  return *pool;
}

size_t ThreadPool::HardwareThreads() {
  return std::max(1u, std::thread::hardware_concurrency());
}

void ThreadPool::Run(std::function<void()> task) {
  std::lock_guard<std::mutex> lock(mutex_);
  tasks_.push_back(std::move(task));
  const size_t wanted = std::min(limit_, active_ + tasks_.size());
  while (threads_ < wanted) {
    try {
      std::thread([this] { Loop(); }).detach();
      threads_++;
    } catch (const std::system_error&) {
      // The system cannot start another thread: a running one will take the task.
      if (threads_ == 0) {
        tasks_.pop_back();
        throw;
      }
      break;
    }
  }
  wake_.notify_one();
}

bool ThreadPool::HasWaiting() {
  std::lock_guard<std::mutex> lock(mutex_);
  return !tasks_.empty();
}

void ThreadPool::SetLimit(size_t limit) {
  std::lock_guard<std::mutex> lock(mutex_);
  limit_ = std::max<size_t>(1, limit);
  wake_.notify_all();
}

size_t ThreadPool::limit() {
  std::lock_guard<std::mutex> lock(mutex_);
  return limit_;
}

void ThreadPool::Loop() {
  if (gives_way_) GiveWay();
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return !tasks_.empty() && active_ < limit_; });
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    active_++;
    lock.unlock();
    task();
    task = nullptr;  // releases the captured state before the thread counts as idle
    lock.lock();
    active_--;
    if (!tasks_.empty()) wake_.notify_one();
  }
}

}  // namespace wrkz
