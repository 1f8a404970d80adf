import { lowerBound } from '@wrkz/core-types';
import type { PoolTransaction } from './pool-transaction';
import { comparePriority } from './priority';

/** Max entries of a chunk before it is split in two. Moving this many references costs less than one comparison of entries. */
const CHUNK_SIZE = 512;

/** A sorted list in chunks. Insertion and removal take O(log n) comparisons and move at most one chunk. */
class SortedList<T> {
  /** No chunk is empty. */
  private readonly chunks: T[][] = [];
  private all: readonly T[] | undefined;

  /** @param compare never 0 for two different entries */
  constructor(private readonly compare: (a: T, b: T) => number) {}

  /** From the last entry to the first. The list must not change meanwhile. */
  *reversed(): Generator<T> {
    for (const chunk of this.chunks.toReversed()) yield* chunk.toReversed();
  }

  /** A snapshot of the list, cached until the next change. `concat` takes a millisecond for a full pool, `flat` 50 times as long. */
  toArray(): readonly T[] {
    return (this.all ??= ([] as T[]).concat(...this.chunks));
  }

  insert(entry: T): void {
    this.all = undefined;
    const at = Math.min(this.chunkOf(entry), this.chunks.length - 1);
    const chunk = this.chunks[at];
    if (chunk === undefined) return void this.chunks.push([entry]);
    chunk.splice(this.indexIn(chunk, entry), 0, entry);
    if (chunk.length > CHUNK_SIZE) this.chunks.splice(at + 1, 0, chunk.splice(CHUNK_SIZE >> 1));
  }

  /** The list must contain the entry. */
  remove(entry: T): void {
    this.all = undefined;
    const at = this.chunkOf(entry);
    const chunk = this.chunks[at];
    if (chunk === undefined) return;
    chunk.splice(this.indexIn(chunk, entry), 1);
    if (chunk.length === 0) this.chunks.splice(at, 1);
  }

  /** The first chunk whose last entry is not before this one. */
  private chunkOf(entry: T): number {
    const { chunks } = this;
    return lowerBound(0, chunks.length, (i) => this.compare(chunks[i]?.at(-1) as T, entry) < 0);
  }

  private indexIn(chunk: readonly T[], entry: T): number {
    return lowerBound(0, chunk.length, (i) => this.compare(chunk[i] as T, entry) < 0);
  }
}

/** The pool's transactions by hash, by key image and in order of priority. Applies no rules. */
export class PoolStore {
  private readonly byId = new Map<string, PoolTransaction>();
  private readonly byKeyImage = new Map<string, PoolTransaction>();
  /** Index for expired unlock times, without a scan of the pool: wallets choose few different ones. */
  private readonly byUnlockTime = new Map<bigint, Set<PoolTransaction>>();
  /** Best first. */
  private readonly order = new SortedList<PoolTransaction>(comparePriority);
  private totalBytes = 0;
  private feelessCount = 0;
  private changes = 0;

  get size(): number {
    return this.byId.size;
  }

  get bytes(): number {
    return this.totalBytes;
  }

  /** Number of transactions without a fee. */
  get feeless(): number {
    return this.feelessCount;
  }

  /** Grows with every change. */
  get revision(): number {
    return this.changes;
  }

  get(id: string): PoolTransaction | undefined {
    return this.byId.get(id);
  }

  /** The pooled transaction that spends this key image (hex). */
  spender(keyImage: string): PoolTransaction | undefined {
    return this.byKeyImage.get(keyImage);
  }

  /** Highest priority first. A snapshot: later changes do not affect it. */
  inOrder(): readonly PoolTransaction[] {
    return this.order.toArray();
  }

  /** Worst first. The pool must not change meanwhile. */
  fromWorst(): Iterable<PoolTransaction> {
    return this.order.reversed();
  }

  /** Each unlock time once, with its transactions. May be read while the pool changes. */
  unlockTimes(): Iterable<readonly [unlockTime: bigint, entries: ReadonlySet<PoolTransaction>]> {
    return this.byUnlockTime;
  }

  /** Neither the hash nor a key image may be in the pool already. */
  add(entry: PoolTransaction): void {
    this.changes += 1;
    this.byId.set(entry.id, entry);
    for (const keyImage of entry.keyImages) this.byKeyImage.set(keyImage, entry);
    const { unlockTime } = entry;
    const together = this.byUnlockTime.get(unlockTime);
    if (together === undefined) this.byUnlockTime.set(unlockTime, new Set([entry]));
    else together.add(entry);
    this.order.insert(entry);
    this.totalBytes += entry.size;
    if (entry.fee === 0n) this.feelessCount += 1;
  }

  remove(id: string): PoolTransaction | undefined {
    const entry = this.byId.get(id);
    if (entry === undefined) return undefined;
    this.changes += 1;
    this.byId.delete(id);
    for (const keyImage of entry.keyImages) this.byKeyImage.delete(keyImage);
    const { unlockTime } = entry;
    const together = this.byUnlockTime.get(unlockTime);
    together?.delete(entry);
    if (together?.size === 0) this.byUnlockTime.delete(unlockTime);
    this.order.remove(entry);
    this.totalBytes -= entry.size;
    if (entry.fee === 0n) this.feelessCount -= 1;
    return entry;
  }
}
