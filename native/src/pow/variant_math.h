// The scalar steps of CryptoNight variants 1 and 2. Exact on every processor.
#pragma once

#include <cmath>
#include <cstdint>

namespace wrkz {

// Variant 1: flips two bits of the byte at offset 11 of a stored block; the byte itself selects them.
static inline uint8_t TweakByte(uint8_t t) {
  const unsigned index = (((t >> 3) & 6) | (t & 1)) << 1;
  return static_cast<uint8_t>(t ^ ((0x75310u >> index) & 0x30));
}

static inline uint64_t TweakHigh(uint64_t high) {
  // Offset 11 is byte 3 of the high half, which is the argument.
  const auto t = static_cast<uint8_t>(high >> 24);
  return high ^ (static_cast<uint64_t>(static_cast<uint8_t>(t ^ TweakByte(t))) << 24);
}

// floor(sqrt(2^64 + n) * 2 - 2^33), exactly.
//
// The double is off by far less than one, so its floor is off by at most one. With r = 2s + b, r is not too large when
// (r + 2^33)^2 <= 4 (2^64 + n), that is s (s + b) + 2^32 r + b <= n.
static inline uint32_t SquareRoot(uint64_t n) {
  const double x = static_cast<double>(n) + 18446744073709551616.0;
  uint64_t r = static_cast<uint64_t>(std::sqrt(x) * 2.0 - 8589934592.0);
  const auto tooLarge = [n](uint64_t candidate) {
    const uint64_t s = candidate >> 1, b = candidate & 1;
    return static_cast<unsigned __int128>(s) * (s + b) + (static_cast<unsigned __int128>(candidate) << 32) + b > n;
  };
  if (tooLarge(r)) {
    r--;
  } else if (!tooLarge(r + 1)) {
    r++;
  }
  return static_cast<uint32_t>(r);
}

// State of the division and square root of variant 2 from one round to the next.
struct IntegerMath {
  uint64_t division = 0;
  uint64_t root = 0;  // a 32-bit value

  // Returns the low half of c, mixed with the previous results; then computes the next results from c1.
  uint64_t Step(uint64_t cLow, uint64_t c1Low, uint64_t c1High) {
    const uint64_t mixed = cLow ^ division ^ (root << 32);
    const uint32_t divisor = (static_cast<uint32_t>(c1Low) + static_cast<uint32_t>(root << 1)) | 0x80000001u;
    division = static_cast<uint32_t>(c1High / divisor) + ((c1High % divisor) << 32);
    root = SquareRoot(c1Low + division);
    return mixed;
  }
};

}  // namespace wrkz
