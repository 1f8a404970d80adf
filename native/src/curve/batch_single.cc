// The batch kernels without lanes: call the single functions per item.
#include "curve/batch.h"
#include "curve/keys.h"
#include "curve/lanes.h"

namespace wrkz::curve {
namespace {

void CheckKeys(const uint8_t* keys, size_t count, bool* valid) {
  for (size_t i = 0; i < count; ++i) valid[i] = CheckKey(keys + kKeySize * i);
}

void Derivations(const uint8_t secret[32], const uint8_t* keys, size_t count, uint8_t* results, bool* valid) {
  for (size_t i = 0; i < count; ++i) valid[i] = KeyDerivation(keys + kKeySize * i, secret, results + kKeySize * i);
}

void Underive(const uint8_t* scalars, const uint8_t* keys, size_t count, uint8_t* results, bool* valid) {
  for (size_t i = 0; i < count; ++i) {
    valid[i] = SubtractBase(keys + kKeySize * i, scalars + kKeySize * i, results + kKeySize * i);
  }
}

void KeyImages(const uint8_t* keys, const uint8_t* secrets, size_t count, uint8_t* results) {
  for (size_t i = 0; i < count; ++i) KeyImage(keys + kKeySize * i, secrets + kKeySize * i, results + kKeySize * i);
}

void PrimeOrders(const uint8_t* keys, size_t count, bool* valid) {
  for (size_t i = 0; i < count; ++i) valid[i] = IsPrimeOrder(keys + kKeySize * i);
}

}  // namespace

const BatchKernels kSingleKernels{1,         CheckKeys, PrimeOrders, Derivations, Underive, LaneForms<Field51>::Matches,
                                  KeyImages, nullptr};

}  // namespace wrkz::curve
