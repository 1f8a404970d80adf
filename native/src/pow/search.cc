#include "pow/search.h"

#include <algorithm>
#include <cstring>

#include "common/bytes.h"
#include "common/thread_pool.h"
#include "pow/pow.h"

namespace wrkz {

void Search::Start(size_t threads, std::function<bool()> closed, std::function<void()> done) {
  closed_ = std::move(closed);
  done_ = std::move(done);
  running_ = threads;
  for (size_t i = 0; i < threads; i++) {
    try {
      ThreadPool::Search().Run([self = shared_from_this()] { self->RunThread(); });
    } catch (const std::exception& error) {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        error_ = error.what();
      }
      EndThread();
    }
  }
}

void Search::RunThread() {
  try {
    Hunt();
  } catch (const std::exception& error) {
    std::lock_guard<std::mutex> lock(mutex_);
    error_ = error.what();
    stop_ = true;
  }
  EndThread();
}

void Search::EndThread() {
  if (running_.fetch_sub(1) == 1) done_();
}

void Search::Hunt() {
  const size_t lanes = BestLanes(task_.algorithm);
  std::vector<uint8_t> data[kMaxLanes];
  PowInput inputs[kMaxLanes];
  uint8_t hashes[kMaxLanes][32];
  for (size_t i = 0; i < lanes; i++) {
    data[i] = task_.data;
    inputs[i] = {data[i].data(), data[i].size()};
  }
  const uint64_t span = task_.last - task_.first;
  while (!stop_ && !closed_()) {
    const uint64_t offset = taken_.fetch_add(lanes);
    if (offset > span) return;
    const size_t count = static_cast<size_t>(std::min<uint64_t>(lanes - 1, span - offset)) + 1;
    for (size_t i = 0; i < count; i++) {
      uint8_t nonce[8];
      Store64(nonce, task_.first + offset + i);
      std::memcpy(data[i].data() + task_.nonceOffset, nonce, task_.nonceSize);
    }
    PowHashes(task_.algorithm, inputs, count, hashes);
    hashes_ += count;
    for (size_t i = 0; i < count; i++) {
      if (CheckHash(hashes[i], task_.difficulty)) Keep(task_.first + offset + i, hashes[i]);
    }
  }
}

// Several searchers may find a nonce at the same time: the smallest one is the result.
void Search::Keep(uint64_t nonce, const uint8_t* hash) {
  std::lock_guard<std::mutex> lock(mutex_);
  stop_ = true;
  if (found_ && nonce_ <= nonce) return;
  found_ = true;
  nonce_ = nonce;
  std::memcpy(hash_, hash, sizeof hash_);
}

}  // namespace wrkz
