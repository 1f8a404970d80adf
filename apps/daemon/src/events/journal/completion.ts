import type { ChainReader } from '@wrkz/chain-db';
import { lowerBound } from '@wrkz/core-types';
import type { EventBlock } from '../node-events';
import { toldBlock, toldRemoval, toldTransaction } from './entry-body';
import { writeTurn } from './follow';
import { type ChainPosition, type JournalStore, REMEMBERED_BLOCKS } from './store';

/** The reader's questions that are asked here. */
export type CompletionReader = Pick<
  ChainReader,
  'snapshot' | 'height' | 'blockStamps' | 'transactionHashes' | 'hashAt' | 'floors'
>;

/** Blocks that one step writes down, so that between steps others get their turn. */
const BLOCKS_A_STEP = 500;

type ReadBlock = Omit<EventBlock, 'previousHash'>;

/**
 * Brings the journal one step nearer to the main chain as it stands in the database: blocks that are missing are told of,
 * and where the chain turned away from what was told, the turn is. Of a turn that nobody saw it is not known which of the
 * new blocks came with it: it is told with those up to one above the old tip, and the rest as they would have come.
 *
 * @returns whether the journal has come to the tip
 */
export function completeStep(store: JournalStore, chain: CompletionReader, time: number): boolean {
  return chain.snapshot(() => {
    const told = store.position();
    if (told === undefined) return true;
    const tip = chain.height();
    if (told.height <= tip && chain.hashAt(told.height)?.equals(told.hash) === true) {
      const end = Math.min(tip, told.height + BLOCKS_A_STEP);
      const blocks = readBlocks(chain, told.height + 1, end);
      if (blocks.length > 0) store.commit(() => blocks.forEach((block) => tell(store, block, time)));
      return end === tip;
    }
    const root = commonRoot(store, chain, Math.min(told.height, tip));
    store.commit(() => (root === undefined ? cutOff(store) : turn(store, chain, { told, root, tip }, time)));
    return root === undefined;
  });
}

function tell(store: JournalStore, block: ReadBlock, time: number): void {
  store.append(toldBlock(block, false), time);
  store.extend(block);
  leaveInBlock(store, block, time);
}

/** Those of a block that waited in the pool do so no more. */
function leaveInBlock(store: JournalStore, { transactionHashes }: ReadBlock, time: number): void {
  const mined = store.leavePool(transactionHashes);
  if (mined.length > 0) store.append(toldRemoval(mined, 'InBlock'), time);
}

function turn(
  store: JournalStore,
  chain: CompletionReader,
  { told, root, tip }: { told: ChainPosition; root: number; tip: number },
  time: number,
): void {
  const heights = Array.from({ length: told.height - root }, (_, i) => root + 1 + i);
  const removed = heights.map((height) => ({ height, hash: known(store.hashAt(height), height) }));
  const rootHash = known(chain.hashAt(root), root);
  const added = readBlocks(chain, root + 1, Math.min(tip, told.height + 1)).map((block, i, all) => {
    return { ...block, previousHash: all[i - 1]?.hash ?? rootHash };
  });
  writeTurn(store, { rootHeight: root, rootHash, added, removed }, time);
  for (const block of added) leaveInBlock(store, block, time);
}

/** The chain is another one, further back than is remembered: what was told of it is not kept, and the journal begins anew. */
function cutOff(store: JournalStore): void {
  store.forgetChain();
  store.keepAfter(store.state.last);
}

/** The highest block up to `height` that both have; they agree below it and nowhere above. */
function commonRoot(store: JournalStore, chain: CompletionReader, height: number): number | undefined {
  const same = (at: number): boolean => {
    const hash = store.hashAt(at);
    return hash !== undefined && chain.hashAt(at)?.equals(hash) === true;
  };
  const lowest = lowestRemembered(store, height);
  if (lowest === undefined || !same(lowest)) return undefined;
  return lowerBound(lowest + 1, height + 1, same) - 1;
}

function lowestRemembered(store: JournalStore, height: number): number | undefined {
  const lowest = store.lowest();
  return lowest === undefined || lowest > height ? undefined : lowest;
}

/** Below the height of a lite node nobody knows the transactions any more: there are none in what is told then. */
function readBlocks(chain: CompletionReader, from: number, to: number): ReadBlock[] {
  const lowest = chain.floors().records;
  return chain.blockStamps(from, to + 1).map(({ height, hash, timestamp }) => {
    return { height, hash, timestamp, transactionHashes: height < lowest ? [] : chain.transactionHashes(height) };
  });
}

function known(hash: Buffer | undefined, height: number): Buffer {
  if (hash === undefined) throw new Error(`block ${height} is missing where there is one above it`);
  return hash;
}

/** The blocks of the main chain up to one of them, as many as are remembered; that one alone when the chain has turned since. */
export function blocksUpTo(chain: CompletionReader, block: ChainPosition): ChainPosition[] {
  return chain.snapshot(() => {
    if (chain.hashAt(block.height)?.equals(block.hash) !== true) return [block];
    return chain.blockStamps(block.height - REMEMBERED_BLOCKS, block.height + 1);
  });
}

/**
 * Adds the entries that are missing between the journal and the pool: after a start, when transactions of the last run may be
 * gone, and after events that were not written.
 */
export function completePool(store: JournalStore, pool: readonly Buffer[], time: number): void {
  const waiting = new Set(pool.map((hash) => hash.toString('hex')));
  store.commit(() => {
    const gone = store.leavePool(store.pool().filter((hash) => !waiting.has(hash.toString('hex'))));
    if (gone.length > 0) store.append(toldRemoval(gone, 'NotKept'), time);
    for (const hash of pool) if (store.enterPool(hash)) store.append(toldTransaction(hash), time);
  });
}
