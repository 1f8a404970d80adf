// Many points at a time. Every form gives bit for bit what the single forms of keys.h give; which one runs is decided
// by the processor and the number of items.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wrkz::curve {

struct RingMember {
  const uint8_t* key;        // 32 bytes
  const uint8_t* signature;  // c and r, 64 bytes, both below l
  const uint8_t* keyImage;   // 32 bytes, decodes
};

// `keys`, `secrets`, `scalars` and results stand one after another, 32 bytes each; `valid[i]` says whether item i's
// point decodes, and its result means nothing otherwise.
struct BatchKernels {
  size_t lanes;
  void (*checkKeys)(const uint8_t* keys, size_t count, bool* valid);
  // valid: decodes and l P is the identity.
  void (*primeOrders)(const uint8_t* keys, size_t count, bool* valid);
  // 8 secret key[i]: one secret, many keys.
  void (*derivations)(const uint8_t secret[32], const uint8_t* keys, size_t count, uint8_t* results, bool* valid);
  // key[i] - scalar[i] G
  void (*underive)(const uint8_t* scalars, const uint8_t* keys, size_t count, uint8_t* results, bool* valid);
  // secret[i] Hp(key[i])
  void (*keyImages)(const uint8_t* keys, const uint8_t* secrets, size_t count, uint8_t* results);
  // c P + r G and r Hp(P) + c I, 64 bytes a member. Null where CheckRing, one ring after another, is
  // faster: it shares more within its ring.
  void (*commitments)(const RingMember* members, size_t count, uint8_t* results, bool* valid);
};

// The kernels for `count` items: lanes that would stay empty cost as much as full ones.
const BatchKernels& KernelsFor(size_t count);

extern const BatchKernels kSingleKernels;
#if defined(WRKZ_X86)
extern const BatchKernels kAvx2Kernels;  // AVX2 with FMA, four lanes
extern const BatchKernels kIfmaKernels;  // AVX-512 with IFMA, eight lanes
#endif

// At most so many lanes from now on (8, unless limited), and how many a large batch uses.
void LimitLanes(size_t limit);
size_t LanesInUse();

// From now on exactly so many lanes, however few the items; 0 goes back to choosing. False when this processor has no
// such form. For tests and measurements.
bool ForceLanes(size_t lanes);

}  // namespace wrkz::curve
