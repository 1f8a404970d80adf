import { lowerBound } from '@wrkz/core-types';
import type { PoolTransaction } from './pool-transaction';
import { comparePriority } from './priority';

/** What the pool holds, by hash, by key image and in order of priority. Knows no rules. */
export class PoolStore {
  private readonly byId = new Map<string, PoolTransaction>();
  private readonly byKeyImage = new Map<string, PoolTransaction>();
  /** Wallets choose few different ones, so that what has lapsed is found without looking at each transaction. */
  private readonly byUnlockTime = new Map<bigint, Set<PoolTransaction>>();
  /** Best first, kept sorted: templates and evictions only walk it. */
  private readonly order: PoolTransaction[] = [];
  private totalBytes = 0;
  private feelessCount = 0;

  get size(): number {
    return this.byId.size;
  }

  get bytes(): number {
    return this.totalBytes;
  }

  /** How many pay nothing. */
  get feeless(): number {
    return this.feelessCount;
  }

  get(id: string): PoolTransaction | undefined {
    return this.byId.get(id);
  }

  /** The transaction of the pool that spends this key image (hex). */
  spender(keyImage: string): PoolTransaction | undefined {
    return this.byKeyImage.get(keyImage);
  }

  /** Best first. */
  inOrder(): readonly PoolTransaction[] {
    return this.order;
  }

  worst(): PoolTransaction | undefined {
    return this.order.at(-1);
  }

  /** What has an unlock time of which this is true. */
  unlockingAt(holds: (unlockTime: bigint) => boolean): PoolTransaction[] {
    return [...this.byUnlockTime].flatMap(([unlockTime, entries]) => (holds(unlockTime) ? [...entries] : []));
  }

  /** The caller has made sure that neither the hash nor a key image is in the pool. */
  add(entry: PoolTransaction): void {
    this.byId.set(entry.id, entry);
    for (const keyImage of entry.keyImages) this.byKeyImage.set(keyImage, entry);
    const { unlockTime } = entry.parsed.transaction;
    const together = this.byUnlockTime.get(unlockTime);
    if (together === undefined) this.byUnlockTime.set(unlockTime, new Set([entry]));
    else together.add(entry);
    this.order.splice(this.rank(entry), 0, entry);
    this.totalBytes += entry.size;
    if (entry.fee === 0n) this.feelessCount += 1;
  }

  remove(id: string): PoolTransaction | undefined {
    const entry = this.byId.get(id);
    if (entry === undefined) return undefined;
    this.byId.delete(id);
    for (const keyImage of entry.keyImages) this.byKeyImage.delete(keyImage);
    const { unlockTime } = entry.parsed.transaction;
    const together = this.byUnlockTime.get(unlockTime);
    together?.delete(entry);
    if (together?.size === 0) this.byUnlockTime.delete(unlockTime);
    this.order.splice(this.rank(entry), 1);
    this.totalBytes -= entry.size;
    if (entry.fee === 0n) this.feelessCount -= 1;
    return entry;
  }

  /** Where `entry` stands, or would stand. */
  private rank(entry: PoolTransaction): number {
    const { order } = this;
    return lowerBound(0, order.length, (i) => comparePriority(order[i] as PoolTransaction, entry) < 0);
  }
}
