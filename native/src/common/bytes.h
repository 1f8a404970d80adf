// Unaligned little-endian and big-endian access, always through memcpy instead of type punning.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace wrkz {

static_assert(std::endian::native == std::endian::little, "the loads below assume a little-endian machine");

static inline uint32_t Load32(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, 4);
  return v;
}
static inline uint64_t Load64(const uint8_t* p) {
  uint64_t v;
  std::memcpy(&v, p, 8);
  return v;
}
static inline void Store32(uint8_t* p, uint32_t v) { std::memcpy(p, &v, 4); }
static inline void Store64(uint8_t* p, uint64_t v) { std::memcpy(p, &v, 8); }

static inline uint32_t Load32Be(const uint8_t* p) { return __builtin_bswap32(Load32(p)); }
static inline uint64_t Load64Be(const uint8_t* p) { return __builtin_bswap64(Load64(p)); }
static inline void Store32Be(uint8_t* p, uint32_t v) { Store32(p, __builtin_bswap32(v)); }
static inline void Store64Be(uint8_t* p, uint64_t v) { Store64(p, __builtin_bswap64(v)); }

}  // namespace wrkz
