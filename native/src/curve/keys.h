// Keys, derivations and key images, one at a time (docs/protocol/cryptography.md#derivations). All keys have 32 bytes.
// Functions with a secret argument run in constant time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "curve/scalar.h"
#include "curve/vartime.h"

namespace wrkz::curve {

inline constexpr size_t kKeySize = 32;

// False if the bytes do not encode a point.
bool DecodePoint(const uint8_t key[32], Point* point);
void EncodePoint(const Projective<Field51>& point, uint8_t key[32]);

bool CheckKey(const uint8_t key[32]);
// True if the point decodes and l P is the identity, as required of key images.
bool IsPrimeOrder(const uint8_t key[32]);

void PublicFromSecret(const uint8_t secret[32], uint8_t key[32]);
// Scalar times point without the cofactor, for any 256-bit scalar. False when the point does not decode.
bool MultiplyKey(const uint8_t key[32], const uint8_t scalar[32], uint8_t result[32]);

// 8 secret key; false when the key does not decode.
bool KeyDerivation(const uint8_t key[32], const uint8_t secret[32], uint8_t derivation[32]);
// Hs(derivation, varint(index))
Scalar DerivationToScalar(const uint8_t derivation[32], uint64_t index);
// base + Hs G, respectively key - Hs G; false when the point does not decode.
bool DerivePublicKey(const uint8_t derivation[32], uint64_t index, const uint8_t base[32], uint8_t derived[32]);
bool UnderivePublicKey(const uint8_t derivation[32], uint64_t index, const uint8_t key[32], uint8_t base[32]);

// key - scalar G; false when the key does not decode.
bool SubtractBase(const uint8_t key[32], const uint8_t scalar[32], uint8_t result[32]);

// map(bytes), and 8 map(Keccak(data)).
Projective<Field51> PointFromField(const uint8_t bytes[32]);
Projective<Field51> HashToPoint(const uint8_t* data, size_t size);
// secret Hp(key)
void KeyImage(const uint8_t key[32], const uint8_t secret[32], uint8_t image[32]);

// Sub-wallet indexes have 32 bits.
inline constexpr uint64_t kMaxSubWallet = 0xffffffff;

// Replaces the primary spend secret with that of sub-wallet `index`: `index` rounds of Keccak over the key and the index,
// then modulo l. Polls `stopped`; if it returns true, the result is false and the secret is unusable.
bool SubWalletSecret(uint8_t secret[32], uint64_t index, const std::function<bool()>& stopped);

}  // namespace wrkz::curve
