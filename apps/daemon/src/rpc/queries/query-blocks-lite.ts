import { daemonApi } from '@wrkz/api';
import { parseBlock } from '@wrkz/core-types';
import type { z } from 'zod';
import { orRefuseBelowFloor } from '../below-floor';
import { transactionPrefixInfo } from '../records/transaction-prefix-info';
import { type BlockRangeQuery, blockRange } from './block-range';
import { JsonBuffer } from './json-buffer';
import type { Query, QueryTools } from './query';
import { writeBlocks } from './query-blocks';
import { STRIDE } from './sync-blocks';

type ShortBlock = z.output<typeof daemonApi.shortBlockObject>;

/** The most ids of an answer, and the most whole blocks. */
const MOST = { ids: 10_000, whole: 100 } as const;

/** The body of `/queryblockslite`: blocks as their bytes, transactions without signatures. */
export const blocksLiteQuery: Query<BlockRangeQuery> = {
  isHeavy: () => true,
  answer: (tools, query) =>
    orRefuseBelowFloor(daemonApi.refusals.belowFloor, () =>
      tools.reader.snapshot(() => {
        const range = blockRange(tools, query);
        const out = new JsonBuffer();
        out.text(`{"currentHeight":${range.currentHeight},"fullOffset":${range.fullOffset},"items":[`);
        writeBlocks(tools, out, range, {
          most: MOST,
          idOnly: (hash) => shortBlock(hash, [], []),
          whole: (start, end) => shortBlocks(tools, start, end),
        });
        return out.text(`],"startHeight":${range.startHeight},"status":"OK"}`).finish();
      }),
    ),
};

function* shortBlocks({ reader }: QueryTools, start: number, end: number): Generator<ShortBlock> {
  for (let from = start; from < end; from += STRIDE) {
    const stop = Math.min(from + STRIDE, end);
    const ids = reader.hashes(from, stop);
    for (const [i, { block, transactions }] of reader.rawBlocks(from, stop).entries()) {
      const hashes = parseBlock(block).block.transactionHashes;
      const prefixes = transactions.map((bytes, k) => transactionPrefixInfo(hashes[k] as Buffer, bytes));
      yield shortBlock(ids[i] as Buffer, [...block], prefixes);
    }
  }
}

function shortBlock(id: Buffer, block: number[], prefixes: ShortBlock['blockShortInfo.txPrefixes']): ShortBlock {
  return {
    'blockShortInfo.block': block,
    'blockShortInfo.blockId': id.toString('hex'),
    'blockShortInfo.txPrefixes': prefixes,
  };
}
