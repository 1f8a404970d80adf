import type { FileHandle } from 'node:fs/promises';
import { BinaryReader, DecodeError } from '@wrkz/core-types';
import { EventLoopYielder } from '@wrkz/service-kit/base';
import { readUpTo } from '../file-io';
import {
  type GreenCache,
  type GreenOutput,
  type GreenTransaction,
  readGreenTransaction,
  readHash,
  readOutput,
  readSpend,
  skipInformation,
  skipTransfer,
  MIN_SIZE,
} from './cache-format';
import { ChaCha8, IV_SIZE } from './keys';

/** Bytes that are read and decrypted at once, which takes a few milliseconds. */
const CHUNK_BYTES = 256 * 1024;
const MAX_VARINT_BYTES = 10;

/**
 * Decrypts and parses the cache in chunks. Most of its hundreds of megabytes are block hashes, which are not kept in memory.
 * @param offset of the cache in the file
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
  const cipher = new ChaCha8(key, head.bytes(IV_SIZE));
  const count = head.varintNumber(53);
  let position = offset + head.offset;
  // Every byte is stored in one or two bytes.
  if (count > fileSize - position) throw new DecodeError('the cache is cut off');
  const sealed = new SealedBytes(count);
  const window = new CacheWindow(count);
  const yielder = new EventLoopYielder();

  const decryptNext = async (): Promise<Buffer> => {
    const raw = await readUpTo(handle, position, CHUNK_BYTES);
    if (raw.length === 0) throw new DecodeError('the cache is cut off');
    position += raw.length;
    await yielder.yieldIfDue();
    return cipher.apply(sealed.take(raw));
  };

  const parsing = readCache(window, facts);
  for (;;) {
    const step = parsing.next();
    if (step.done === true) {
      // Reads up to the end: a file that is cut off is damaged, even if only unused parts are missing.
      while (!sealed.isDone) await decryptNext();
      return step.value;
    }
    await yielder.yieldIfDue();
    window.push(await decryptNext());
  }
}

/** Save levels; 0 is a cache with keys only. */
const WITH_TRANSACTIONS = 1;
const WITH_OUTPUTS = 2;
const HASH_SIZE = 32;

interface CacheFacts {
  readonly genesisHash: string;
  /** Public view key, hex. */
  readonly viewKey: string;
}

/**
 * Parses a decrypted cache up to the end of the synchronizer. The unlock jobs and unsent transactions after it are not used.
 * @throws DecodeError when the cache is damaged, or belongs to another chain or wallet
 */
function* readCache(window: CacheWindow, facts: CacheFacts): CacheWork<GreenCache> {
  const level = yield* window.read((reader) => reader.varintNumber(8));
  if (level > WITH_OUTPUTS) throw new DecodeError('unknown save level');
  const addresses = new Set<string>();
  for (let left = yield* window.count(MIN_SIZE.address, 'addresses'); left > 0; left--) {
    const address = yield* window.read((reader) => {
      const key = readHash(reader);
      if (level === WITH_OUTPUTS) for (let i = 0; i < 2; i++) reader.varint(64); // available and locked balance
      return key;
    });
    addresses.add(address);
  }
  const transactions: GreenTransaction[] = [];
  if (level >= WITH_TRANSACTIONS) {
    for (let left = yield* window.count(MIN_SIZE.transaction, 'transactions'); left > 0; left--) {
      transactions.push(yield* window.read(readGreenTransaction));
    }
    for (let left = yield* window.count(MIN_SIZE.transfer, 'transfers'); left > 0; left--) {
      yield* window.read(skipTransfer);
    }
  }
  if (level < WITH_OUTPUTS) {
    yield* window.skip(yield* window.count(1, 'bytes of the extra'));
    return { addresses, transactions, outputs: [], height: -1 };
  }
  return { addresses, transactions, ...(yield* readSynchronizer(window, facts)) };
}

function* readSynchronizer(window: CacheWindow, facts: CacheFacts): CacheWork<Pick<GreenCache, 'outputs' | 'height'>> {
  const length = yield* window.count(1, 'bytes of the synchronizer');
  const end = window.left - length;
  if (length === 0) return { outputs: [], height: -1 };
  if ((yield* window.read(readHash)) !== facts.genesisHash) throw new DecodeError('the cache belongs to another chain');
  yield* readVersion(window);
  const outputs: GreenOutput[] = [];
  let height = -1;
  for (let left = yield* window.count(HASH_SIZE, 'consumers'); left > 0; left--) {
    if ((yield* window.read(readHash)) !== facts.viewKey) throw new DecodeError('the cache belongs to another wallet');
    height = Math.max(height, (yield* skipBlockHashes(window)) - 1);
    for (let more = yield* window.count(MIN_SIZE.subscription, 'subscriptions'); more > 0; more--) {
      yield* readSubscription(window, outputs);
    }
  }
  if (window.left !== end) throw new DecodeError('the length of the synchronizer is wrong');
  return { outputs, height };
}

function* readVersion(window: CacheWindow): CacheWork<void> {
  if ((yield* window.read((reader) => reader.varintNumber(32))) !== 0) throw new DecodeError('unknown version');
}

/** Skips the block hashes from genesis on. @returns their number */
function* skipBlockHashes(window: CacheWindow): CacheWork<number> {
  const length = yield* window.count(1, 'bytes of block hashes');
  const end = window.left - length;
  const count = yield* window.count(HASH_SIZE, 'block hashes');
  yield* window.skip(count * HASH_SIZE);
  if (window.left !== end) throw new DecodeError('the length of the block hashes is wrong');
  return count;
}

/** Reads the outputs of one address. */
function* readSubscription(window: CacheWindow, outputs: GreenOutput[]): CacheWork<void> {
  const owner = yield* window.read((reader) => {
    const key = readHash(reader);
    reader.hash(); // public view key
    return key;
  });
  const length = yield* window.count(1, 'bytes of transfers');
  const end = window.left - length;
  yield* readVersion(window);
  yield* window.read((reader) => reader.varint(64)); // height
  for (let left = yield* window.count(MIN_SIZE.information, 'transactions'); left > 0; left--) {
    yield* window.read(skipInformation);
  }
  for (const isSpent of [false, false, true]) {
    for (let left = yield* window.count(MIN_SIZE.output, 'outputs'); left > 0; left--) {
      const { output, isVisible } = yield* window.read((reader) => {
        const read = readOutput(reader, owner);
        return isSpent ? { ...read, output: { ...read.output, spend: readSpend(reader) } } : read;
      });
      if (isVisible) outputs.push(output);
    }
  }
  if (window.left !== end) throw new DecodeError('the length of the transfers of an address is wrong');
}

/** No record is longer than this: transactions are much shorter. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** A parser that yields whenever it needs more bytes of the cache. */
type CacheWork<T> = Generator<void, T>;

/** The decrypted bytes that are not parsed yet. */
export class CacheWindow {
  private bytes: Buffer = Buffer.alloc(0);

  /** @param missing number of bytes that were not pushed yet */
  constructor(private missing: number) {}

  /** Number of bytes that are not parsed, pushed or not. */
  get left(): number {
    return this.bytes.length + this.missing;
  }

  push(decrypted: Buffer): void {
    this.missing -= decrypted.length;
    this.bytes = this.bytes.length === 0 ? decrypted : Buffer.concat([this.bytes, decrypted]);
  }

  /**
   * Parses a record. If the window ends within the record, `parse` is repeated from its beginning with more bytes, so it must not
   * have side effects. It must not return views of the window.
   * @throws DecodeError
   */
  *read<T>(parse: (reader: BinaryReader) => T): CacheWork<T> {
    for (;;) {
      try {
        const reader = new BinaryReader(this.bytes);
        const value = parse(reader);
        this.bytes = this.bytes.subarray(reader.offset);
        return value;
      } catch (error) {
        if (!(error instanceof DecodeError) || this.missing === 0 || this.bytes.length > MAX_RECORD_BYTES) throw error;
      }
      yield;
    }
  }

  /** Parses a count of records of at least `minSize` bytes. @throws DecodeError when the cache has fewer bytes */
  *count(minSize: number, what: string): CacheWork<number> {
    const count = yield* this.read((reader) => reader.varintNumber(53));
    if (count * minSize > this.left) throw new DecodeError(`the cache is too short for its number of ${what}`);
    return count;
  }

  /** @throws DecodeError when the cache has fewer bytes */
  *skip(size: number): CacheWork<void> {
    if (size > this.left) throw new DecodeError('unexpected end of the cache');
    let rest = size;
    for (;;) {
      const here = Math.min(rest, this.bytes.length);
      this.bytes = this.bytes.subarray(here);
      rest -= here;
      if (rest === 0) return;
      yield;
    }
  }
}

/**
 * Decodes the array of the encrypted bytes, each a varint: values from 128 on take two bytes. Chunks may end anywhere.
 */
export class SealedBytes {
  /** The first byte of a two-byte varint at the end of the last chunk. */
  private half: number | undefined;

  /** @param left number of elements that are not decoded yet */
  constructor(private left: number) {}

  get isDone(): boolean {
    return this.left === 0;
  }

  /** Decodes a chunk. Bytes after the end of the array are ignored. @throws DecodeError */
  take(raw: Buffer): Buffer {
    const bytes = Buffer.allocUnsafeSlow(Math.min(raw.length, this.left));
    let length = 0;
    for (let i = 0; i < raw.length && length < this.left; i++) {
      const byte = raw[i] as number;
      if (this.half !== undefined) {
        // The second byte of a varint from 128 to 255 has only bit 7 of the value.
        if (byte !== 1) throw new DecodeError('an element of the encrypted array is larger than a byte');
        bytes[length++] = this.half;
        this.half = undefined;
      } else if (byte < 0x80) bytes[length++] = byte;
      else this.half = byte;
    }
    this.left -= length;
    return bytes.subarray(0, length);
  }
}
