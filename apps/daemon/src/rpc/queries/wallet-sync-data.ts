import { JsonBuffer } from './json-buffer';
import { isHeavySync, MAX_ANSWER_BYTES, MAX_BLOCKS_WALKED } from './limits';
import type { Query } from './query';
import { resolveStart, type SyncRange } from './range';
import { syncBlocks } from './sync-blocks';
import { topBlockJson } from './top-block';
import { type WalletEncoding, WalletJson } from './wallet-json';

export interface WalletSyncQuery extends SyncRange {
  readonly skipCoinbase: boolean;
  readonly skipKeyOffsets: boolean;
  /** Leaves out blocks without transactions; works only together with `skipCoinbase`. */
  readonly skipEmpty: boolean;
  /** Exclusive upper bound; 0 = none. */
  readonly endHeight: number;
  readonly encoding: WalletEncoding;
}

/**
 * The body of `/getwalletsyncdata`: what a wallet needs of each block. Members in ascending order, as both
 * implementations of the network print them. Bounds: `blockCount` blocks, 8 MiB, 10,000 blocks walked.
 */
export const walletSyncData: Query<WalletSyncQuery> = {
  isHeavy: isHeavySync,
  answer: (tools, query) =>
    tools.reader.snapshot(() => {
      const { reader } = tools;
      const top = reader.tip();
      const sparse = query.skipEmpty && query.skipCoinbase;
      const start = resolveStart(tools, query, reader.floors().records);
      let end = Math.min(top.height + 1, start + (sparse ? MAX_BLOCKS_WALKED : query.blockCount));
      if (query.endHeight > 0) end = Math.min(end, query.endHeight);
      const out = new JsonBuffer();
      const json = new WalletJson(out, query);
      let items = 0;
      let scannedTo = 0;
      out.text('{"items":[');
      for (const block of syncBlocks(tools, start, end)) {
        if (items === query.blockCount) break;
        if (!sparse || !block.isEmpty) {
          const before = out.length;
          if (items > 0) out.text(',');
          json.block(block);
          if (items > 0 && out.length > MAX_ANSWER_BYTES) {
            out.truncate(before);
            break;
          }
          items++;
        }
        scannedTo = block.stamp.height;
      }
      const nothingLeft = items === 0 && Math.max(scannedTo + 1, start) > top.height;
      const scanned = scannedTo > 0 ? `"scannedToHeight":${scannedTo},` : '';
      const tail = nothingLeft ? `,${topBlockJson(top)}` : '';
      return out.text(`],${scanned}"status":"OK","synced":${items === 0}${tail}}`).finish();
    }),
};
