import type { BlockFacts } from '@wrkz/consensus';
import { addBigInt, addBytes, addNumber, addWord, startChecksum, type Checksum } from '../checksum';
import { addFacts, addFactsRow, type FactsRow } from './facts';

/*
 * What the checksum of each kind of row covers: its table, its key, and its columns. Files hold what these functions
 * gave, so they never change; another cover means another migration.
 */
const META = startChecksum(1);
const BLOCK = startChecksum(2);
const BODY = startChecksum(3);
const TRANSACTION = startChecksum(4);
const PREFIX = startChecksum(5);
const SIGNATURES = startChecksum(6);
const OUTPUT = startChecksum(7);
const ALTERNATIVE = startChecksum(8);
const ALTERNATIVE_BODY = startChecksum(9);
const STAMP = startChecksum(10);
const KEY_IMAGE = startChecksum(11);
const PAYMENT_ID = startChecksum(12);

export function metaChecksum(key: string, value: string): Checksum {
  return addBytes(addBytes(META, Buffer.from(key, 'utf8')), Buffer.from(value, 'utf8'));
}

export function blockChecksum(facts: BlockFacts, timestampLag: number): Checksum {
  return addFacts(addNumber(BLOCK, timestampLag), facts);
}

export function blockRowChecksum(row: FactsRow, timestampLag: number): Checksum {
  return addFactsRow(addNumber(BLOCK, timestampLag), row);
}

/** What a block is scanned for: its id and place in time, and how many transactions there are up to it. */
export interface BlockStamp {
  readonly height: number;
  readonly hash: Buffer;
  readonly timestamp: number;
  readonly timestampLag: number;
  readonly generatedTransactions: number;
}

export function stampChecksum(stamp: BlockStamp): Checksum {
  const h = addNumber(addBytes(addNumber(STAMP, stamp.height), stamp.hash), stamp.timestamp);
  return addNumber(addNumber(h, stamp.timestampLag), stamp.generatedTransactions);
}

export function bodyChecksum(height: number, codec: number, body: Uint8Array): Checksum {
  return addBytes(addNumber(addNumber(BODY, height), codec), body);
}

/** Covers what a transaction is looked up for. */
export function transactionChecksum(id: number, hash: Buffer, height: number, indexes: Uint8Array): Checksum {
  return addBytes(addNumber(addBytes(addNumber(TRANSACTION, id), hash), height), indexes);
}

/** Covers what a transaction is scanned for. */
export function prefixChecksum(id: number, hash: Buffer, codec: number, prefix: Uint8Array): Checksum {
  return addBytes(addNumber(addBytes(addNumber(PREFIX, id), hash), codec), prefix);
}

export function signaturesChecksum(id: number, codec: number, signatures: Uint8Array): Checksum {
  return addBytes(addNumber(addNumber(SIGNATURES, id), codec), signatures);
}

/** What is known of an output besides its amount and index. `unlockLow` and `unlockHigh` are halves of 64 bits. */
export interface OutputColumns {
  readonly key: Buffer;
  readonly height: number;
  readonly unlockLow: number;
  readonly unlockHigh: number;
  readonly position: number;
}

/** Covers the amount in place of its id: through a wrong id, too, nobody gets an output of another amount. */
export function outputChecksum(amount: bigint, globalIndex: number, output: OutputColumns): Checksum {
  const h = addNumber(addBytes(addNumber(addBigInt(OUTPUT, amount), globalIndex), output.key), output.height);
  return addNumber(addWord(addWord(h, output.unlockLow), output.unlockHigh), output.position);
}

export function keyImageChecksum(id: number, image: Buffer, height: number): Checksum {
  return addNumber(addBytes(addNumber(KEY_IMAGE, id), image), height);
}

export function paymentIdChecksum(id: number, paymentId: Buffer, use: number, transactionId: number): Checksum {
  return addNumber(addNumber(addBytes(addNumber(PAYMENT_ID, id), paymentId), use), transactionId);
}

export function alternativeChecksum(facts: BlockFacts, parent: Buffer): Checksum {
  return addBytes(addFacts(ALTERNATIVE, facts), parent);
}

export function alternativeRowChecksum(row: FactsRow, parent: Buffer): Checksum {
  return addBytes(addFactsRow(ALTERNATIVE, row), parent);
}

export function alternativeBodyChecksum(hash: Buffer, codec: number, body: Uint8Array): Checksum {
  return addBytes(addNumber(addBytes(ALTERNATIVE_BODY, hash), codec), body);
}
