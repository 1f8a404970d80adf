// Signatures and ring signatures (docs/protocol/cryptography.md#ring-signature): 64 bytes a member, the challenge c and
// the response r, both below l.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wrkz::curve {

inline constexpr size_t kSignatureSize = 64;

void Sign(const uint8_t hash[32], const uint8_t key[32], const uint8_t secret[32], uint8_t signature[64]);
bool CheckSignature(const uint8_t hash[32], const uint8_t key[32], const uint8_t signature[64]);

struct Ring {
  const uint8_t* prefixHash;  // 32 bytes
  const uint8_t* keyImage;    // 32 bytes
  const uint8_t* keys;        // members * 32 bytes
  size_t members;
};

enum class SignResult { kOk, kInvalidKeyImage, kInvalidMember };

// Signs as member `real` (below members) with its one-time secret; `signatures` takes members * 64 bytes.
SignResult SignRing(const Ring& ring, size_t real, const uint8_t secret[32], uint8_t* signatures);

// The verdict of the chain: the key image of prime order, every scalar reduced, every member a point, and the
// challenges' sum the hash of all commitments. An empty ring has no valid signature.
bool CheckRing(const Ring& ring, const uint8_t* signatures);

// What is known of a ring after the check.
struct RingVerdict {
  bool valid;       // as CheckRing says
  bool primeOrder;  // the key image decodes and lies in the group of prime order
};

// The same for many rings: signatures[i] belongs to rings[i].
void CheckRings(const Ring* rings, const uint8_t* const* signatures, size_t count, RingVerdict* verdicts);

}  // namespace wrkz::curve
