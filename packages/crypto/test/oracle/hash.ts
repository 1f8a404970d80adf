import { keccak_256, keccakP } from '@noble/hashes/sha3.js';

/** Bytes that the sponge absorbs per block. */
const RATE = 136;

export function cnFastHash(data: Uint8Array): Buffer {
  return Buffer.from(keccak_256(data));
}

export function keccak1600(data: Uint8Array): Buffer {
  const padded = Buffer.alloc((Math.floor(data.length / RATE) + 1) * RATE);
  padded.set(data);
  padded[data.length] = (padded[data.length] ?? 0) ^ 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) ^ 0x80;
  const state = Buffer.from(new ArrayBuffer(200));
  const words = new Uint32Array(state.buffer);
  for (let block = 0; block < padded.length; block += RATE) {
    for (let i = 0; i < RATE; i++) state[i] = (state[i] ?? 0) ^ (padded[block + i] ?? 0);
    keccakP(words);
  }
  return state;
}

const pair = (left: Uint8Array, right: Uint8Array): Buffer => cnFastHash(Buffer.concat([left, right]));

/** The first level: the last hashes are combined in pairs, so that a power of two remains. */
function powerOfTwoLevel(hashes: readonly Uint8Array[]): Uint8Array[] {
  let power = 1;
  while (power * 2 < hashes.length) power *= 2;
  const single = 2 * power - hashes.length;
  const level = hashes.slice(0, single);
  for (let i = single; i < hashes.length; i += 2) level.push(pair(at(hashes, i), at(hashes, i + 1)));
  return level;
}

function at(hashes: readonly Uint8Array[], index: number): Uint8Array {
  const hash = hashes[index];
  if (hash === undefined) throw new RangeError(`no hash ${index}`);
  return hash;
}

/** Every level from the first power of two up to the root, which is the last one. */
function levels(hashes: readonly Uint8Array[]): Uint8Array[][] {
  const all = [hashes.length > 1 ? powerOfTwoLevel(hashes) : [...hashes]];
  for (;;) {
    const last = all[all.length - 1] ?? [];
    if (last.length <= 1) return all;
    all.push(Array.from({ length: last.length / 2 }, (_, i) => pair(at(last, 2 * i), at(last, 2 * i + 1))));
  }
}

export function treeHash(hashes: readonly Uint8Array[]): Buffer {
  return Buffer.from(at(levels(hashes).flat().slice(-1), 0));
}

export function treeDepth(count: number): number {
  return Math.floor(Math.log2(count));
}

/** Leaf 0's siblings, topmost first. Leaf 0 is always leftmost, so each is element 1 of its level. */
export function treeBranch(hashes: readonly Uint8Array[]): Buffer[] {
  const depth = treeDepth(hashes.length);
  const siblings = levels(hashes)
    .filter((level) => level.length > 1)
    .map((level) => Buffer.from(at(level, 1)));
  if (siblings.length < depth) siblings.unshift(Buffer.from(at(hashes, 1)));
  return siblings.reverse();
}

export function treeHashFromBranch(
  branch: readonly Uint8Array[],
  depth: number,
  leaf: Uint8Array,
  path: Uint8Array | null = null,
): Buffer {
  let hash: Buffer = Buffer.from(leaf);
  for (let level = depth - 1; level >= 0; level--) {
    const leftSibling = path !== null && (((path[level >> 3] ?? 0) >> (level & 7)) & 1) === 1;
    const sibling = at(branch, level);
    hash = leftSibling ? pair(sibling, hash) : pair(hash, sibling);
  }
  return hash;
}
