import type { RawBlock } from '@wrkz/core-types';
import { hashKey } from '../hashes';

/** A block to fetch. `previous` is the hash that the offering peers say it follows; `offers` are their ids. */
export interface PlanEntry {
  readonly hash: Buffer;
  readonly key: string;
  readonly height: number;
  readonly previous: Buffer;
  readonly offers: Set<number>;
  state: 'wanted' | 'requested' | 'received' | 'importing';
  /** The peer that got the request, then the one that delivered it. */
  peer: number | undefined;
  raw: RawBlock | undefined;
  bytes: number;
}

/**
 * How an announced chain fits a plan. `joined`: it is the plan's, as far as both go. `diverged`: it shares blocks with the
 * plan and goes on with others. `foreign`: it shares none.
 */
export type MergeOutcome = 'joined' | 'diverged' | 'foreign';

/** The blocks of one branch ahead of our chain, in order, and who can serve each. */
export class DownloadPlan {
  private entries: PlanEntry[] = [];
  private readonly byKey = new Map<string, PlanEntry>();
  private held = 0;

  get length(): number {
    return this.entries.length;
  }

  /** Bytes of blocks that arrived and are not committed. */
  get heldBytes(): number {
    return this.held;
  }

  heightOf(hash: Buffer): number | undefined {
    return this.byKey.get(hashKey(hash))?.height;
  }

  get(hash: Buffer): PlanEntry | undefined {
    return this.byKey.get(hashKey(hash));
  }

  /** Whether `peer` may still serve something of the plan. */
  offersAnything(peer: number): boolean {
    return this.entries.some((entry) => entry.offers.has(peer));
  }

  /** How many blocks that `peer` offers are not requested yet. */
  wantedFrom(peer: number): number {
    return this.entries.reduce((sum, entry) => sum + (entry.state === 'wanted' && entry.offers.has(peer) ? 1 : 0), 0);
  }

  /** Enters the chain that `peer` announces: `hashes` follow `anchor`, one after the other. */
  merge(peer: number, anchor: Buffer, anchorHeight: number, hashes: readonly Buffer[]): MergeOutcome {
    let start = 0;
    if (this.entries.length > 0) {
      const anchored = this.byKey.get(hashKey(anchor));
      const first = hashes[0] === undefined ? undefined : this.byKey.get(hashKey(hashes[0]));
      if (first?.previous.equals(anchor) === true) start = this.entries.indexOf(first);
      else if (anchored !== undefined) start = this.entries.indexOf(anchored) + 1;
      else return 'foreign';
    }
    for (const [index, hash] of hashes.entries()) {
      const planned = this.entries[start + index];
      if (planned === undefined && this.byKey.has(hashKey(hash))) return forkedAt(index);
      if (planned === undefined) this.append(peer, hash, hashes[index - 1] ?? anchor, anchorHeight + 1 + index);
      else if (planned.hash.equals(hash)) planned.offers.add(peer);
      else return forkedAt(index);
    }
    return 'joined';
  }

  /** Picks up to `count` blocks to ask `peer` for and marks them; in order, from the head. */
  request(peer: number, count: number): PlanEntry[] {
    const taken: PlanEntry[] = [];
    for (const entry of this.entries) {
      if (taken.length >= count) break;
      if (entry.state !== 'wanted' || !entry.offers.has(peer)) continue;
      entry.state = 'requested';
      entry.peer = peer;
      taken.push(entry);
    }
    return taken;
  }

  /** Requests blocks of another peer from `peer`, too, if it offers them; the first response is used. */
  takeOver(peer: number, entries: Iterable<PlanEntry>): PlanEntry[] {
    const taken = [...entries].filter((entry) => entry.state === 'requested' && entry.offers.has(peer));
    for (const entry of taken) entry.peer = peer;
    return taken;
  }

  /** The first block that has not arrived. */
  firstMissing(): PlanEntry | undefined {
    return this.entries.find((entry) => entry.state === 'wanted' || entry.state === 'requested');
  }

  /** Takes a block that `peer` brought; false when it is not needed any more. */
  receive(entry: PlanEntry, peer: number, raw: RawBlock, bytes: number): boolean {
    const awaited = entry.state === 'requested' || entry.state === 'wanted';
    if (!awaited || this.byKey.get(entry.key) !== entry) return false;
    entry.state = 'received';
    entry.peer = peer;
    entry.raw = raw;
    entry.bytes = bytes;
    this.held += bytes;
    return true;
  }

  /** Makes a block wanted again. */
  retry(entry: PlanEntry): void {
    this.held -= entry.bytes;
    entry.state = 'wanted';
    entry.peer = undefined;
    entry.raw = undefined;
    entry.bytes = 0;
  }

  /** Takes the next received blocks, in order, to be added to the chain. */
  ready(maxBlocks: number, maxBytes: number): PlanEntry[] {
    const batch: PlanEntry[] = [];
    let bytes = 0;
    for (const entry of this.entries) {
      if (entry.state === 'importing') continue;
      if (entry.state !== 'received' || batch.length >= maxBlocks || bytes >= maxBytes) break;
      entry.state = 'importing';
      batch.push(entry);
      bytes += entry.bytes;
    }
    return batch;
  }

  /** Forgets the first `count` blocks: they are on the chain. */
  done(count: number): void {
    for (const entry of this.entries.splice(0, count)) this.forget(entry);
  }

  /** Blocks that were being added go back to wait: an earlier one was refused. */
  rewindImport(): void {
    for (const entry of this.entries) if (entry.state === 'importing') entry.state = 'received';
  }

  /** `peer` is gone: what was requested from it is wanted again, and what nobody else can serve is dropped. */
  withdraw(peer: number): void {
    for (const entry of this.entries) {
      entry.offers.delete(peer);
      if (entry.state === 'requested' && entry.peer === peer) this.retry(entry);
    }
    this.prune();
  }

  /** Drops what is wanted and nobody offers, and all that follows it. */
  prune(): void {
    const lost = this.entries.findIndex((entry) => entry.offers.size === 0 && entry.state === 'wanted');
    if (lost >= 0) for (const entry of this.entries.splice(lost)) this.forget(entry);
  }

  clear(): void {
    this.entries = [];
    this.byKey.clear();
    this.held = 0;
  }

  private append(peer: number, hash: Buffer, previous: Buffer, height: number): void {
    const key = hashKey(hash);
    const entry: PlanEntry = {
      hash,
      key,
      height,
      previous,
      offers: new Set([peer]),
      state: 'wanted',
      peer: undefined,
      raw: undefined,
      bytes: 0,
    };
    this.entries.push(entry);
    this.byKey.set(key, entry);
  }

  private forget(entry: PlanEntry): void {
    this.held -= entry.bytes;
    this.byKey.delete(entry.key);
  }
}

/** The first hash after what both share differs: nothing is shared when that is the very first. */
function forkedAt(index: number): MergeOutcome {
  return index > 0 ? 'diverged' : 'foreign';
}
