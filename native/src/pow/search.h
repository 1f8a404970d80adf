// A nonce search over several native threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pow/algorithm.h"

namespace wrkz {

struct SearchTask {
  PowAlgorithm algorithm;
  std::vector<uint8_t> data;
  size_t nonceOffset, nonceSize;  // little-endian, inside the data
  uint64_t difficulty;
  uint64_t first, last;  // nonces tried, both included
};

class Search : public std::enable_shared_from_this<Search> {
 public:
  explicit Search(SearchTask task) : task_(std::move(task)) {}

  // Starts `threads` searchers. They poll `closed` between hashes and then end as after Stop(). `done` runs on the thread
  // of the last searcher when it has ended.
  void Start(size_t threads, std::function<bool()> closed, std::function<void()> done);

  // The searchers end after their current hashes.
  void Stop() { stop_ = true; }
  uint64_t hashes() const { return hashes_; }

  // After `done`:
  bool found() const { return found_; }
  uint64_t nonce() const { return nonce_; }
  const uint8_t* hash() const { return hash_; }
  const std::string& error() const { return error_; }

 private:
  void RunThread();
  void Hunt();
  void EndThread();
  void Keep(uint64_t nonce, const uint8_t* hash);

  const SearchTask task_;
  std::function<bool()> closed_;
  std::function<void()> done_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> taken_{0};
  std::atomic<uint64_t> hashes_{0};
  std::atomic<size_t> running_{0};
  std::mutex mutex_;
  bool found_ = false;
  uint64_t nonce_ = 0;
  uint8_t hash_[32] = {};
  std::string error_;
};

}  // namespace wrkz
