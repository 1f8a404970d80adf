// Batch operations on points. Every kernel returns bit for bit the same results as the single functions of keys.h.
// The processor and the number of items determine the kernel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wrkz::curve {

inline constexpr size_t kMaxBases = 8;

struct RingMember {
  const uint8_t* key;        // 32 bytes
  const uint8_t* signature;  // c and r, 64 bytes, both less than l
  const uint8_t* keyImage;   // 32 bytes, a valid encoding
};

// `keys`, `secrets`, `scalars` and results are concatenated, 32 bytes each. `valid[i]` is set if the point of item i
// decodes; otherwise its result is undefined.
struct BatchKernels {
  size_t lanes;
  void (*checkKeys)(const uint8_t* keys, size_t count, bool* valid);
  // valid: decodes and l P is the identity.
  void (*primeOrders)(const uint8_t* keys, size_t count, bool* valid);
  // 8 secret key[i]: one secret, many keys.
  void (*derivations)(const uint8_t secret[32], const uint8_t* keys, size_t count, uint8_t* results, bool* valid);
  // key[i] - scalar[i] G
  void (*underive)(const uint8_t* scalars, const uint8_t* keys, size_t count, uint8_t* results, bool* valid);
  // possible[i] is set if key[i] has the y coordinate of base + scalar[i] G for one of at most kMaxBases bases. Bases
  // that do not decode are ignored. Takes half the time of underive.
  void (*matches)(const uint8_t* scalars, const uint8_t* keys, size_t count, const uint8_t* bases, size_t baseCount,
                  bool* possible);
  // secret[i] Hp(key[i])
  void (*keyImages)(const uint8_t* keys, const uint8_t* secrets, size_t count, uint8_t* results);
  // c P + r G and r Hp(P) + c I, 64 bytes per member. Null where CheckRing per ring is faster,
  // because it shares more work within a ring.
  void (*commitments)(const RingMember* members, size_t count, uint8_t* results, bool* valid);
};

// The kernels for `count` items. Unused lanes cost as much as used ones.
const BatchKernels& KernelsFor(size_t count);

extern const BatchKernels kSingleKernels;
#if defined(WRKZ_X86)
extern const BatchKernels kAvx2Kernels;  // AVX2 with FMA, four lanes
extern const BatchKernels kIfmaKernels;  // AVX-512 with IFMA, eight lanes
#endif

// Sets the maximum number of lanes for later batches (default 8), and returns the number that a large batch uses.
void LimitLanes(size_t limit);
size_t LanesInUse();

// Fixes the number of lanes for later batches of any size; 0 restores the automatic choice. False if this processor has
// no kernels with this number of lanes. For tests and measurements.
bool ForceLanes(size_t lanes);

}  // namespace wrkz::curve
