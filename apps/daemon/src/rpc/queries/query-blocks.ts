import type { daemonApi } from '@wrkz/api';
import { refusals } from '@wrkz/api/daemon-errors';
import type { ChainReader } from '@wrkz/chain-db';
import { parseBlock } from '@wrkz/core-types';
import { stringifyJson } from '@wrkz/service-kit/base';
import type { z } from 'zod';
import { orRefuseBelowFloor, refuse } from '../errors';
import { ResponseBuffer } from './response-buffer';
import { MAX_RESPONSE_BYTES, type Query, type QueryContext } from './query';
import { firstKnownHash, SECONDS_PER_DAY, wholeBlocks } from './sync-blocks';
import { transactionPrefixInfo } from './transactions';

/** Start of a block query: `/queryblockslite` and `/queryblocksdetailed`. */
export interface BlockRangeQuery {
  /** Block hashes that the client has, 32 bytes each. The first one on the main chain is the start. */
  readonly blockIds: Buffer;
  /** Unix seconds; 0 = the time of the first block of the response. */
  readonly timestamp: number;
}

/** The blocks of a response, as block indexes: ids alone from `startHeight`, whole blocks from `fullOffset`. */
export interface BlockRange {
  readonly startHeight: number;
  readonly currentHeight: number;
  readonly fullOffset: number;
}

/**
 * Resolves a block query (docs/protocol/rpc.md#block-queries). Call it within one snapshot.
 * @throws RpcRefusal if none of the given ids is on the main chain
 */
export function blockRange(context: QueryContext, query: BlockRangeQuery): BlockRange {
  const { reader } = context;
  const startHeight = query.blockIds.length === 0 ? 0 : firstKnownHash(context, query.blockIds);
  if (startHeight === undefined) throw refuse(refusals.noKnownBlock);
  const ofStart = (): number => reader.blockStamps(startHeight, startHeight + 1)[0]?.timestamp ?? 0;
  const timestamp = query.timestamp === 0 && startHeight > 0 ? ofStart() : query.timestamp;
  return {
    startHeight,
    currentHeight: reader.height(),
    fullOffset: Math.max(startHeight, firstOfDay(reader, timestamp)),
  };
}

/**
 * The first block of the UTC day of `timestamp`, or of the nearest earlier day that has a block; 0 without one. A day has no
 * block if the first block after its midnight belongs to a later day.
 */
function firstOfDay(reader: ChainReader, timestamp: number): number {
  const midnight = timestamp - (timestamp % SECONDS_PER_DAY);
  const first = reader.firstHeightFrom(midnight);
  const stamp = first === undefined ? undefined : reader.blockStamps(first, first + 1)[0];
  if (stamp !== undefined && stamp.timestamp < midnight + SECONDS_PER_DAY) return stamp.height;
  const before = (first ?? reader.height() + 1) - 1;
  const [last] = before < 0 ? [] : reader.blockStamps(before, before + 1);
  // The highest timestamp up to that block is before midnight, and the day of that timestamp has a block.
  return last === undefined ? 0 : firstOfDay(reader, last.timestamp + last.timestampLag);
}

export interface BlockEntries {
  /** Max ids, and max whole blocks after them. */
  readonly max: { readonly ids: number; readonly whole: number };
  readonly idOnly: (hash: Buffer) => object;
  /** Whole blocks [start, end) in ascending order. */
  readonly whole: (start: number, end: number) => Iterable<object>;
}

const IDS_PER_READ = 1_000;

/**
 * Writes the entries of a response: the ids below `fullOffset`, and if they reach it, whole blocks from there: at least one, and
 * as many as fit the max size. The next request of the client continues after the last one.
 */
export function writeBlocks(
  context: QueryContext,
  out: ResponseBuffer,
  range: BlockRange,
  entries: BlockEntries,
): void {
  const { startHeight, fullOffset, currentHeight } = range;
  const { max, idOnly, whole } = entries;
  let separator = '';
  const write = (entry: object): void => {
    out.text(separator + stringifyJson(entry));
    separator = ',';
  };
  const idEnd = Math.min(fullOffset, startHeight + max.ids);
  for (let from = startHeight; from < idEnd; from += IDS_PER_READ) {
    context.throwIfCancelled();
    for (const hash of context.reader.hashes(from, Math.min(from + IDS_PER_READ, idEnd))) write(idOnly(hash));
  }
  if (idEnd < fullOffset) return;
  let written = 0;
  for (const entry of whole(fullOffset, Math.min(currentHeight + 1, fullOffset + max.whole))) {
    context.throwIfCancelled();
    const before = out.length;
    write(entry);
    if (written > 0 && out.length > MAX_RESPONSE_BYTES) return out.truncate(before);
    written++;
  }
}

type LiteBlock = z.output<typeof daemonApi.shortBlockObject>;

/** The response of `/queryblockslite`: blocks as bytes, transactions without signatures. */
export const liteBlocks: Query<BlockRangeQuery> = {
  isHeavy: () => true,
  run: (context, query) =>
    orRefuseBelowFloor(refusals.belowFloor, () =>
      context.reader.snapshot(() => {
        const range = blockRange(context, query);
        const out = new ResponseBuffer();
        out.text(`{"currentHeight":${range.currentHeight},"fullOffset":${range.fullOffset},"items":[`);
        writeBlocks(context, out, range, {
          max: { ids: 10_000, whole: 100 },
          idOnly: (hash) => liteBlock(hash, [], []),
          whole: (start, end) => shortBlocks(context, start, end),
        });
        return out.text(`],"startHeight":${range.startHeight},"status":"OK"}`).finish();
      }),
    ),
};

function* shortBlocks(context: QueryContext, start: number, end: number): Generator<LiteBlock> {
  for (const { raw } of wholeBlocks(context, start, end)) {
    const { hash, block } = parseBlock(raw.block);
    const hashes = block.transactionHashes;
    const prefixes = raw.transactions.map((bytes, i) => transactionPrefixInfo(hashes[i] as Buffer, bytes));
    yield liteBlock(hash, [...raw.block], prefixes);
  }
}

function liteBlock(id: Buffer, block: number[], prefixes: LiteBlock['blockShortInfo.txPrefixes']): LiteBlock {
  return {
    'blockShortInfo.block': block,
    'blockShortInfo.blockId': id.toString('hex'),
    'blockShortInfo.txPrefixes': prefixes,
  };
}
