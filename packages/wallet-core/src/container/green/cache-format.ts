import { type BinaryReader, DecodeError, MAX_UINT64, parseExtraWallet } from '@wrkz/core-types';

/* What of a cache is of use; keys and hashes as 64 lower-case hex characters (docs/protocol/wallet.md#old-containers). */

export interface GreenTransaction {
  readonly hash: string;
  /** Whether it is or was with the network: the others failed, were cancelled or deleted, or never sent. */
  readonly isSent: boolean;
  readonly timestamp: number;
  /** Undefined while it is in no block. */
  readonly blockHeight: number | undefined;
  readonly fee: bigint;
  readonly unlockTime: bigint;
  /** As it stands in the extra: "", 64 characters, or 16 that are encrypted. */
  readonly paymentId: string;
  readonly isCoinbase: boolean;
}

export interface GreenSpend {
  /** Undefined while the spending transaction is in no block. */
  readonly blockHeight: number | undefined;
  readonly transactionHash: string;
}

export interface GreenOutput {
  /** Public spend key. */
  readonly owner: string;
  readonly amount: bigint;
  readonly globalIndex: number | undefined;
  readonly outputIndex: number;
  readonly transactionPublicKey: string;
  readonly keyImage: string;
  readonly unlockTime: bigint;
  /** Undefined while it is in no block. */
  readonly blockHeight: number | undefined;
  readonly transactionHash: string;
  readonly key: string;
  readonly spend: GreenSpend | undefined;
}

export interface GreenCache {
  /** Addresses that it knows, as public spend keys. */
  readonly addresses: ReadonlySet<string>;
  readonly transactions: readonly GreenTransaction[];
  /** Those that count: a duplicate of one key image does not. */
  readonly outputs: readonly GreenOutput[];
  /** Index of the last block that was looked at; -1 before the first. */
  readonly height: number;
}

/** The reference's word for "none" in 32 bits; some of its versions wrote it with 64. */
const NONE = 0xffff_ffffn;

/** The fewest bytes that a record takes. */
export const SMALLEST = { address: 32, transaction: 41, transfer: 4, subscription: 70, information: 102, output: 136 };

export function readHash(reader: BinaryReader): string {
  return reader.hash().toString('hex');
}

/** A height or an index of 32 bits; undefined for none. */
function index32(reader: BinaryReader): number | undefined {
  const value = reader.varint(64);
  if (value === NONE || value === MAX_UINT64) return undefined;
  if (value > NONE) throw new DecodeError('an index is wider than 32 bits');
  return Number(value);
}

function flag(reader: BinaryReader): boolean {
  return reader.byte() !== 0;
}

/** A string: its length and so many bytes. */
function text(reader: BinaryReader): Buffer {
  return reader.bytes(reader.varintNumber(53));
}

/** An array of numbers: a count, and each byte as a varint. */
function skipNumbers(reader: BinaryReader): void {
  for (let left = reader.varintNumber(53); left > 0; left--) reader.varintNumber(8);
}

/** A transaction of the list; 0 is the state of one that succeeded. */
export function readGreenTransaction(reader: BinaryReader): GreenTransaction {
  const state = reader.varintNumber(8);
  const timestamp = reader.varintNumber(53);
  const blockHeight = index32(reader);
  const hash = readHash(reader);
  reader.varint(64); // the sum, which the outputs tell
  const fee = reader.varint(64);
  reader.varint(64); // when it was made
  const unlockTime = reader.varint(64);
  const { paymentId } = parseExtraWallet(text(reader));
  return { isSent: state === 0, timestamp, blockHeight, hash, fee, unlockTime, paymentId, isCoinbase: flag(reader) };
}

export function skipTransfer(reader: BinaryReader): void {
  reader.varint(64); // place of its transaction
  text(reader); // address
  reader.varint(64); // amount
  reader.varintNumber(8); // type
}

/** The synchronizer's own record of a transaction, of which the list has the same. */
export function skipInformation(reader: BinaryReader): void {
  reader.bytes(64); // hash and public key
  index32(reader); // block
  for (let i = 0; i < 4; i++) reader.varint(64); // timestamp, unlock time, sums
  skipNumbers(reader); // extra
  reader.bytes(32); // payment id
}

/** An output and whether it counts. */
export function readOutput(reader: BinaryReader, owner: string): { output: GreenOutput; isVisible: boolean } {
  if (reader.varintNumber(8) !== 1) throw new DecodeError('an output is not to a key');
  const amount = reader.varint(64);
  const globalIndex = index32(reader);
  const outputIndex = reader.varintNumber(32);
  const transactionPublicKey = readHash(reader);
  const keyImage = readHash(reader);
  const unlockTime = reader.varint(64);
  const blockHeight = index32(reader);
  index32(reader); // place of the transaction in its block
  const transactionHash = readHash(reader);
  const isVisible = flag(reader);
  const key = readHash(reader);
  const output: GreenOutput = {
    owner,
    amount,
    globalIndex,
    outputIndex,
    transactionPublicKey,
    keyImage,
    unlockTime,
    blockHeight,
    transactionHash,
    key,
    spend: undefined,
  };
  return { output, isVisible };
}

/** What follows an output that was spent. */
export function readSpend(reader: BinaryReader): GreenSpend {
  const blockHeight = index32(reader);
  reader.varint(64); // timestamp
  index32(reader); // place of the transaction in its block
  const transactionHash = readHash(reader);
  index32(reader); // number of the input
  return { blockHeight, transactionHash };
}
