import { parseBlock, transactionHash } from '@wrkz/core-types';
import { BoundedMap } from '@wrkz/service-kit/base';
import type { BlockCodec } from './ports';

/** A hash as the key of a map or set. */
export function hashKey(hash: Buffer): string {
  return hash.toString('hex');
}

/** The `limit` most recently added hashes; older ones are dropped. */
export class RecentHashes {
  private readonly keys: BoundedMap<string, true>;

  constructor(limit: number) {
    this.keys = new BoundedMap(limit);
  }

  /** Adds a hash. @returns whether it was new */
  add(hash: Buffer): boolean {
    const key = hashKey(hash);
    if (this.keys.has(key)) return false;
    this.keys.set(key, true);
    return true;
  }

  has(hash: Buffer): boolean {
    return this.keys.has(hashKey(hash));
  }

  delete(hash: Buffer): void {
    this.keys.delete(hashKey(hash));
  }
}

const HASH_SIZE = 32;
/** Hashes between two steps of `namedHashes`: less than a millisecond. */
const HASHES_PER_STEP = 1_000;

/**
 * The subset of our `hashes` that a peer listed, in steps: a full pool takes 300 ms. `packed` contains its hashes, 32 bytes each,
 * and may be much longer than our list: nothing is allocated per listed hash, and only hashes with a prefix of ours are compared.
 */
export function* namedHashes(hashes: readonly Buffer[], packed: Buffer): Generator<void, ReadonlySet<Buffer>> {
  const named = new Set<Buffer>();
  const byStart = new Map<number, Buffer[]>();
  for (const [index, hash] of hashes.entries()) {
    const start = hash.readUInt32LE(0);
    const alike = byStart.get(start);
    if (alike === undefined) byStart.set(start, [hash]);
    else alike.push(hash);
    if (index % HASHES_PER_STEP === 0) yield;
  }
  if (byStart.size === 0) return named;
  for (let at = 0; at + HASH_SIZE <= packed.length; at += HASH_SIZE) {
    for (const hash of byStart.get(packed.readUInt32LE(at)) ?? []) {
      if (hash.compare(packed, at, at + HASH_SIZE) === 0) named.add(hash);
    }
    if (at % (HASHES_PER_STEP * HASH_SIZE) === 0) yield;
  }
  return named;
}

/** Codec for blocks and transactions of the network. */
export const blockCodec: BlockCodec = {
  parse: (block) => parseBlock(block),
  transactionHash: (transaction) => transactionHash(transaction),
};
