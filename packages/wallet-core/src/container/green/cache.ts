import type { FileHandle } from 'node:fs/promises';
import { BinaryReader, DecodeError, MAX_UINT64, parseExtraWallet } from '@wrkz/core-types';
import { EventLoopYielder, runInSlices } from '@wrkz/service-kit/base';
import type { WalletOutput, WalletTransaction } from '../../ledger/model';
import { readUpTo } from '../file-io';
import { chaCha8, IV_SIZE } from './keys';

/* The cache of a WalletGreen file (docs/protocol/wallet.md#old-containers). Keys and hashes have 64 lower-case hex digits. */

export interface GreenTransaction extends Omit<WalletTransaction, 'transfers' | 'blockHeight'> {
  /** False if the transaction failed, was cancelled or deleted, or was never sent. */
  readonly isSent: boolean;
  /** Undefined while not mined. */
  readonly blockHeight: number | undefined;
}

export interface GreenOutput extends Omit<WalletOutput, 'blockHeight' | 'spendHeight'> {
  /** Public spend key of the sub-wallet. */
  readonly owner: string;
  readonly keyImage: string;
  /** Undefined while not mined. */
  readonly blockHeight: number | undefined;
  /** Undefined while the spending transaction is not mined. */
  readonly spendHeight: number | undefined;
}

export interface GreenCache {
  /** Public spend keys of the known addresses. */
  readonly addresses: ReadonlySet<string>;
  readonly transactions: readonly GreenTransaction[];
  /** Excludes hidden outputs, whose key image equals that of another output. */
  readonly outputs: readonly GreenOutput[];
  /** Index of the last scanned block; -1 before the first one. */
  readonly height: number;
}

interface CacheFacts {
  readonly genesisHash: string;
  /** Public view key, hex. */
  readonly viewKey: string;
}

/**
 * Decrypts and parses the cache. The unlock jobs and unsent transactions at its end are ignored.
 * @param offset position of the cache in the file
 * @returns undefined when the file ends at the offset
 * @throws DecodeError when the cache is damaged, or belongs to another chain or wallet
 */
export async function readGreenCache(
  handle: FileHandle,
  offset: number,
  fileSize: number,
  key: Buffer,
  facts: CacheFacts,
): Promise<GreenCache | undefined> {
  if (offset === fileSize) return undefined;
  const head = new BinaryReader(await readUpTo(handle, offset, IV_SIZE + MAX_VARINT_BYTES));
  const iv = head.bytes(IV_SIZE);
  const size = head.varintNumber(53);
  const start = offset + head.offset;
  // Each byte is stored as a varint of one or two bytes.
  if (size > fileSize - start) throw new DecodeError('the cache is cut off');
  const cache = await readVarintBytes(handle, start, size);
  const yielder = new EventLoopYielder();
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    const chunk = cache.subarray(at, at + CHUNK_BYTES);
    chaCha8(key, iv, chunk, at / CHACHA_BLOCK_BYTES).copy(chunk);
    await yielder.yieldIfDue();
  }
  return runInSlices(parseCache(new BinaryReader(cache), facts));
}

const MAX_VARINT_BYTES = 10;
const CHACHA_BLOCK_BYTES = 64;
/** Bytes per read or decryption, which takes a few milliseconds. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Reads the array of encrypted bytes. Each byte is a varint: values from 128 on take two bytes.
 * @param size number of elements
 * @throws DecodeError
 */
async function readVarintBytes(handle: FileHandle, start: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  const yielder = new EventLoopYielder();
  let length = 0;
  /** The first byte of a two-byte varint. */
  let half: number | undefined;
  for (let position = start; length < size; position += CHUNK_BYTES) {
    const raw = await readUpTo(handle, position, CHUNK_BYTES);
    if (raw.length === 0) throw new DecodeError('the cache is cut off');
    for (const byte of raw) {
      if (length === size) break;
      // The second byte of a varint for 128 to 255 contains only bit 7 of the value.
      if (half !== undefined && byte !== 1) {
        throw new DecodeError('an element of the encrypted array is larger than a byte');
      }
      if (half === undefined && byte >= 0x80) half = byte;
      else {
        bytes[length++] = half ?? byte;
        half = undefined;
      }
    }
    await yielder.yieldIfDue();
  }
  return bytes;
}

/** Save levels. Level 0 contains only keys. */
const WITH_TRANSACTIONS = 1;
const WITH_OUTPUTS = 2;

/** The minimum size of a record in bytes. */
const MIN_SIZE = {
  address: 32,
  hash: 32,
  transaction: 41,
  transfer: 4,
  subscription: 70,
  information: 102,
  output: 136,
};

function* parseCache(reader: BinaryReader, facts: CacheFacts): Generator<void, GreenCache> {
  const level = reader.varintNumber(8);
  if (level > WITH_OUTPUTS) throw new DecodeError('unknown save level');
  const addresses = new Set<string>();
  for (let left = countOf(reader, MIN_SIZE.address, 'addresses'); left > 0; left--) {
    addresses.add(readHash(reader));
    if (level === WITH_OUTPUTS) for (let i = 0; i < 2; i++) reader.varint(64); // available and locked balance
    yield;
  }
  const transactions: GreenTransaction[] = [];
  if (level >= WITH_TRANSACTIONS) {
    for (let left = countOf(reader, MIN_SIZE.transaction, 'transactions'); left > 0; left--) {
      transactions.push(readTransaction(reader));
      yield;
    }
    for (let left = countOf(reader, MIN_SIZE.transfer, 'transfers'); left > 0; left--) {
      skipTransfer(reader);
      yield;
    }
  }
  if (level === WITH_OUTPUTS) return { addresses, transactions, ...(yield* parseSynchronizer(reader, facts)) };
  reader.bytes(countOf(reader, 1, 'bytes of the extra'));
  return { addresses, transactions, outputs: [], height: -1 };
}

function* parseSynchronizer(
  reader: BinaryReader,
  facts: CacheFacts,
): Generator<void, Pick<GreenCache, 'outputs' | 'height'>> {
  const length = countOf(reader, 1, 'bytes of the synchronizer');
  const end = reader.offset + length;
  if (length === 0) return { outputs: [], height: -1 };
  if (readHash(reader) !== facts.genesisHash) throw new DecodeError('the cache belongs to another chain');
  readVersion(reader);
  const outputs: GreenOutput[] = [];
  let height = -1;
  for (let left = countOf(reader, MIN_SIZE.hash, 'consumers'); left > 0; left--) {
    if (readHash(reader) !== facts.viewKey) throw new DecodeError('the cache belongs to another wallet');
    height = Math.max(height, skipBlockHashes(reader) - 1);
    for (let more = countOf(reader, MIN_SIZE.subscription, 'subscriptions'); more > 0; more--) {
      yield* parseSubscription(reader, outputs);
    }
  }
  if (reader.offset !== end) throw new DecodeError('the length of the synchronizer is wrong');
  return { outputs, height };
}

/** Skips the block hashes from genesis on. @returns their number */
function skipBlockHashes(reader: BinaryReader): number {
  const length = countOf(reader, 1, 'bytes of block hashes');
  const end = reader.offset + length;
  const count = countOf(reader, MIN_SIZE.hash, 'block hashes');
  reader.bytes(count * MIN_SIZE.hash);
  if (reader.offset !== end) throw new DecodeError('the length of the block hashes is wrong');
  return count;
}

/** Reads the outputs of one address. */
function* parseSubscription(reader: BinaryReader, outputs: GreenOutput[]): Generator<void, void> {
  const owner = readHash(reader);
  reader.hash(); // public view key
  const length = countOf(reader, 1, 'bytes of transfers');
  const end = reader.offset + length;
  readVersion(reader);
  reader.varint(64); // height
  for (let left = countOf(reader, MIN_SIZE.information, 'transactions'); left > 0; left--) {
    skipInformation(reader);
    yield;
  }
  for (const isSpent of [false, false, true]) {
    for (let left = countOf(reader, MIN_SIZE.output, 'outputs'); left > 0; left--) {
      const { output, isVisible } = readOutput(reader, owner);
      const spend = isSpent ? readSpend(reader) : {};
      if (isVisible) outputs.push({ ...output, ...spend });
      yield;
    }
  }
  if (reader.offset !== end) throw new DecodeError('the length of the transfers of an address is wrong');
}

/** State 0 means success. `paymentId` is copied from extra: '', 64 hex digits, or 16 encrypted hex digits. */
function readTransaction(reader: BinaryReader): GreenTransaction {
  const state = reader.varintNumber(8);
  const timestamp = reader.varintNumber(53);
  const blockHeight = readIndex(reader);
  const hash = readHash(reader);
  reader.varint(64); // sum of the outputs
  const fee = reader.varint(64);
  reader.varint(64); // creation time
  const unlockTime = reader.varint(64);
  const { paymentId } = parseExtraWallet(readText(reader));
  return {
    isSent: state === 0,
    timestamp,
    blockHeight,
    hash,
    fee,
    unlockTime,
    paymentId,
    isCoinbase: readFlag(reader),
  };
}

function skipTransfer(reader: BinaryReader): void {
  reader.varint(64); // index of the transaction
  readText(reader); // address
  reader.varint(64); // amount
  reader.varintNumber(8); // type
}

/** Skips the synchronizer's record of a transaction, which duplicates an entry of the transaction list. */
function skipInformation(reader: BinaryReader): void {
  reader.bytes(64); // hash and public key
  readIndex(reader); // block height
  for (let i = 0; i < 4; i++) reader.varint(64); // timestamp, unlock time, sums
  for (let left = reader.varintNumber(53); left > 0; left--) reader.varintNumber(8); // extra, each byte a varint
  reader.bytes(32); // payment id
}

/** Reads an unspent output. Callers ignore hidden outputs (`isVisible` false). */
function readOutput(reader: BinaryReader, owner: string): { output: GreenOutput; isVisible: boolean } {
  if (reader.varintNumber(8) !== 1) throw new DecodeError('an output is not to a key');
  const amount = reader.varint(64);
  const globalIndex = readIndex(reader);
  const outputIndex = reader.varintNumber(32);
  const transactionPublicKey = readHash(reader);
  const keyImage = readHash(reader);
  const unlockTime = reader.varint(64);
  const blockHeight = readIndex(reader);
  readIndex(reader); // index of the transaction in its block
  const parentTransactionHash = readHash(reader);
  const isVisible = readFlag(reader);
  const key = readHash(reader);
  const output = {
    ...{ owner, amount, globalIndex, outputIndex, transactionPublicKey, keyImage, unlockTime, blockHeight, key },
    ...{
      parentTransactionHash,
      privateEphemeral: undefined,
      spendHeight: undefined,
      spendingTransactionHash: undefined,
    },
  };
  return { output, isVisible };
}

/** Reads the additional fields of a spent output. */
function readSpend(reader: BinaryReader): Pick<GreenOutput, 'spendHeight' | 'spendingTransactionHash'> {
  const spendHeight = readIndex(reader);
  reader.varint(64); // timestamp
  readIndex(reader); // index of the transaction in its block
  const spendingTransactionHash = readHash(reader);
  readIndex(reader); // index of the input
  return { spendHeight, spendingTransactionHash };
}

/** Reads a record count. @param minSize min bytes per record @throws DecodeError when the cache is too short for it */
function countOf(reader: BinaryReader, minSize: number, what: string): number {
  const count = reader.varintNumber(53);
  if (count * minSize > reader.remaining) throw new DecodeError(`the cache is too short for its number of ${what}`);
  return count;
}

function readVersion(reader: BinaryReader): void {
  if (reader.varintNumber(32) !== 0) throw new DecodeError('unknown version');
}

function readHash(reader: BinaryReader): string {
  return reader.hash().toString('hex');
}

/** Encoding of an absent index. Some versions of the C++ wallets wrote it with 64 bits. */
const NONE = 0xffff_ffffn;

/** Reads a 32-bit index; undefined if absent. */
function readIndex(reader: BinaryReader): number | undefined {
  const value = reader.varint(64);
  if (value === NONE || value === MAX_UINT64) return undefined;
  if (value > NONE) throw new DecodeError('an index is wider than 32 bits');
  return Number(value);
}

function readFlag(reader: BinaryReader): boolean {
  return reader.byte() !== 0;
}

/** Reads a length-prefixed string. */
function readText(reader: BinaryReader): Buffer {
  return reader.bytes(reader.varintNumber(53));
}
