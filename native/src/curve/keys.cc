#include "curve/keys.h"

#include <algorithm>
#include <cstring>

#include "common/bytes.h"
#include "curve/map.h"
#include "curve/multiply.h"
#include "hash/keccak.h"

namespace wrkz::curve {
namespace {

// The digits of a secret scalar; wiped when they go out of scope.
class Digits {
 public:
  explicit Digits(const uint8_t scalar[32]) { RecodeSigned16(scalar, digits_, 1); }
  ~Digits() { Wipe(digits_, sizeof digits_); }
  Digits(const Digits&) = delete;
  Digits& operator=(const Digits&) = delete;
  const int8_t* get() const { return digits_; }

 private:
  int8_t digits_[kDigits];
};

Projective<Field51> ScaledPoint(const Point& point, const uint8_t scalar[32]) {
  const Digits digits(scalar);
  return Multiply(digits.get(), point);
}

Point ScaledBase(const uint8_t scalar[32]) {
  const Digits digits(scalar);
  return MultiplyBase<Field51>(digits.get());
}

}  // namespace

bool DecodePoint(const uint8_t key[32], Point* point) {
  bool valid[1];
  const uint8_t* const keys[1] = {key};
  Decode(keys, point, valid);
  return valid[0];
}

void EncodePoint(const Projective<Field51>& point, uint8_t key[32]) {
  uint8_t* const keys[1] = {key};
  Encode(point, keys);
}

bool CheckKey(const uint8_t key[32]) {
  Point point;
  return DecodePoint(key, &point);
}

bool IsPrimeOrder(const uint8_t key[32]) {
  Point point;
  if (!DecodePoint(key, &point)) return false;
  OddMultiples table;
  FillOddMultiples(point, &table);
  return HasPrimeOrder(table);
}

void PublicFromSecret(const uint8_t secret[32], uint8_t key[32]) { EncodePoint(ToProjective(ScaledBase(secret)), key); }

bool MultiplyKey(const uint8_t key[32], const uint8_t scalar[32], uint8_t result[32]) {
  Point point;
  if (!DecodePoint(key, &point)) return false;
  EncodePoint(ScaledPoint(point, scalar), result);
  return true;
}

bool KeyDerivation(const uint8_t key[32], const uint8_t secret[32], uint8_t derivation[32]) {
  Point point;
  if (!DecodePoint(key, &point)) return false;
  EncodePoint(Times8(ScaledPoint(point, secret)), derivation);
  return true;
}

Scalar DerivationToScalar(const uint8_t derivation[32], uint64_t index) {
  uint8_t data[32 + 10];
  std::copy(derivation, derivation + 32, data);
  size_t size = 32;
  for (; index >= 0x80; index >>= 7) data[size++] = static_cast<uint8_t>(index | 0x80);
  data[size++] = static_cast<uint8_t>(index);
  return HashToScalar(data, size);
}

bool DerivePublicKey(const uint8_t derivation[32], uint64_t index, const uint8_t base[32], uint8_t derived[32]) {
  Point point;
  if (!DecodePoint(base, &point)) return false;
  uint8_t scalar[32];
  ScalarToBytes(DerivationToScalar(derivation, index), scalar);
  EncodePoint(ToProjective(Plus(point, ToCached(ScaledBase(scalar)))), derived);
  return true;
}

bool SubtractBase(const uint8_t key[32], const uint8_t scalar[32], uint8_t result[32]) {
  Point point;
  if (!DecodePoint(key, &point)) return false;
  EncodePoint(ToProjective(Minus(point, ToCached(ScaledBase(scalar)))), result);
  return true;
}

bool UnderivePublicKey(const uint8_t derivation[32], uint64_t index, const uint8_t key[32], uint8_t base[32]) {
  uint8_t scalar[32];
  ScalarToBytes(DerivationToScalar(derivation, index), scalar);
  return SubtractBase(key, scalar, base);
}

Projective<Field51> PointFromField(const uint8_t bytes[32]) {
  const uint8_t* const inputs[1] = {bytes};
  return MapToPoint<Field51>(inputs);
}

Projective<Field51> HashToPoint(const uint8_t* data, size_t size) {
  uint8_t hash[kHashSize];
  FastHash(data, size, hash);
  return Times8(PointFromField(hash));
}

void KeyImage(const uint8_t key[32], const uint8_t secret[32], uint8_t image[32]) {
  EncodePoint(ScaledPoint(ToExtended(HashToPoint(key, kKeySize)), secret), image);
}

bool SubWalletSecret(uint8_t secret[32], uint64_t index, const std::function<bool()>& stopped) {
  constexpr uint64_t kRoundsBetweenLooks = 4096;
  uint8_t state[40];
  std::memcpy(state, secret, 32);
  Store64(state + 32, index);
  bool finished = true;
  for (uint64_t i = 0; finished && i < index; ++i) {
    uint8_t hash[kHashSize];
    FastHash(state, sizeof state, hash);
    std::memcpy(state, hash, kHashSize);
    finished = i % kRoundsBetweenLooks != 0 || !stopped();
  }
  ScalarToBytes(Reduce32(state), secret);
  Wipe(state, sizeof state);
  return finished;
}

}  // namespace wrkz::curve
