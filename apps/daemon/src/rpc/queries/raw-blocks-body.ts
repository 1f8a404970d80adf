import type { ChainReader } from '@wrkz/chain-db';
import { rawBlockBytes } from '@wrkz/core-types';
import { resolveStart, type SyncRange } from './range';
import { MAX_BLOCKS_WALKED, MAX_RESPONSE_BYTES, topBlockJson } from './sync-limits';

export interface RawBlocksQuery extends SyncRange {
  /** Leaves out blocks that hold nothing but their coinbase (recorded so; the wallet route needs a second flag for it). */
  readonly skipCoinbase: boolean;
}

/**
 * The body of `/getrawblocks`: blocks and transactions in hex. At least one block is sent, then as many as fit the
 * byte budget. `topBlock` stands there when nothing is left to send.
 */
export function rawBlocksBody(reader: ChainReader, query: RawBlocksQuery): string {
  return reader.snapshot(() => {
    const top = reader.tip();
    const items: string[] = [];
    let bytes = 0;
    const start = resolveStart(reader, query);
    const end = Math.min(top.height + 1, start + (query.skipCoinbase ? MAX_BLOCKS_WALKED : query.blockCount));
    for (let height = start; height < end && items.length < query.blockCount; height++) {
      const raw = reader.rawBlock(height);
      if (raw === undefined) break;
      if (query.skipCoinbase && raw.transactions.length === 0) continue;
      bytes += rawBlockBytes(raw);
      if (items.length > 0 && bytes > MAX_RESPONSE_BYTES) break;
      const transactions = raw.transactions.map((transaction) => `"${transaction.toString('hex')}"`).join(',');
      items.push(`{"block":"${raw.block.toString('hex')}","transactions":[${transactions}]}`);
    }
    const synced = items.length === 0;
    const tail = synced ? `,${topBlockJson(top)}` : '';
    return `{"items":[${items.join(',')}],"status":"OK","synced":${synced}${tail}}`;
  });
}
