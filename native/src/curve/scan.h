// Which outputs of many transactions belong to which of our spend keys, with one view key.
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
  size_t spendKey;  // index in the list the set was made of
  KeyBytes derivation;
};

// Our spend public keys, for looking up. Of equal keys the first counts.
class SpendKeys {
 public:
  SpendKeys(const uint8_t* keys, size_t count);
  // The index of the key, or -1.
  ptrdiff_t Find(const uint8_t key[32]) const;

 private:
  struct Entry {
    KeyBytes key;
    size_t index;
  };
  std::vector<Entry> entries_;  // by key
};

// Appends what is ours, by transaction and output; `first` is added to the transactions' indexes. A transaction key
// or an output that does not decode belongs to nobody.
void Scan(const uint8_t viewSecret[32], const ScannedTransaction* transactions, size_t count, size_t first,
          const SpendKeys& spendKeys, std::vector<OwnedOutput>* owned);

}  // namespace wrkz::curve
