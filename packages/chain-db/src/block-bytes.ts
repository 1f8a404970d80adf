import { CorruptDatabase, RefusedChange } from './errors';
import {
  type ParsedBlock,
  type ParsedTransaction,
  type TransactionPrefix,
  varintSize,
  writeVarint,
} from '@wrkz/core-types';

/*
 * A block's bytes are its body (header and parent block), its coinbase, and the hashes of its transactions
 * (docs/protocol/blocks.md#block-form). The row of the block has only the body; the rest is in the rows of its transactions.
 */

/**
 * The body of a block.
 * @throws RefusedChange if {@link joinBlock} would not restore the block
 */
export function blockBody({ bytes, coinbase }: ParsedBlock, transactions: readonly ParsedTransaction[]): Buffer {
  const body = bytes.subarray(0, bytes.length - coinbase.bytes.length - hashListSize(transactions.length));
  const joined = joinBlock(
    body,
    coinbase.bytes,
    transactions.map(({ hash }) => hash),
  );
  if (!joined.equals(bytes)) throw new RefusedChange('the block does not list the given transactions');
  return body;
}

/** The bytes of a block from its parts. */
export function joinBlock(body: Buffer, coinbase: Buffer, hashes: readonly Buffer[]): Buffer {
  const start = body.length + coinbase.length;
  const bytes = Buffer.allocUnsafe(start + hashListSize(hashes.length));
  body.copy(bytes, 0);
  coinbase.copy(bytes, body.length);
  let end = writeVarint(bytes, hashes.length, start);
  for (const hash of hashes) end += hash.copy(bytes, end);
  return bytes;
}

function hashListSize(count: number): number {
  return varintSize(count) + 32 * count;
}

/** The bytes of a transaction behind the prefix. */
export function signaturesOf({ bytes, prefixBytes }: Pick<ParsedTransaction, 'bytes' | 'prefixBytes'>): Buffer {
  return bytes.subarray(prefixBytes.length);
}

/** The key images that a transaction spends. */
export function spentKeyImages({ inputs }: Pick<TransactionPrefix, 'inputs'>): Buffer[] {
  return inputs.flatMap((input) => (input.type === 'key' ? [input.keyImage] : []));
}

/** Encodings of a stored blob (column `codec`). */
export const Codec = {
  /** The serialized bytes. */
  plain: 0,
} as const;

/**
 * Decodes a stored blob.
 * @throws CorruptDatabase for an unknown encoding
 */
export function decodeBlob(codec: number, blob: Buffer, table: string, row: string | number): Buffer {
  if (codec === Codec.plain) return blob;
  throw new CorruptDatabase(`row ${row} of ${table} has the unknown encoding ${codec}`);
}
