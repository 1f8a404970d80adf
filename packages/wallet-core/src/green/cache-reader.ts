import { DecodeError } from '@wrkz/core-types';
import type { GreenCache, GreenOutput, GreenTransaction } from './cache-model';
import {
  readHash,
  readOutput,
  readSpend,
  readGreenTransaction,
  skipInformation,
  skipTransfer,
  SMALLEST,
} from './cache-records';
import type { CacheWindow, CacheWork } from './cache-window';

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
