import { type BinaryReader, DecodeError, MAX_UINT64, parseExtraWallet } from '@wrkz/core-types';

/* The used parts of a WalletGreen cache (docs/protocol/wallet.md#old-containers). Keys and hashes have 64 lower-case hex digits. */

export interface GreenTransaction {
  readonly hash: string;
  /** False if the transaction failed, was cancelled or deleted, or was never sent. */
  readonly isSent: boolean;
  readonly timestamp: number;
  /** Undefined while not mined. */
  readonly blockHeight: number | undefined;
  readonly fee: bigint;
  readonly unlockTime: bigint;
  /** The payment id in extra: '', 64 hex digits, or 16 encrypted hex digits. */
  readonly paymentId: string;
  readonly isCoinbase: boolean;
}

export interface GreenSpend {
  /** Undefined while the spending transaction is not mined. */
  readonly blockHeight: number | undefined;
  readonly transactionHash: string;
}

export interface GreenOutput {
  /** Public spend key of the sub-wallet. */
  readonly owner: string;
  readonly amount: bigint;
  readonly globalIndex: number | undefined;
  readonly outputIndex: number;
  readonly transactionPublicKey: string;
  readonly keyImage: string;
  readonly unlockTime: bigint;
  /** Undefined while not mined. */
  readonly blockHeight: number | undefined;
  readonly transactionHash: string;
  readonly key: string;
  readonly spend: GreenSpend | undefined;
}

export interface GreenCache {
  /** Public spend keys of the known addresses. */
  readonly addresses: ReadonlySet<string>;
  readonly transactions: readonly GreenTransaction[];
  /** Without hidden outputs, which have the key image of another output. */
  readonly outputs: readonly GreenOutput[];
  /** Index of the last scanned block; -1 before the first one. */
  readonly height: number;
}

/** The value of an absent index. Some versions of the C++ wallets wrote it with 64 bits. */
const NONE = 0xffff_ffffn;

/** The minimum size of a record in bytes. */
export const MIN_SIZE = { address: 32, transaction: 41, transfer: 4, subscription: 70, information: 102, output: 136 };

export function readHash(reader: BinaryReader): string {
  return reader.hash().toString('hex');
}

/** Reads an index of 32 bits; undefined if it is absent. */
function index32(reader: BinaryReader): number | undefined {
  const value = reader.varint(64);
  if (value === NONE || value === MAX_UINT64) return undefined;
  if (value > NONE) throw new DecodeError('an index is wider than 32 bits');
  return Number(value);
}

function flag(reader: BinaryReader): boolean {
  return reader.byte() !== 0;
}

/** Reads a string: the length and the bytes. */
function text(reader: BinaryReader): Buffer {
  return reader.bytes(reader.varintNumber(53));
}

/** Skips an array of numbers: the count, then each byte as a varint. */
function skipNumbers(reader: BinaryReader): void {
  for (let left = reader.varintNumber(53); left > 0; left--) reader.varintNumber(8);
}

/** Reads a transaction. State 0 is success. */
export function readGreenTransaction(reader: BinaryReader): GreenTransaction {
  const state = reader.varintNumber(8);
  const timestamp = reader.varintNumber(53);
  const blockHeight = index32(reader);
  const hash = readHash(reader);
  reader.varint(64); // sum of the outputs
  const fee = reader.varint(64);
  reader.varint(64); // creation time
  const unlockTime = reader.varint(64);
  const { paymentId } = parseExtraWallet(text(reader));
  return { isSent: state === 0, timestamp, blockHeight, hash, fee, unlockTime, paymentId, isCoinbase: flag(reader) };
}

export function skipTransfer(reader: BinaryReader): void {
  reader.varint(64); // index of the transaction
  text(reader); // address
  reader.varint(64); // amount
  reader.varintNumber(8); // type
}

/** Skips the synchronizer's record of a transaction, which duplicates an entry of the list. */
export function skipInformation(reader: BinaryReader): void {
  reader.bytes(64); // hash and public key
  index32(reader); // block height
  for (let i = 0; i < 4; i++) reader.varint(64); // timestamp, unlock time, sums
  skipNumbers(reader); // extra
  reader.bytes(32); // payment id
}

/** Reads an output. Hidden outputs (`isVisible` false) are ignored. */
export function readOutput(reader: BinaryReader, owner: string): { output: GreenOutput; isVisible: boolean } {
  if (reader.varintNumber(8) !== 1) throw new DecodeError('an output is not to a key');
  const amount = reader.varint(64);
  const globalIndex = index32(reader);
  const outputIndex = reader.varintNumber(32);
  const transactionPublicKey = readHash(reader);
  const keyImage = readHash(reader);
  const unlockTime = reader.varint(64);
  const blockHeight = index32(reader);
  index32(reader); // index of the transaction in its block
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

/** Reads the fields that follow a spent output. */
export function readSpend(reader: BinaryReader): GreenSpend {
  const blockHeight = index32(reader);
  reader.varint(64); // timestamp
  index32(reader); // index of the transaction in its block
  const transactionHash = readHash(reader);
  index32(reader); // index of the input
  return { blockHeight, transactionHash };
}
