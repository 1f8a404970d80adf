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

std::vector<uint8_t> SpendKeys::Concatenated() const {
  std::vector<uint8_t> keys;
  for (const Entry& entry : entries_) keys.insert(keys.end(), entry.key.begin(), entry.key.end());
  return keys;
}

namespace {

// The outputs of a chunk, with the scalars of their derivations.
struct Candidates {
  struct Place {
    size_t transaction, output;
  };
  std::vector<Place> places;
  std::vector<uint8_t> scalars, outputs;

  void Add(const Place& place, const uint8_t scalar[32], const uint8_t output[32]) {
    places.push_back(place);
    scalars.insert(scalars.end(), scalar, scalar + 32);
    outputs.insert(outputs.end(), output, output + kKeySize);
  }

  // The few outputs that may belong to the spend keys. Others need no decoding and no inversion.
  Candidates Matching(const SpendKeys& spendKeys) const {
    const size_t count = places.size();
    const auto possible = std::make_unique<bool[]>(count);
    KernelsFor(count).matches(scalars.data(), outputs.data(), count, spendKeys.Concatenated().data(), spendKeys.size(),
                              possible.get());
    Candidates matching;
    for (size_t i = 0; i < count; ++i) {
      if (possible[i]) matching.Add(places[i], scalars.data() + 32 * i, outputs.data() + kKeySize * i);
    }
    return matching;
  }
};

}  // namespace

void Scan(const uint8_t viewSecret[32], const ScannedTransaction* transactions, size_t count, size_t first,
          const SpendKeys& spendKeys, std::vector<OwnedOutput>* owned) {
  std::vector<uint8_t> keys(kKeySize * count), derivations(kKeySize * count);
  const auto decoded = std::make_unique<bool[]>(count);
  for (size_t i = 0; i < count; ++i) std::memcpy(keys.data() + kKeySize * i, transactions[i].key, kKeySize);
  KernelsFor(count).derivations(viewSecret, keys.data(), count, derivations.data(), decoded.get());

  Candidates candidates;
  for (size_t i = 0; i < count; ++i) {
    if (!decoded[i]) continue;
    const ScannedTransaction& transaction = transactions[i];
    for (size_t output = 0; output < transaction.count; ++output) {
      uint8_t scalar[32];
      ScalarToBytes(DerivationToScalar(derivations.data() + kKeySize * i, output), scalar);
      candidates.Add({i, output}, scalar, transaction.outputs + kKeySize * output);
    }
  }
  if (spendKeys.size() <= kMaxBases) candidates = candidates.Matching(spendKeys);

  const auto& [places, scalars, outputs] = candidates;
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
