import { concat32, requireBytes, requireInteger } from './arguments';
import { binding } from './binding';

interface TreeBinding {
  treeHash(leaves: Buffer, output: Buffer): Buffer;
  treeHashFromBranch(branch: Buffer, leaf: Uint8Array, path: Uint8Array | null, output: Buffer): Buffer;
}

/** A path has 256 bits, one per level. */
const MAX_DEPTH = 256;

/**
 * The Merkle root of 32-byte hashes; leaf 0 of a block is its coinbase transaction.
 * @throws RangeError when there is no hash or one is not 32 bytes.
 */
export function treeHash(hashes: readonly Uint8Array[]): Buffer {
  const leaves = concat32(hashes, 'hashes');
  if (leaves.length === 0) throw new RangeError('hashes must not be empty');
  return binding<TreeBinding>().treeHash(leaves, Buffer.allocUnsafe(32));
}

/** The depth of leaf 0 in a tree of `count` leaves: floor(log2(count)). `count` from 1 to 2^31 - 1. */
export function treeDepth(count: number): number {
  requireInteger(count, 'count', 1, 0x7fffffff);
  return 31 - Math.clz32(count);
}

/**
 * The root computed from `leaf` and the first `depth` hashes of `branch` (at most 256). If bit i of `path` (32 bytes,
 * little-endian) is set, `branch[i]` is the left sibling. Without a path the leaf is always on the left.
 * @throws RangeError when the branch is shorter than `depth`.
 */
export function treeHashFromBranch(
  branch: readonly Uint8Array[],
  depth: number,
  leaf: Uint8Array,
  path: Uint8Array | null = null,
): Buffer {
  requireInteger(depth, 'depth', 0, MAX_DEPTH);
  requireBytes(leaf, 'leaf', 32);
  if (path !== null) requireBytes(path, 'path', 32);
  const joined = concat32(branch.slice(0, depth), 'branch');
  if (joined.length !== 32 * depth) throw new RangeError(`branch must have ${depth} hashes, not ${branch.length}`);
  return binding<TreeBinding>().treeHashFromBranch(joined, leaf, path, Buffer.allocUnsafe(32));
}
