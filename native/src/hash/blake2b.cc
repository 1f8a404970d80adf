#include "hash/blake2b.h"

#include <bit>
#include <cstring>

#include "common/bytes.h"

namespace wrkz {
namespace {

constexpr uint64_t kInitial[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

inline void Mix(uint64_t& a, uint64_t& b, uint64_t& c, uint64_t& d, uint64_t x, uint64_t y) {
  a += b + x;
  d = std::rotr(d ^ a, 32);
  c += d;
  b = std::rotr(b ^ c, 24);
  a += b + y;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 63);
}

}  // namespace

Blake2b::Blake2b(size_t digest) : digest_(digest) {
  std::memcpy(h_, kInitial, sizeof h_);
  h_[0] ^= 0x01010000 ^ digest;  // no key, fan-out and depth 1
}

void Blake2b::Update(const uint8_t* data, size_t size) {
  while (size > 0) {
    // A full block is compressed only when more data follows: the last block sets the final flag.
    if (filled_ == sizeof buffer_) {
      Compress(buffer_, false);
      filled_ = 0;
    }
    const size_t room = sizeof buffer_ - filled_, part = size < room ? size : room;
    std::memcpy(buffer_ + filled_, data, part);
    filled_ += part;
    count_ += part;
    data += part;
    size -= part;
  }
}

void Blake2b::Finish(uint8_t* hash) {
  std::memset(buffer_ + filled_, 0, sizeof buffer_ - filled_);
  Compress(buffer_, true);
  uint8_t full[64];
  for (int i = 0; i < 8; i++) Store64(full + 8 * i, h_[i]);
  std::memcpy(hash, full, digest_);
}

void Blake2b::Compress(const uint8_t* block, bool last) {
  uint64_t m[16], v[16];
  for (int i = 0; i < 16; i++) m[i] = Load64(block + 8 * i);
  for (int i = 0; i < 8; i++) {
    v[i] = h_[i];
    v[8 + i] = kInitial[i];
  }
  v[12] ^= count_;
  if (last) v[14] = ~v[14];
  for (int round = 0; round < 12; round++) {
    const uint8_t* s = kBlakeOrder[round % 10];
    Mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
    Mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
    Mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
    Mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
    Mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
    Mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
    Mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
    Mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
  }
  for (int i = 0; i < 8; i++) h_[i] ^= v[i] ^ v[i + 8];
}

}  // namespace wrkz
