import { JsonBuffer } from './json-buffer';
import { isHeavySync, MAX_ANSWER_BYTES, MAX_BLOCKS_WALKED } from './limits';
import type { RawBlock } from '@wrkz/core-types';
import type { Query, QueryTools } from './query';
import { resolveStart, type SyncRange } from './range';
import { STRIDE, syncBlocks } from './sync-blocks';
import { topBlockJson } from './top-block';

export interface RawBlocksQuery extends SyncRange {
  /** Leaves out blocks that hold nothing but their coinbase (recorded so; the wallet route needs a second flag for it). */
  readonly skipCoinbase: boolean;
}

/**
 * The body of `/getrawblocks`: blocks and transactions in hex. At least one block is sent, then as many as fit the
 * largest answer. `topBlock` stands there when nothing is left to send.
 */
export const rawBlocks: Query<RawBlocksQuery> = {
  isHeavy: isHeavySync,
  answer: (tools, query) =>
    tools.reader.snapshot(() => {
      const top = tools.reader.tip();
      const out = new JsonBuffer();
      let items = 0;
      const start = resolveStart(tools, query, tools.reader.floors().bodies);
      const end = Math.min(top.height + 1, start + (query.skipCoinbase ? MAX_BLOCKS_WALKED : query.blockCount));
      out.text('{"items":[');
      for (const raw of query.skipCoinbase ? filledBlocks(tools, start, end) : allBlocks(tools, start, end)) {
        if (items === query.blockCount) break;
        const before = out.length;
        out.text(items === 0 ? '{"block":"' : ',{"block":"').hex(raw.block);
        out.text('","transactions":[');
        raw.transactions.forEach((transaction, i) =>
          out
            .text(i === 0 ? '"' : ',"')
            .hex(transaction)
            .text('"'),
        );
        out.text(']}');
        if (items > 0 && out.length > MAX_ANSWER_BYTES) {
          out.truncate(before);
          break;
        }
        items++;
      }
      const synced = items === 0;
      out.text(`],"status":"OK","synced":${synced}${synced ? `,${topBlockJson(top)}` : ''}}`);
      return out.finish();
    }),
};

function* allBlocks({ reader, throwIfGone }: QueryTools, start: number, end: number): Generator<RawBlock> {
  for (let from = start; from < end; from += STRIDE) {
    throwIfGone();
    yield* reader.rawBlocks(from, Math.min(from + STRIDE, end));
  }
}

/** Those that hold more than their coinbase. */
function* filledBlocks(tools: QueryTools, start: number, end: number): Generator<RawBlock> {
  for (const { isEmpty, stamp } of syncBlocks(tools, start, end)) {
    if (!isEmpty) yield* tools.reader.rawBlocks(stamp.height, stamp.height + 1);
  }
}
