import { CorruptDatabase } from '@wrkz/chain-db';
import { findWalletExtra } from '@wrkz/core-types';
import { PrefixCursor } from './prefix-cursor';
import type { ResponseBuffer } from './response-buffer';
import type { MainChainBlock } from './sync-blocks';

/** The first bytes of a response. */
export const BINARY_START = Buffer.from('WSB1', 'latin1');

const NO_KEY = Buffer.alloc(32);

/** Positions of an amount, and of the key or key image that follows it, in the stored bytes of a transaction. */
interface KeyPlace {
  readonly cursor: PrefixCursor;
  readonly amount: number;
  readonly key: number;
}

/** Positions in the stored bytes of a transaction; -1 for a missing public key. */
interface TransactionPlaces {
  readonly cursor: PrefixCursor;
  readonly unlockTime: number;
  readonly outputs: readonly KeyPlace[];
  readonly inputs: readonly KeyPlace[];
  readonly publicKey: number;
  readonly paymentId: number;
  readonly paymentIdSize: number;
}

/**
 * Writes a block in columns, directly from stored prefixes and hashes (docs/protocol/wallet-sync.md#binary-responses).
 * @throws CorruptDatabase
 */
export function writeBinaryBlock(out: ResponseBuffer, block: MainChainBlock, skipCoinbase: boolean): void {
  const { hash, height, timestamp } = block.stamp;
  const { hashes, prefixes } = skipCoinbase ? block.transfers() : block.transactions();
  const transactions = prefixes.map((prefix, i) => placesIn(prefix, hashes[i] as Buffer, i === 0 && !skipCoinbase));
  const outputs = transactions.flatMap((one) => one.outputs);
  const inputs = transactions.flatMap((one) => one.inputs);
  const start = out.length;
  out
    .uint32(0)
    .bytes(hash)
    .uint32(height)
    .uint64(timestamp)
    .uint32(skipCoinbase ? 0 : 1);
  out.uint32(transactions.length).uint32(outputs.length).uint32(inputs.length);
  for (const one of hashes) out.bytes(one);
  for (const { cursor, publicKey } of transactions) {
    if (publicKey < 0) out.bytes(NO_KEY);
    else out.bytes(cursor.bytes, publicKey, publicKey + 32);
  }
  for (const { cursor, unlockTime } of transactions) cursor.writeUint64(unlockTime, out);
  for (const one of transactions) out.uint32(one.outputs.length);
  for (const one of transactions) out.uint32(one.inputs.length);
  for (const { paymentIdSize } of transactions) out.uint32(paymentIdSize);
  for (const column of [outputs, inputs]) {
    for (const { cursor, key } of column) out.bytes(cursor.bytes, key, key + 32);
    for (const { cursor, amount } of column) cursor.writeUint64(amount, out);
  }
  for (const { cursor, paymentId, paymentIdSize } of transactions) {
    if (paymentIdSize > 0) out.bytes(cursor.bytes, paymentId, paymentId + paymentIdSize);
  }
  out.setUint32(start, out.length - start);
}

function placesIn(prefix: Buffer, hash: Buffer, isCoinbase: boolean): TransactionPlaces {
  const cursor = new PrefixCursor(prefix);
  try {
    cursor.skipVarint();
    const unlockTime = cursor.at;
    cursor.skipVarint();
    const inputs: KeyPlace[] = [];
    for (let left = cursor.count(); left > 0; left--) {
      const isKey = cursor.isKeyInput();
      const amount = cursor.at;
      cursor.skipVarint();
      if (!isKey) continue;
      for (let ring = cursor.count(); ring > 0; ring--) cursor.skipVarint();
      inputs.push({ cursor, amount, key: cursor.at });
      cursor.skip(32);
    }
    const outputs: KeyPlace[] = [];
    for (let left = cursor.count(); left > 0; left--) {
      const amount = cursor.at;
      cursor.skipVarint();
      outputs.push({ cursor, amount, key: cursor.outputKey() });
    }
    const size = cursor.count();
    const { publicKey, paymentId, paymentIdSize } = findWalletExtra(prefix, cursor.at, cursor.skip(size));
    const places = { cursor, unlockTime, outputs, publicKey, paymentId };
    if (isCoinbase) return { ...places, inputs: [], paymentIdSize: 0 };
    return { ...places, inputs, paymentIdSize };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CorruptDatabase(`transaction ${hash.toString('hex')} cannot be read: ${error.message}`);
  }
}
