// The Merkle tree of CryptoNote (docs/protocol/encoding.md#tree-hash): a root over any number of 32-byte leaves, and the
// branch of leaf 0.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wrkz {

// Depth of a tree of `count` leaves (>= 1): floor(log2(count)).
size_t TreeDepth(size_t count);

// The root of `count` leaves (>= 1), 32 bytes each, one after another.
void TreeHash(const uint8_t* leaves, size_t count, uint8_t root[32]);

// The siblings from the root down to leaf 0: TreeDepth(count) hashes of 32 bytes, the topmost first.
void TreeBranch(const uint8_t* leaves, size_t count, uint8_t* branch);

// The root that `leaf` has under `branch` of `depth` hashes. Bit i of `path` (32 bytes, little-endian) says that the
// node of branch[i] stands on the left; no path (nullptr) means that the leaf's side is always the left one.
void TreeHashFromBranch(const uint8_t* branch, size_t depth, const uint8_t* leaf, const uint8_t* path, uint8_t root[32]);

}  // namespace wrkz
