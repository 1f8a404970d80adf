#include "pow/argon2.h"

#include <bit>
#include <cstring>
#include <initializer_list>

#include "common/bytes.h"
#include "hash/blake2b.h"

namespace wrkz {
namespace {

constexpr uint32_t kPasses = 4, kLanes = 1, kTag = 32, kVersion = 0x13, kArgon2id = 2, kSalt = 16;
constexpr uint32_t kSlices = 4, kSegment = kChukwaBlocks / kSlices;
constexpr size_t kBlockBytes = 8 * kArgonBlockWords;

void Update32(Blake2b& hash, uint32_t value) {
  uint8_t bytes[4];
  Store32(bytes, value);
  hash.Update(bytes, 4);
}

// H0 of RFC 9106: all parameters, the input as password, its beginning as salt, no secret and no associated data.
void FirstHash(const uint8_t* data, size_t size, uint8_t h0[64]) {
  Blake2b hash(64);
  for (uint32_t value : {kLanes, kTag, static_cast<uint32_t>(kChukwaBlocks), kPasses, kVersion, kArgon2id}) {
    Update32(hash, value);
  }
  Update32(hash, static_cast<uint32_t>(size));
  hash.Update(data, size);
  Update32(hash, kSalt);
  hash.Update(data, kSalt);
  Update32(hash, 0);
  Update32(hash, 0);
  hash.Finish(h0);
}

// H' of RFC 9106 for one block: the first half of each 64-byte hash of a hash chain, and the whole last hash.
void FillFirstBlock(const uint8_t h0[64], uint32_t index, uint64_t* block) {
  uint8_t bytes[kBlockBytes], link[64];
  Blake2b first(64);
  Update32(first, kBlockBytes);
  first.Update(h0, 64);
  Update32(first, index);
  Update32(first, 0);  // lane
  first.Finish(link);
  size_t at = 0;
  for (; at + 64 < kBlockBytes; at += 32) {
    std::memcpy(bytes + at, link, 32);
    Blake2b next(64);
    next.Update(link, 64);
    next.Finish(link);
  }
  std::memcpy(bytes + at, link, 64);
  std::memcpy(block, bytes, kBlockBytes);
}

// Index of the reference block. Nearer blocks are more likely (square of a random fraction of the reference area).
uint32_t Reference(uint32_t pass, uint32_t slice, uint32_t index, uint64_t random) {
  const uint64_t area = (pass == 0 ? slice * kSegment : kChukwaBlocks - kSegment) + index - 1;
  const uint64_t j = static_cast<uint32_t>(random);
  const uint64_t distance = (area * ((j * j) >> 32)) >> 32;
  const uint32_t start = pass == 0 ? 0 : ((slice + 1) % kSlices) * kSegment;
  return static_cast<uint32_t>((start + area - 1 - distance) % kChukwaBlocks);
}

// The pseudo-random words of a segment with data-independent addressing.
void FillAddresses(uint32_t pass, uint32_t slice, ArgonCompress compress, uint64_t* addresses) {
  alignas(64) uint64_t zero[kArgonBlockWords] = {}, input[kArgonBlockWords] = {}, middle[kArgonBlockWords];
  input[0] = pass;
  input[2] = slice;
  input[3] = kChukwaBlocks;
  input[4] = kPasses;
  input[5] = kArgon2id;
  input[6] = 1;  // the counter stays 1: one block of addresses is enough for a segment
  compress(middle, zero, input, false);
  compress(addresses, zero, middle, false);
}

void FillSegment(uint32_t pass, uint32_t slice, uint64_t* memory, ArgonCompress compress) {
  alignas(64) uint64_t addresses[kArgonBlockWords];
  const bool independent = pass == 0 && slice < kSlices / 2;
  if (independent) FillAddresses(pass, slice, compress, addresses);
  for (uint32_t index = pass == 0 && slice == 0 ? 2 : 0; index < kSegment; index++) {
    const uint32_t current = slice * kSegment + index;
    const uint64_t* previous = memory + ((current + kChukwaBlocks - 1) % kChukwaBlocks) * kArgonBlockWords;
    const uint64_t random = independent ? addresses[index] : previous[0];
    const uint64_t* reference = memory + Reference(pass, slice, index, random) * kArgonBlockWords;
    compress(memory + current * kArgonBlockWords, previous, reference, pass > 0);
  }
}

// G of BLAKE2b plus a multiplication of the low halves, on 16 words.
inline void Mix(uint64_t& a, uint64_t& b, uint64_t& c, uint64_t& d) {
  const auto add = [](uint64_t x, uint64_t y) {
    return x + y + 2 * static_cast<uint64_t>(static_cast<uint32_t>(x)) * static_cast<uint32_t>(y);
  };
  a = add(a, b);
  d = std::rotr(d ^ a, 32);
  c = add(c, d);
  b = std::rotr(b ^ c, 24);
  a = add(a, b);
  d = std::rotr(d ^ a, 16);
  c = add(c, d);
  b = std::rotr(b ^ c, 63);
}

// The permutation P on 16 words: pairs at `v + i * stride`.
inline void Permute(uint64_t* v, size_t stride) {
  uint64_t w[16];
  for (size_t i = 0; i < 8; i++) std::memcpy(w + 2 * i, v + i * stride, 16);
  for (int i = 0; i < 4; i++) Mix(w[i], w[4 + i], w[8 + i], w[12 + i]);
  for (int i = 0; i < 4; i++) Mix(w[i], w[4 + (i + 1) % 4], w[8 + (i + 2) % 4], w[12 + (i + 3) % 4]);
  for (size_t i = 0; i < 8; i++) std::memcpy(v + i * stride, w + 2 * i, 16);
}

}  // namespace

void ArgonCompressPortable(uint64_t* out, const uint64_t* x, const uint64_t* y, bool add) {
  uint64_t r[kArgonBlockWords], z[kArgonBlockWords];
  for (size_t i = 0; i < kArgonBlockWords; i++) z[i] = r[i] = x[i] ^ y[i];
  for (size_t i = 0; i < 8; i++) Permute(z + 16 * i, 2);
  for (size_t i = 0; i < 8; i++) Permute(z + 2 * i, 16);
  for (size_t i = 0; i < kArgonBlockWords; i++) out[i] = z[i] ^ r[i] ^ (add ? out[i] : 0);
}

void Chukwa(const uint8_t* data, size_t size, uint64_t* memory, ArgonCompress compress, uint8_t hash[32]) {
  uint8_t h0[64];
  FirstHash(data, size, h0);
  FillFirstBlock(h0, 0, memory);
  FillFirstBlock(h0, 1, memory + kArgonBlockWords);
  for (uint32_t pass = 0; pass < kPasses; pass++) {
    for (uint32_t slice = 0; slice < kSlices; slice++) FillSegment(pass, slice, memory, compress);
  }
  uint8_t last[kBlockBytes];
  std::memcpy(last, memory + (kChukwaBlocks - 1) * kArgonBlockWords, kBlockBytes);
  Blake2b tag(kTag);
  Update32(tag, kTag);
  tag.Update(last, kBlockBytes);
  tag.Finish(hash);
}

}  // namespace wrkz
