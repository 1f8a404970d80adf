import { BinaryReader, DecodeError } from './reader';
import type { RawBlock } from './model';
import { BinaryWriter } from './writer';

/** Serialized bytes of a block and its transactions. (The size in rules excludes header and parent.) */
export function rawBlockBytes({ block, transactions }: RawBlock): number {
  return transactions.reduce((sum, transaction) => sum + transaction.length, block.length);
}

/*
 * The body of one record of a blockchain dump (docs/protocol/storage.md#dump-file): size and bytes of the block, the
 * number of its transactions twice, size and bytes of each.
 */

/** The bytes of a dump record's body. */
export function encodeRawBlock(raw: RawBlock): Buffer {
  const writer = new BinaryWriter(raw.block.length + 64);
  writer.varint(raw.block.length).bytes(raw.block);
  writer.varint(raw.transactions.length).varint(raw.transactions.length);
  for (const transaction of raw.transactions) writer.varint(transaction.length).bytes(transaction);
  return writer.toBuffer();
}

/** Decodes the complete body of a dump record. The blobs are views of `bytes` and not parsed. @throws DecodeError */
export function decodeRawBlock(bytes: Uint8Array): RawBlock {
  const reader = new BinaryReader(bytes);
  const block = reader.bytes(reader.count(1, 'block bytes'));
  const count = reader.count(1, 'transactions');
  if (reader.count(1, 'transactions') !== count) throw new DecodeError('the two transaction counts differ');
  const transactions: Buffer[] = [];
  for (let left = count; left > 0; left--) transactions.push(reader.bytes(reader.count(1, 'transaction bytes')));
  reader.done();
  return { block, transactions };
}
