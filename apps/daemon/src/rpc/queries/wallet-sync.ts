import type { BlockFacts } from '@wrkz/consensus';
import { ResponseBuffer } from './response-buffer';
import { MAX_RESPONSE_BYTES, type Query, type QueryContext } from './query';
import {
  isHeavySync,
  type MainChainBlock,
  MAX_BLOCKS_WALKED,
  resolveStart,
  syncBlocks,
  type SyncRange,
  type HeightBlock,
  wholeBlocks,
} from './sync-blocks';
import { BINARY_START, writeBinaryBlock } from './wallet-binary';
import { WalletJson } from './wallet-json';

export interface WalletSyncQuery extends SyncRange {
  readonly skipCoinbase: boolean;
  readonly skipKeyOffsets: boolean;
  /** Leaves out blocks without transactions. Effective only together with `skipCoinbase`. */
  readonly skipEmpty: boolean;
  /** Exclusive upper bound; 0 = none. */
  readonly endHeight: number;
  readonly encoding: 'hex' | 'base64' | 'binary';
}

/**
 * The response of `/getwalletsyncdata`. In JSON the fields are in alphabetical order, as in both other implementations of the
 * network.
 * Limits: `blockCount` blocks, MAX_RESPONSE_BYTES, MAX_BLOCKS_WALKED.
 */
export const walletSyncData: Query<WalletSyncQuery> = {
  isHeavy: isHeavySync,
  run: (context, query) =>
    context.reader.snapshot(() => {
      const { reader } = context;
      const top = reader.tip();
      const sparse = query.skipEmpty && query.skipCoinbase;
      const start = resolveStart(context, query, reader.floors().records);
      let end = Math.min(top.height + 1, start + (sparse ? MAX_BLOCKS_WALKED : query.blockCount));
      if (query.endHeight > 0) end = Math.min(end, query.endHeight);
      const out = new ResponseBuffer();
      const write = blockWriter(out, query);
      let items = 0;
      let scannedTo = 0;
      if (query.encoding === 'binary') out.bytes(BINARY_START);
      else out.text('{"items":[');
      for (const block of syncBlocks(context, start, end)) {
        if (items === query.blockCount) break;
        if (!sparse || !block.isEmpty) {
          const before = out.length;
          write(block, items === 0);
          if (items > 0 && out.length > MAX_RESPONSE_BYTES) {
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
      const fields = `${scanned}"status":"OK","synced":${items === 0}${tail}}`;
      if (query.encoding === 'binary') return out.uint32(0).text(`{${fields}`).finish();
      return out.text(`],${fields}`).finish();
    }),
};

function blockWriter(out: ResponseBuffer, query: WalletSyncQuery): (block: MainChainBlock, isFirst: boolean) => void {
  const { encoding, ...options } = query;
  if (encoding === 'binary') return (block) => writeBinaryBlock(out, block, options.skipCoinbase);
  const json = new WalletJson(out, { ...options, encoding });
  return (block, isFirst) => {
    if (!isFirst) out.text(',');
    json.block(block);
  };
}

export interface RawBlocksQuery extends SyncRange {
  /** Leaves out blocks that have only a coinbase. (In `/getwalletsyncdata` this needs a second flag.) */
  readonly skipCoinbase: boolean;
  /** Adds the global indexes of the outputs. */
  readonly globalIndexes?: boolean;
}

/**
 * The response of `/getrawblocks`: blocks and transactions in hex, at least one block and as many as fit the max size. `topBlock`
 * is in it if there are no further blocks.
 */
export const rawBlocks: Query<RawBlocksQuery> = {
  isHeavy: isHeavySync,
  run: (context, query) =>
    context.reader.snapshot(() => {
      const top = context.reader.tip();
      const out = new ResponseBuffer();
      let items = 0;
      const start = resolveStart(context, query, context.reader.floors().bodies);
      const end = Math.min(top.height + 1, start + (query.skipCoinbase ? MAX_BLOCKS_WALKED : query.blockCount));
      out.text('{"items":[');
      for (const { height, raw } of query.skipCoinbase
        ? filledBlocks(context, start, end)
        : wholeBlocks(context, start, end)) {
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
        out.text(']');
        if (query.globalIndexes) {
          const lists = context.reader.globalIndexes(height).map(({ indexes }) => `[${indexes.join(',')}]`);
          out.text(`,"globalIndexes":[${lists.join(',')}]`);
        }
        out.text('}');
        if (items > 0 && out.length > MAX_RESPONSE_BYTES) {
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

/** Blocks that have more than a coinbase. */
function* filledBlocks(context: QueryContext, start: number, end: number): Generator<HeightBlock> {
  for (const { isEmpty, stamp } of syncBlocks(context, start, end)) {
    const { height } = stamp;
    if (!isEmpty) for (const raw of context.reader.rawBlocks(height, height + 1)) yield { height, raw };
  }
}

/** The field `topBlock`, which tells a wallet that it is synchronized. */
function topBlockJson({ hash, height }: BlockFacts): string {
  return `"topBlock":{"hash":"${hash.toString('hex')}","height":${height}}`;
}
