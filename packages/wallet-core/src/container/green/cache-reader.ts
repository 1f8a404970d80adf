import type { FileHandle } from 'node:fs/promises';
import { BinaryReader, DecodeError } from '@wrkz/core-types';
import { readUpTo } from '../file-io';
import { TurnTaker } from '../turns';
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
  SMALLEST,
} from './cache-format';
import { ChaCha8 } from './chacha8';
import { IV_SIZE } from './keys';

/** Bytes of the file that are opened at once: some milliseconds of work. */
const CHUNK = 256 * 1024;
const LONGEST_VARINT = 10;

/**
 * Reads and opens the cache piece by piece: of a file of hundreds of megabytes, most of which are hashes of blocks, only what
 * the wallet owns stays in memory.
 * @param offset where the cache begins; undefined is the answer where the file ends there
 * @throws DecodeError when it is damaged
 */
export async function readGreenCache(
  handle: FileHandle,
  offset: number,
  fileSize: number,
  key: Buffer,
  facts: CacheFacts,
): Promise<GreenCache | undefined> {
  if (offset === fileSize) return undefined;
  const head = new BinaryReader(await readUpTo(handle, offset, IV_SIZE + LONGEST_VARINT));
  const cipher = new ChaCha8(key, head.bytes(IV_SIZE));
  const count = head.varintNumber(53);
  let position = offset + head.offset;
  // Each takes one byte or two.
  if (count > fileSize - position) throw new DecodeError('the cache is cut off');
  const sealed = new SealedBytes(count);
  const window = new CacheWindow(count);
  const turns = new TurnTaker();

  const open = async (): Promise<Buffer> => {
    const raw = await readUpTo(handle, position, CHUNK);
    if (raw.length === 0) throw new DecodeError('the cache is cut off');
    position += raw.length;
    await turns.pause();
    return cipher.apply(sealed.take(raw));
  };

  const work = readCache(window, facts);
  for (;;) {
    const step = work.next();
    if (step.done === true) {
      // A cache whose end is missing may lack more than its end.
      while (!sealed.isDone) await open();
      return step.value;
    }
    await turns.pause();
    window.push(await open());
  }
}

/** How much was saved; a cache of keys alone is level 0. */
const WITH_TRANSACTIONS = 1;
const WITH_OUTPUTS = 2;
const HASH_SIZE = 32;

export interface CacheFacts {
  readonly genesisHash: string;
  /** Public, as hex. */
  readonly viewKey: string;
}

/**
 * Reads an opened cache up to the synchronizer's end; what follows (unlock jobs, unsent transactions) is of no use.
 * @throws DecodeError when it is damaged, or of another chain or wallet
 */
export function* readCache(window: CacheWindow, facts: CacheFacts): CacheWork<GreenCache> {
  const level = yield* window.read((reader) => reader.varintNumber(8));
  if (level > WITH_OUTPUTS) throw new DecodeError('unknown save level');
  const addresses = new Set<string>();
  for (let left = yield* window.count(SMALLEST.address, 'addresses'); left > 0; left--) {
    const address = yield* window.read((reader) => {
      const key = readHash(reader);
      if (level === WITH_OUTPUTS) for (let i = 0; i < 2; i++) reader.varint(64); // available and locked
      return key;
    });
    addresses.add(address);
  }
  const transactions: GreenTransaction[] = [];
  if (level >= WITH_TRANSACTIONS) {
    for (let left = yield* window.count(SMALLEST.transaction, 'transactions'); left > 0; left--) {
      transactions.push(yield* window.read(readGreenTransaction));
    }
    for (let left = yield* window.count(SMALLEST.transfer, 'transfers'); left > 0; left--) {
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
  if ((yield* window.read(readHash)) !== facts.genesisHash) throw new DecodeError('the cache is of another chain');
  yield* readVersion(window);
  const outputs: GreenOutput[] = [];
  let height = -1;
  for (let left = yield* window.count(HASH_SIZE, 'consumers'); left > 0; left--) {
    if ((yield* window.read(readHash)) !== facts.viewKey) throw new DecodeError('the cache is of another wallet');
    height = Math.max(height, (yield* skipBlockHashes(window)) - 1);
    for (let more = yield* window.count(SMALLEST.subscription, 'subscriptions'); more > 0; more--) {
      yield* readSubscription(window, outputs);
    }
  }
  if (window.left !== end) throw new DecodeError('the synchronizer ends elsewhere');
  return { outputs, height };
}

function* readVersion(window: CacheWindow): CacheWork<void> {
  if ((yield* window.read((reader) => reader.varintNumber(32))) !== 0) throw new DecodeError('unknown version');
}

/** All blocks from genesis on. @returns how many */
function* skipBlockHashes(window: CacheWindow): CacheWork<number> {
  const length = yield* window.count(1, 'bytes of block hashes');
  const end = window.left - length;
  const count = yield* window.count(HASH_SIZE, 'block hashes');
  yield* window.skip(count * HASH_SIZE);
  if (window.left !== end) throw new DecodeError('the block hashes end elsewhere');
  return count;
}

/** The outputs of one address. */
function* readSubscription(window: CacheWindow, outputs: GreenOutput[]): CacheWork<void> {
  const owner = yield* window.read((reader) => {
    const key = readHash(reader);
    reader.hash(); // the view key once more
    return key;
  });
  const length = yield* window.count(1, 'bytes of transfers');
  const end = window.left - length;
  yield* readVersion(window);
  yield* window.read((reader) => reader.varint(64)); // height
  for (let left = yield* window.count(SMALLEST.information, 'transactions'); left > 0; left--) {
    yield* window.read(skipInformation);
  }
  for (const isSpent of [false, false, true]) {
    for (let left = yield* window.count(SMALLEST.output, 'outputs'); left > 0; left--) {
      const { output, isVisible } = yield* window.read((reader) => {
        const read = readOutput(reader, owner);
        return isSpent ? { ...read, output: { ...read.output, spend: readSpend(reader) } } : read;
      });
      if (isVisible) outputs.push(output);
    }
  }
  if (window.left !== end) throw new DecodeError('the transfers of an address end elsewhere');
}

/** Nothing that is read as one is longer: a transaction of the chain is shorter by far. */
const LONGEST = 4 * 1024 * 1024;

/** Work that gives way wherever it needs more of the cache. */
export type CacheWork<T> = Generator<void, T>;

/** The part of the opened cache that is in memory: what was read goes, what is needed is waited for. */
export class CacheWindow {
  private bytes: Buffer = Buffer.alloc(0);

  /** @param toCome bytes of the opened cache that are not in memory yet */
  constructor(private toCome: number) {}

  /** Bytes that have not been read. */
  get left(): number {
    return this.bytes.length + this.toCome;
  }

  push(opened: Buffer): void {
    this.toCome -= opened.length;
    this.bytes = this.bytes.length === 0 ? opened : Buffer.concat([this.bytes, opened]);
  }

  /**
   * Reads one thing. It is tried again from its beginning when the window ended in it, so `parse` must not change anything,
   * and must not give away views of what it read.
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
        if (!(error instanceof DecodeError) || this.toCome === 0 || this.bytes.length > LONGEST) throw error;
      }
      yield;
    }
  }

  /** A count of things of at least `smallest` bytes each. @throws DecodeError when the rest cannot hold them */
  *count(smallest: number, what: string): CacheWork<number> {
    const count = yield* this.read((reader) => reader.varintNumber(53));
    if (count * smallest > this.left) throw new DecodeError(`more ${what} declared than the cache can hold`);
    return count;
  }

  /** @throws DecodeError when there are not so many */
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
 * Reads the array of numbers that the sealed cache is: each byte is a varint of its own, so that one of 128 and more takes
 * two bytes. Pieces may end anywhere.
 */
export class SealedBytes {
  /** The first half of a byte whose second half has not come yet. */
  private half: number | undefined;

  /** @param left bytes that the array still holds */
  constructor(private left: number) {}

  get isDone(): boolean {
    return this.left === 0;
  }

  /** The bytes of a piece of the array; what lies behind its end is left alone. @throws DecodeError */
  take(raw: Buffer): Buffer {
    const bytes = Buffer.allocUnsafeSlow(Math.min(raw.length, this.left));
    let length = 0;
    for (let i = 0; i < raw.length && length < this.left; i++) {
      const byte = raw[i] as number;
      if (this.half !== undefined) {
        // Bit 7 is all that is left to be told.
        if (byte !== 1) throw new DecodeError('a number of the sealed array is no byte');
        bytes[length++] = this.half;
        this.half = undefined;
      } else if (byte < 0x80) bytes[length++] = byte;
      else this.half = byte;
    }
    this.left -= length;
    return bytes.subarray(0, length);
  }
}
