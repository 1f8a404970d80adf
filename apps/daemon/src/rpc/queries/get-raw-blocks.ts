import type { ChainReader } from '@wrkz/chain-db';
import { resolveStart, type SyncRange } from './range';
import { MAX_BLOCKS_WALKED, MAX_RESPONSE_BYTES, topBlockJson } from './sync-limits';

export interface RawBlocksQuery extends SyncRange {
  readonly skipCoinbase: boolean;
  readonly skipEmpty: boolean;
}

/**
 * The body of `/getrawblocks`: blocks and transactions in hex. At least one block is sent, then as many as fit the
 * byte budget. `topBlock` stands there when nothing is left to send.
 */
export function getRawBlocks(reader: ChainReader, query: RawBlocksQuery): string {
  return reader.snapshot(() => {
    const top = reader.tip();
    const end = Math.min(top.height + 1, Number.MAX_SAFE_INTEGER);
    const items: string[] = [];
    let bytes = 0;
    const start = resolveStart(reader, query);
    const last = query.skipEmpty && query.skipCoinbase ? start + MAX_BLOCKS_WALKED : start + query.blockCount;
    for (let height = start; height < Math.min(end, last) && items.length < query.blockCount; height++) {
      const raw = reader.rawBlock(height);
      if (raw === undefined) break;
      if (query.skipCoinbase && query.skipEmpty && raw.transactions.length === 0) continue;
      const size = raw.block.length + raw.transactions.reduce((sum, tx) => sum + tx.length, 0);
      if (items.length > 0 && bytes + size > MAX_RESPONSE_BYTES) break;
      bytes += size;
      const transactions = raw.transactions.map((tx) => `"${tx.toString('hex')}"`).join(',');
      items.push(`{"block":"${raw.block.toString('hex')}","transactions":[${transactions}]}`);
    }
    const synced = items.length === 0;
    const tail = synced ? `,${topBlockJson(top)}` : '';
    return `{"items":[${items.join(',')}],"status":"OK","synced":${synced}${tail}}`;
  });
}
