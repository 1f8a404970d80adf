import { daemonApi } from '@wrkz/api';
import { REWARD_BLOCKS_WINDOW } from '@wrkz/core-types';
import { orRefuseBelowFloor } from '../below-floor';
import { type DetailedBlock, detailedBlock, idOnlyBlock } from '../records/detailed-block';
import { RingSources } from '../records/ring-sources';
import { type BlockRangeQuery, blockRange } from './block-range';
import { JsonBuffer } from './json-buffer';
import type { Query, QueryTools } from './query';
import { writeBlocks } from './query-blocks';
import { STRIDE } from './sync-blocks';

export interface QueryBlocksDetailedQuery extends BlockRangeQuery {
  /** The most ids, and again the most whole blocks. */
  readonly blockCount: number;
}

/** The body of `/queryblocksdetailed`: blocks and transactions with everything that can be said of them. */
export const blocksDetailedQuery: Query<QueryBlocksDetailedQuery> = {
  isHeavy: () => true,
  answer: (tools, query) =>
    orRefuseBelowFloor(daemonApi.refusals.belowFloor, () =>
      tools.reader.snapshot(() => {
        const range = blockRange(tools, query);
        const out = new JsonBuffer();
        out.text('{"blocks":[');
        writeBlocks(tools, out, range, {
          most: { ids: query.blockCount, whole: query.blockCount },
          idOnly: idOnlyBlock,
          whole: (start, end) => detailedBlocks(tools, start, end),
        });
        const { currentHeight, fullOffset, startHeight } = range;
        out.text(`],"currentHeight":${currentHeight},"fullOffset":${fullOffset},"startHeight":${startHeight}`);
        return out.text(',"status":"OK"}').finish();
      }),
    ),
};

function* detailedBlocks({ reader, network }: QueryTools, start: number, end: number): Generator<DetailedBlock> {
  const sources = new RingSources(reader);
  for (let from = start; from < end; from += STRIDE) {
    const stop = Math.min(from + STRIDE, end);
    const low = Math.max(0, from - REWARD_BLOCKS_WINDOW);
    const known = reader.factsRange(low, stop);
    for (const [i, raw] of reader.rawBlocks(from, stop).entries()) {
      const height = from + i;
      const place = height - low;
      yield detailedBlock({
        network,
        raw,
        facts: known[place] as (typeof known)[number],
        before: known.slice(Math.max(0, place - REWARD_BLOCKS_WINDOW), place),
        indexes: reader.globalIndexes(height).map(({ indexes }) => indexes),
        sources,
      });
    }
  }
}
