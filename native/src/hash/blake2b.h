// BLAKE2b without a key: the hash that Argon2 uses for its input and output.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wrkz {

class Blake2b {
 public:
  // `digest`: size of the result in bytes, 1 to 64.
  explicit Blake2b(size_t digest);
  void Update(const uint8_t* data, size_t size);
  void Finish(uint8_t* hash);

 private:
  void Compress(const uint8_t* block, bool last);

  size_t digest_;
  uint64_t h_[8];
  uint64_t count_ = 0;
  uint8_t buffer_[128];
  size_t filled_ = 0;
};

}  // namespace wrkz
