import type { ChainReader } from '@wrkz/chain-db';
import {
  parseBlock,
  parseExtraWallet,
  parseTransaction,
  type ParsedTransaction,
  type RawBlock,
  type WalletExtra,
} from '@wrkz/core-types';
import { resolveStart, type SyncRange } from './range';
import { MAX_BLOCKS_WALKED, MAX_RESPONSE_BYTES, topBlockJson } from './sync-limits';

export interface WalletSyncQuery extends SyncRange {
  readonly skipCoinbase: boolean;
  readonly skipKeyOffsets: boolean;
  /** Leaves out blocks without transactions; works only together with `skipCoinbase`. */
  readonly skipEmpty: boolean;
  /** Exclusive upper bound; 0 = none. */
  readonly endHeight: number;
  readonly encoding: 'hex' | 'base64';
}

/**
 * The body of `/getwalletsyncdata`: what a wallet needs of each block. Members in ascending order, as both
 * implementations of the network print them. Bounds: `blockCount` blocks, 8 MiB, 10,000 blocks walked.
 */
export function walletSyncDataBody(reader: ChainReader, query: WalletSyncQuery): string {
  return reader.snapshot(() => {
    const top = reader.tip();
    const sparse = query.skipEmpty && query.skipCoinbase;
    const start = resolveStart(reader, query);
    let end = Math.min(top.height + 1, start + (sparse ? MAX_BLOCKS_WALKED : query.blockCount));
    if (query.endHeight > 0) end = Math.min(end, query.endHeight);
    const items: string[] = [];
    let bytes = 0;
    let scannedTo = 0;
    for (let height = start; height < end && items.length < query.blockCount; height++) {
      const raw = reader.rawBlock(height);
      if (raw === undefined) break;
      if (sparse && raw.transactions.length === 0) {
        scannedTo = height;
        continue;
      }
      const item = blockItem(raw, height, query);
      if (items.length > 0 && bytes + item.length > MAX_RESPONSE_BYTES) break;
      bytes += item.length;
      items.push(item);
      scannedTo = height;
    }
    const nothingLeft = items.length === 0 && Math.max(scannedTo + 1, start) > top.height;
    const scanned = scannedTo > 0 ? `"scannedToHeight":${scannedTo},` : '';
    const tail = nothingLeft ? `,${topBlockJson(top)}` : '';
    return `{"items":[${items.join(',')}],${scanned}"status":"OK","synced":${items.length === 0}${tail}}`;
  });
}

function blockItem(raw: RawBlock, height: number, query: WalletSyncQuery): string {
  const parsed = parseBlock(raw.block);
  const text = (bytes: Buffer): string => `"${bytes.toString(query.encoding)}"`;
  const coinbase = query.skipCoinbase
    ? ''
    : `"coinbaseTX":{${commonMembers(parsed.coinbase, parseExtraWallet(parsed.coinbase.transaction.extra), text)}},`;
  const transactions = raw.transactions.map((bytes) => transactionItem(parseTransaction(bytes), query, text));
  return (
    `{"blockHash":${text(parsed.hash)},"blockHeight":${height},"blockTimestamp":${parsed.block.timestamp},` +
    `${coinbase}"transactions":[${transactions.join(',')}]}`
  );
}

function transactionItem(tx: ParsedTransaction, query: WalletSyncQuery, text: (bytes: Buffer) => string): string {
  const inputs = tx.transaction.inputs.map((input) => {
    if (input.type === 'base') return '{}';
    const offsets = query.skipKeyOffsets ? '' : `,"key_offsets":[${input.keyOffsets.join(',')}]`;
    return `{"amount":${input.amount},"k_image":${text(input.keyImage)}${offsets}}`;
  });
  const extra = parseExtraWallet(tx.transaction.extra);
  return `{${commonMembers(tx, extra, text)},"inputs":[${inputs.join(',')}],"paymentID":"${extra.paymentId}"}`;
}

function commonMembers(tx: ParsedTransaction, { publicKey }: WalletExtra, text: (bytes: Buffer) => string): string {
  const outputs = tx.transaction.outputs.map((output) => `{"amount":${output.amount},"key":${text(output.key)}}`);
  return (
    `"hash":${text(tx.hash)},"outputs":[${outputs.join(',')}],` +
    `"txPublicKey":${text(publicKey)},"unlockTime":${tx.transaction.unlockTime}`
  );
}
