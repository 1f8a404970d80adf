// Ring signatures (docs/protocol/cryptography.md#ring-signature): 64 bytes per member, the challenge c
// and the response r, both less than l.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wrkz::curve {

inline constexpr size_t kSignatureSize = 64;

struct Ring {
  const uint8_t* prefixHash;  // 32 bytes
  const uint8_t* keyImage;    // 32 bytes
  const uint8_t* keys;        // members * 32 bytes
  size_t members;
};

enum class SignResult { kOk, kInvalidKeyImage, kInvalidMember };

// Signs as member `real` (less than members) with its one-time secret; writes members * 64 bytes to `signatures`.
SignResult SignRing(const Ring& ring, size_t real, const uint8_t secret[32], uint8_t* signatures);

// The consensus rule: the key image has prime order, every scalar is reduced, every member is a point, and the sum of
// the challenges equals the hash of all commitments. An empty ring has no valid signature.
bool CheckRing(const Ring& ring, const uint8_t* signatures);

// Result of the check of one ring.
struct RingVerdict {
  bool valid;       // result of CheckRing
  bool primeOrder;  // the key image decodes and is in the subgroup of prime order
};

// Checks many rings: signatures[i] belongs to rings[i].
void CheckRings(const Ring* rings, const uint8_t* const* signatures, size_t count, RingVerdict* verdicts);

}  // namespace wrkz::curve
