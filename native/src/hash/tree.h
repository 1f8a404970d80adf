// The Merkle tree of CryptoNote (docs/protocol/encoding.md#tree-hash): the root of any number of 32-byte leaves.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wrkz {

// The root of `count` (>= 1) concatenated leaves of 32 bytes.
void TreeHash(const uint8_t* leaves, size_t count, uint8_t root[32]);

// The root computed from `leaf` and a `branch` of `depth` hashes. Bit i of `path` (32 bytes, little-endian) is 1 if
// branch[i] is the left node. Without a path (nullptr), branch[i] is always the right node.
void TreeHashFromBranch(const uint8_t* branch, size_t depth, const uint8_t* leaf, const uint8_t* path, uint8_t root[32]);

}  // namespace wrkz
