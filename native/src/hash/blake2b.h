// BLAKE2b without a key: the hash that Argon2 uses for its input and output.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wrkz {

// The message word permutations (sigma) of the rounds, also of BLAKE-256.
inline constexpr uint8_t kBlakeOrder[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

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
