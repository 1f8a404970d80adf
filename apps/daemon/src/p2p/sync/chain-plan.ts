import type { RawBlock } from '@wrkz/core-types';
import { hashKey } from '../hashes';

/**
 * A block to download, identified by its hash and the hash that the peers name before it. A peer that reports a wrong order
 * of blocks therefore shares no entry with honest peers.
 */
export interface PlanEntry {
  readonly hash: Buffer;
  /** The hash as a key. */
  readonly key: string;
  readonly previous: Buffer;
  /** The ids of the peers whose announced chain has the block. */
  readonly offers: Set<number>;
  /** `dropped`: no longer part of the plan. */
  state: 'wanted' | 'requested' | 'received' | 'importing' | 'done' | 'dropped';
  /** The peer that got the request, then the peer that delivered the block. */
  peer: number | undefined;
  raw: RawBlock | undefined;
  bytes: number;
}

/** Blocks to import. */
export interface PlanBatch {
  readonly batch: PlanEntry[];
  /** The block before the batch in its list; undefined once that block is on the chain. */
  readonly parent: PlanEntry | undefined;
  /** How many blocks of the list follow. */
  readonly behind: number;
}

const NO_ENTRIES: readonly PlanEntry[] = [];
const NO_BODY = { raw: undefined, bytes: 0 };

/**
 * The blocks ahead of our chain as a tree: each peer has the list of hashes that it announced, and lists share the entries of
 * the blocks that they have in common. An entry stays while a peer offers it or while it is being imported. Announced hashes
 * prove nothing, so a false list must not affect the download of the others.
 */
export class ChainPlan {
  private readonly entries = new Map<string, PlanEntry>();
  private readonly lists = new Map<number, PlanEntry[]>();
  private held = 0;

  /** Bytes of blocks that arrived and are not imported. */
  get heldBytes(): number {
    return this.held;
  }

  /** The blocks that a peer announced and that are not imported yet, in the order of the chain. */
  listOf(peer: number): readonly PlanEntry[] {
    return this.lists.get(peer) ?? NO_ENTRIES;
  }

  /**
   * Replaces the list of `peer` behind `anchor`, a block of that list or of our chain, by `hashes`, one after the other.
   * @returns false if a hash would be in the list twice
   */
  announce(peer: number, anchor: Buffer, hashes: readonly Buffer[]): boolean {
    const present = this.listOf(peer);
    const list = present.slice(0, present.findLastIndex((entry) => entry.hash.equals(anchor)) + 1);
    const keys = new Set([...list.map(({ key }) => key), ...hashes.map(hashKey)]);
    if (keys.size < list.length + hashes.length) return false;
    for (const [index, hash] of hashes.entries()) {
      const entry = this.enter(hash, hashes[index - 1] ?? anchor);
      entry.offers.add(peer);
      list.push(entry);
    }
    this.lists.set(peer, list);
    const listed = new Set(list);
    for (const entry of present) if (!listed.has(entry)) this.revoke(entry, peer);
    return true;
  }

  /**
   * Picks the first `count` blocks of the peer's list that are not requested yet and marks them as requested from it.
   * @param isFull only picks blocks that follow each other: memory is full, and received blocks wait for these
   */
  request(peer: number, count: number, isFull = false): PlanEntry[] {
    const taken: PlanEntry[] = [];
    for (const entry of this.listOf(peer)) {
      if (taken.length >= count || (isFull && taken.length > 0 && entry.state !== 'wanted')) break;
      if (entry.state !== 'wanted') continue;
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

  /** The first block of the peer's list that has not arrived. */
  firstMissing(peer: number): PlanEntry | undefined {
    return this.listOf(peer).find((entry) => entry.state === 'wanted' || entry.state === 'requested');
  }

  /** Takes a block that `peer` delivered for a request; false when the plan does not need it any more. */
  receive(requested: PlanEntry, peer: number, raw: RawBlock, bytes: number): boolean {
    // The entry may have been dropped and entered again since the request.
    const entry = this.entries.get(linkOf(requested.key, requested.previous));
    if (entry?.state !== 'requested' && entry?.state !== 'wanted') return false;
    Object.assign(entry, { state: 'received', peer, raw, bytes } satisfies Partial<PlanEntry>);
    this.held += bytes;
    return true;
  }

  /** Makes a block wanted again. */
  retry(entry: PlanEntry): void {
    this.held -= entry.bytes;
    Object.assign(entry, { state: 'wanted', peer: undefined, ...NO_BODY } satisfies Partial<PlanEntry>);
    this.dropUnoffered(entry);
  }

  /** The next received blocks of one list that follow our chain or blocks that are being imported; the lists take turns. */
  nextBatch(maxBlocks: number, maxBytes: number): PlanBatch {
    for (const [peer, list] of this.lists) {
      const start = list.findIndex(({ state }) => state !== 'importing');
      const batch: PlanEntry[] = [];
      let bytes = 0;
      for (let at = start; at >= 0 && batch.length < maxBlocks && bytes < maxBytes; at += 1) {
        const entry = list[at];
        if (entry?.state !== 'received') break;
        batch.push(entry);
        bytes += entry.bytes;
      }
      if (batch.length === 0) continue;
      this.lists.delete(peer);
      this.lists.set(peer, list);
      return { batch, parent: list[start - 1], behind: list.length - start - batch.length };
    }
    return { batch: [], parent: undefined, behind: 0 };
  }

  /** These blocks are on the chain. */
  done(entries: readonly PlanEntry[]): void {
    for (const entry of entries) this.remove(entry, 'done');
    for (const list of this.lists.values()) {
      const open = list.findIndex(({ state }) => state !== 'done');
      list.splice(0, open < 0 ? list.length : open);
    }
  }

  /** These blocks were not imported, because an earlier one was not. */
  rewind(entries: readonly PlanEntry[]): void {
    for (const entry of entries) {
      if (entry.state !== 'importing') continue;
      entry.state = 'received';
      this.dropUnoffered(entry);
    }
  }

  /** Removes a peer's list: blocks that were requested from it are wanted again. */
  withdraw(peer: number): void {
    const list = this.listOf(peer);
    this.lists.delete(peer);
    for (const entry of list) this.revoke(entry, peer);
  }

  clear(): void {
    this.lists.clear();
    for (const entry of this.entries.values()) this.remove(entry, 'dropped');
  }

  private enter(hash: Buffer, previous: Buffer): PlanEntry {
    const key = hashKey(hash);
    const link = linkOf(key, previous);
    const present = this.entries.get(link);
    if (present !== undefined) return present;
    const progress = { state: 'wanted', peer: undefined, ...NO_BODY } as const;
    const entry: PlanEntry = { hash, key, previous, offers: new Set(), ...progress };
    this.entries.set(link, entry);
    return entry;
  }

  private revoke(entry: PlanEntry, peer: number): void {
    entry.offers.delete(peer);
    if (entry.state === 'requested' && entry.peer === peer) this.retry(entry);
    else this.dropUnoffered(entry);
  }

  private dropUnoffered(entry: PlanEntry): void {
    if (entry.offers.size === 0 && entry.state !== 'importing') this.remove(entry, 'dropped');
  }

  private remove(entry: PlanEntry, state: 'done' | 'dropped'): void {
    const link = linkOf(entry.key, entry.previous);
    if (this.entries.get(link) !== entry) return;
    this.entries.delete(link);
    this.held -= entry.bytes;
    Object.assign(entry, { state, ...NO_BODY } satisfies Partial<PlanEntry>);
  }
}

function linkOf(key: string, previous: Buffer): string {
  return key + hashKey(previous);
}
