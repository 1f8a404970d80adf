import type { ChainReader } from '@wrkz/chain-db';
import { daemonApi } from '@wrkz/api';
import { refuse } from '../errors';
import type { QueryTools } from './query';
import { CHECKPOINT_STRIDE, SECONDS_A_DAY } from './range';

/** What a block query asks for. */
export interface BlockRangeQuery {
  /** Hashes that the caller holds; the first one on the main chain counts. */
  readonly blockIds: readonly Buffer[];
  /** Unix seconds; 0 = the time of the block where the answer starts. */
  readonly timestamp: number;
}

/** Where the answer to a block query lies; indexes. */
export interface BlockRange {
  readonly startHeight: number;
  readonly currentHeight: number;
  readonly fullOffset: number;
}

/**
 * Resolves a block query (docs/protocol/rpc.md#block-queries). To be used within one snapshot.
 * @throws RpcRefusal when ids are given and none stands on the main chain
 */
export function blockRange({ reader, throwIfGone }: QueryTools, query: BlockRangeQuery): BlockRange {
  const startHeight = firstKnown(reader, query.blockIds, throwIfGone);
  const ofStart = (): number => reader.blockStamps(startHeight, startHeight + 1)[0]?.timestamp ?? 0;
  const timestamp = query.timestamp === 0 && startHeight > 0 ? ofStart() : query.timestamp;
  return {
    startHeight,
    currentHeight: reader.height(),
    fullOffset: Math.max(startHeight, firstOfDay(reader, timestamp)),
  };
}

function firstKnown(reader: ChainReader, ids: readonly Buffer[], throwIfGone: () => void): number {
  if (ids.length === 0) return 0;
  for (const [i, id] of ids.entries()) {
    if (i % CHECKPOINT_STRIDE === 0) throwIfGone();
    const height = reader.heightOf(id);
    if (height !== undefined) return height;
  }
  throw refuse(daemonApi.refusals.noKnownBlock);
}

/**
 * The first block of the UTC day of `timestamp`, or else of the nearest earlier day that has one; 0 without any. A day
 * counts as one without blocks when the first block from its midnight on belongs to a later day.
 */
function firstOfDay(reader: ChainReader, timestamp: number): number {
  const midnight = timestamp - (timestamp % SECONDS_A_DAY);
  const first = reader.firstHeightFrom(midnight);
  const stamp = first === undefined ? undefined : reader.blockStamps(first, first + 1)[0];
  if (stamp !== undefined && stamp.timestamp < midnight + SECONDS_A_DAY) return stamp.height;
  const before = (first ?? reader.height() + 1) - 1;
  const [last] = before < 0 ? [] : reader.blockStamps(before, before + 1);
  // the latest time up to there lies below the midnight, and its own day has a block
  return last === undefined ? 0 : firstOfDay(reader, last.timestamp + last.timestampLag);
}
