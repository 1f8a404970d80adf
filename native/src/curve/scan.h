// Finds the outputs of many transactions that belong to a list of spend keys, with one view key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wrkz::curve {

using KeyBytes = std::array<uint8_t, 32>;

struct ScannedTransaction {
  const uint8_t* key;      // the transaction's public key, 32 bytes
  const uint8_t* outputs;  // one-time keys, 32 bytes each, from output index 0
  size_t count;
};

struct OwnedOutput {
  size_t transaction;
  size_t output;
  size_t spendKey;  // index in the list from which the set was built
  KeyBytes derivation;
};

// Lookup set of public spend keys. Among equal keys, the first one is used.
class SpendKeys {
 public:
  SpendKeys(const uint8_t* keys, size_t count);
  // The index of the key, or -1.
  ptrdiff_t Find(const uint8_t key[32]) const;
  size_t size() const { return entries_.size(); }
  // The keys in ascending order, 32 bytes each.
  std::vector<uint8_t> Concatenated() const;

 private:
  struct Entry {
    KeyBytes key;
    size_t index;
  };
  std::vector<Entry> entries_;  // by key
};

// Appends the owned outputs in order of transaction and output; `first` is added to the transaction indexes. Transaction
// keys and outputs that do not decode never match.
void Scan(const uint8_t viewSecret[32], const ScannedTransaction* transactions, size_t count, size_t first,
          const SpendKeys& spendKeys, std::vector<OwnedOutput>* owned);

}  // namespace wrkz::curve
