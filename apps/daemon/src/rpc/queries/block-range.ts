import type { ChainReader } from '@wrkz/chain-db';
import { daemonApi } from '@wrkz/api';
import { refuse } from '../errors';
import type { QueryTools } from './query';
import { firstKnownHash, SECONDS_A_DAY } from './range';

/** What a block query asks for. */
export interface BlockRangeQuery {
  /** Block hashes that the client has, joined; the first one on the main chain counts. */
  readonly blockIds: Buffer;
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
export function blockRange(tools: QueryTools, query: BlockRangeQuery): BlockRange {
  const { reader } = tools;
  const startHeight = query.blockIds.length === 0 ? 0 : firstKnownHash(tools, query.blockIds);
  if (startHeight === undefined) throw refuse(daemonApi.refusals.noKnownBlock);
  const ofStart = (): number => reader.blockStamps(startHeight, startHeight + 1)[0]?.timestamp ?? 0;
  const timestamp = query.timestamp === 0 && startHeight > 0 ? ofStart() : query.timestamp;
  return {
    startHeight,
    currentHeight: reader.height(),
    fullOffset: Math.max(startHeight, firstOfDay(reader, timestamp)),
  };
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
