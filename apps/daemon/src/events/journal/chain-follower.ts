import type { ChainReader } from '@wrkz/chain-db';
import { lowerBound } from '@wrkz/core-types';
import type { EventBlock, NodeEvent, ReorganisationEvent } from '../node-events';
import { blockEntry, removalEntry, reorganisationEntry, reportEntry, transactionEntry } from './entry';
import { type ChainPosition, type JournalStore, REMEMBERED_BLOCKS } from './store';

/* Updates the journal to the state of chain and pool: from events, and from the database where events are missing. */

/** An event and when it happened, Unix milliseconds. */
export interface TimedEvent {
  readonly event: NodeEvent;
  readonly time: number;
}

/**
 * Appends the entries of an event, within a commit of the store. Adds none if the journal already has the event because the chain
 * was read meanwhile.
 *
 * @returns false if the event does not follow the last block of the journal: the chain must be read
 */
export function writeEvent(store: JournalStore, { event, time }: TimedEvent): boolean {
  switch (event.kind) {
    case 'block':
      return writeBlock(store, event, time);
    case 'reorganisation':
      return writeReorganisation(store, event, time);
    case 'pool-added':
      if (store.addPooled(event.hash)) store.append(transactionEntry(event.hash), time);
      return true;
    case 'pool-removed':
      appendRemoval(store, event.hashes, event.reason, time);
      return true;
    default:
      store.append(reportEntry(event), time);
      return true;
  }
}

function writeBlock(store: JournalStore, block: EventBlock, time: number): boolean {
  const position = store.position();
  if (position === undefined) return true;
  if (block.height === position.height + 1 && block.previousHash.equals(position.hash)) {
    appendBlock(store, block, false, time);
    return true;
  }
  return store.hashAt(block.height)?.equals(block.hash) === true;
}

function writeReorganisation(store: JournalStore, event: ReorganisationEvent, time: number): boolean {
  const position = store.position();
  if (position === undefined) return true;
  const { rootHeight, rootHash, added, removed } = event;
  const before = removed.at(-1)?.hash ?? rootHash;
  // A block hash commits to all blocks below it: equal tips mean equal chains.
  if (position.hash.equals(before)) {
    appendReorganisation(store, event, time);
    return true;
  }
  const after = added.at(-1) ?? { height: rootHeight, hash: rootHash };
  return store.hashAt(after.height)?.equals(after.hash) === true;
}

type ReadBlock = Omit<EventBlock, 'previousHash'>;

function appendBlock(store: JournalStore, block: ReadBlock, reorganised: boolean, time: number): void {
  store.append(blockEntry(block, reorganised), time);
  store.extend(block);
}

function appendReorganisation(
  store: JournalStore,
  event: Omit<ReorganisationEvent, 'kind' | 'added'> & { readonly added: readonly EventBlock[] },
  time: number,
): void {
  store.append(reorganisationEntry(event), time);
  store.cutTo({ height: event.rootHeight, hash: event.rootHash });
  for (const block of event.added) appendBlock(store, block, true, time);
}

function appendRemoval(store: JournalStore, hashes: readonly Buffer[], reason: string, time: number): void {
  const removed = store.removePooled(hashes);
  if (removed.length > 0) store.append(removalEntry(removed, reason), time);
}

export type CompletionReader = Pick<
  ChainReader,
  'snapshot' | 'height' | 'blockStamps' | 'transactionHashes' | 'hashAt' | 'floors'
>;

/** Blocks of one step; the caller yields to the event loop between steps. */
const BLOCKS_PER_STEP = 500;

/**
 * Advances the journal by one step to the main chain of the database: appends missing blocks, or a reorganisation where the
 * chains differ. It is unknown which new blocks belonged to a reorganisation without events: its entry gets those up to one above
 * the old tip, and the rest follow as ordinary blocks.
 *
 * @returns whether the journal has reached the tip
 */
export function completeStep(store: JournalStore, chain: CompletionReader, time: number): boolean {
  return chain.snapshot(() => {
    const position = store.position();
    if (position === undefined) return true;
    const tip = chain.height();
    if (position.height <= tip && chain.hashAt(position.height)?.equals(position.hash) === true) {
      const end = Math.min(tip, position.height + BLOCKS_PER_STEP);
      const blocks = readBlocks(chain, position.height + 1, end);
      if (blocks.length > 0)
        store.commit(() => {
          for (const block of blocks) {
            appendBlock(store, block, false, time);
            appendRemoval(store, block.transactionHashes, 'InBlock', time);
          }
        });
      return end === tip;
    }
    const root = commonRoot(store, chain, Math.min(position.height, tip));
    store.commit(() =>
      root === undefined ? store.restart() : reorganise(store, chain, { position, root, tip }, time),
    );
    return root === undefined;
  });
}

function reorganise(
  store: JournalStore,
  chain: CompletionReader,
  { position, root, tip }: { position: ChainPosition; root: number; tip: number },
  time: number,
): void {
  const heights = Array.from({ length: position.height - root }, (_, i) => root + 1 + i);
  const removed = heights.map((height) => ({ height, hash: required(store.hashAt(height), height) }));
  const rootHash = required(chain.hashAt(root), root);
  const added = readBlocks(chain, root + 1, Math.min(tip, position.height + 1)).map((block, i, all) => {
    return { ...block, previousHash: all[i - 1]?.hash ?? rootHash };
  });
  appendReorganisation(store, { rootHeight: root, rootHash, added, removed }, time);
  for (const { transactionHashes } of added) appendRemoval(store, transactionHashes, 'InBlock', time);
}

/** Height of the highest common block of journal and chain, at most `height`; undefined if all remembered blocks differ. */
function commonRoot(store: JournalStore, chain: CompletionReader, height: number): number | undefined {
  const isShared = (at: number): boolean => {
    const hash = store.hashAt(at);
    return hash !== undefined && chain.hashAt(at)?.equals(hash) === true;
  };
  const lowest = store.lowest();
  if (lowest === undefined || lowest > height || !isShared(lowest)) return undefined;
  return lowerBound(lowest + 1, height + 1, isShared) - 1;
}

/** Reads blocks. Below the lite height the list of transactions is empty, because a lite node does not store them. */
function readBlocks(chain: CompletionReader, from: number, to: number): ReadBlock[] {
  const floor = chain.floors().records;
  return chain.blockStamps(from, to + 1).map(({ height, hash, timestamp }) => {
    return { height, hash, timestamp, transactionHashes: height < floor ? [] : chain.transactionHashes(height) };
  });
}

function required(hash: Buffer | undefined, height: number): Buffer {
  if (hash === undefined) throw new Error(`block ${height} is missing below the tip`);
  return hash;
}

/** Up to `REMEMBERED_BLOCKS` blocks that end with `block`; only `block` itself if it is not on the main chain. */
export function blocksUpTo(chain: CompletionReader, block: ChainPosition): ChainPosition[] {
  return chain.snapshot(() => {
    if (chain.hashAt(block.height)?.equals(block.hash) !== true) return [block];
    return chain.blockStamps(block.height - REMEMBERED_BLOCKS, block.height + 1);
  });
}

/** Appends the difference between the journal and the pool: after a start, and after events that were not written. */
export function completePool(store: JournalStore, pool: readonly Buffer[], time: number): void {
  const present = new Set(pool.map((hash) => hash.toString('hex')));
  store.commit(() => {
    const absent = store.pool().filter((hash) => !present.has(hash.toString('hex')));
    appendRemoval(store, absent, 'NotKept', time);
    for (const hash of pool) if (store.addPooled(hash)) store.append(transactionEntry(hash), time);
  });
}
