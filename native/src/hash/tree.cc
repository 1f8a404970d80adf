#include "hash/tree.h"

#include <bit>
#include <cstring>
#include <vector>

#include "hash/keccak.h"

namespace wrkz {
namespace {

// Reduces the leaves to the largest power of two below their count: copies the first leaves, hashes the rest in pairs.
// The result has std::bit_floor(count - 1) nodes. Requires count >= 3.
std::vector<uint8_t> FirstLevel(const uint8_t* leaves, size_t count, size_t* width) {
  *width = std::bit_floor(count - 1);
  const size_t kept = 2 * *width - count;
  std::vector<uint8_t> nodes(*width * kHashSize);
  std::memcpy(nodes.data(), leaves, kept * kHashSize);
  const uint8_t* pair = leaves + kept * kHashSize;
  for (size_t i = kept; i < *width; i++, pair += 2 * kHashSize) {
    FastHash(pair, 2 * kHashSize, nodes.data() + i * kHashSize);
  }
  return nodes;
}

// Hashes each pair of nodes into one node, in place.
void HalveLevel(std::vector<uint8_t>& nodes, size_t width) {
  for (size_t i = 0; i < width; i++) {
    uint8_t parent[kHashSize];
    FastHash(nodes.data() + 2 * i * kHashSize, 2 * kHashSize, parent);
    std::memcpy(nodes.data() + i * kHashSize, parent, kHashSize);
  }
}

}  // namespace

void TreeHash(const uint8_t* leaves, size_t count, uint8_t root[32]) {
  if (count == 1) {
    std::memcpy(root, leaves, kHashSize);
    return;
  }
  if (count == 2) {
    FastHash(leaves, 2 * kHashSize, root);
    return;
  }
  size_t width;
  std::vector<uint8_t> nodes = FirstLevel(leaves, count, &width);
  while (width > 1) HalveLevel(nodes, width /= 2);
  std::memcpy(root, nodes.data(), kHashSize);
}

void TreeHashFromBranch(const uint8_t* branch, size_t depth, const uint8_t* leaf, const uint8_t* path, uint8_t root[32]) {
  uint8_t node[kHashSize];
  std::memcpy(node, leaf, kHashSize);
  while (depth > 0) {
    depth--;
    const bool right = path != nullptr && ((path[depth >> 3] >> (depth & 7)) & 1);
    uint8_t pair[2 * kHashSize];
    std::memcpy(pair + (right ? kHashSize : 0), node, kHashSize);
    std::memcpy(pair + (right ? 0 : kHashSize), branch + depth * kHashSize, kHashSize);
    FastHash(pair, sizeof pair, node);
  }
  std::memcpy(root, node, kHashSize);
}

}  // namespace wrkz
