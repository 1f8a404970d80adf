#include "curve/scan.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "curve/batch.h"
#include "curve/keys.h"

namespace wrkz::curve {

SpendKeys::SpendKeys(const uint8_t* keys, size_t count) : entries_(count) {
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(entries_[i].key.data(), keys + kKeySize * i, kKeySize);
    entries_[i].index = i;
  }
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
}

ptrdiff_t SpendKeys::Find(const uint8_t key[32]) const {
  KeyBytes wanted;
  std::memcpy(wanted.data(), key, wanted.size());
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), wanted,
                                      [](const Entry& entry, const KeyBytes& value) { return entry.key < value; });
  if (found == entries_.end() || found->key != wanted) return -1;
  return static_cast<ptrdiff_t>(found->index);
}

void Scan(const uint8_t viewSecret[32], const ScannedTransaction* transactions, size_t count, size_t first,
          const SpendKeys& spendKeys, std::vector<OwnedOutput>* owned) {
  std::vector<uint8_t> keys(kKeySize * count), derivations(kKeySize * count);
  const auto decoded = std::make_unique<bool[]>(count);
  for (size_t i = 0; i < count; ++i) std::memcpy(keys.data() + kKeySize * i, transactions[i].key, kKeySize);
  KernelsFor(count).derivations(viewSecret, keys.data(), count, derivations.data(), decoded.get());

  struct Place {
    size_t transaction, output;
  };
  std::vector<Place> places;
  std::vector<uint8_t> scalars, outputs;
  for (size_t i = 0; i < count; ++i) {
    if (!decoded[i]) continue;
    const ScannedTransaction& transaction = transactions[i];
    for (size_t output = 0; output < transaction.count; ++output) {
      places.push_back({i, output});
      uint8_t scalar[32];
      ScalarToBytes(DerivationToScalar(derivations.data() + kKeySize * i, output), scalar);
      scalars.insert(scalars.end(), scalar, scalar + 32);
      const uint8_t* key = transaction.outputs + kKeySize * output;
      outputs.insert(outputs.end(), key, key + kKeySize);
    }
  }

  std::vector<uint8_t> bases(kKeySize * places.size());
  const auto valid = std::make_unique<bool[]>(places.size());
  KernelsFor(places.size()).underive(scalars.data(), outputs.data(), places.size(), bases.data(), valid.get());
  for (size_t i = 0; i < places.size(); ++i) {
    const ptrdiff_t spendKey = valid[i] ? spendKeys.Find(bases.data() + kKeySize * i) : -1;
    if (spendKey < 0) continue;
    OwnedOutput& found = owned->emplace_back();
    found.transaction = first + places[i].transaction;
    found.output = places[i].output;
    found.spendKey = static_cast<size_t>(spendKey);
    std::memcpy(found.derivation.data(), derivations.data() + kKeySize * places[i].transaction, kKeySize);
  }
}

}  // namespace wrkz::curve
