import { existsSync } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DecodeError, encodeAddress, networkOf } from '@wrkz/core-types';
import { viewKeyFromSpendKey } from '@wrkz/crypto';
import { EventLoopYielder, runInSlices } from '@wrkz/service-kit/base';
import { isWalletError, walletError, walletErrorOf } from '../../errors';
import { emptySubWallet } from '../../keys/wallet-keys';
import type { ScanStart, SubWallet, WalletContent } from '../../ledger/model';
import { deriveFileKey, writeContainer } from '../encrypted-file';
import { readAt, readUpTo, replaceFile, withRegularFile } from '../file-io';
import { type GreenCache, readGreenCache } from './cache';
import { type ConvertedHistory, convertHistory } from './history';
import { GREEN_PREFIX_SIZE, type GreenKeys, greenLayout, readGreenKeys } from './keys';

/** The result of converting a WalletGreen file. */
export interface ContainerConversion {
  /** Path of the copy of the original file. */
  readonly backup: string;
  /** Why the history was not converted, so that only the scan restores it; undefined if it was converted. */
  readonly lostCache: string | undefined;
  readonly scanStart: ScanStart;
}

/**
 * Replaces a WalletGreen file atomically with a container with the same password, and retains a copy of the original file
 * (docs/protocol/wallet.md#old-containers). After an error the file is unchanged.
 * @param file absolute path, locked by the caller
 * @returns undefined when the file is not a WalletGreen file
 * @throws WalletError wrongPassword, walletFileCorrupted; invalidWalletFilename when the copy or the container cannot be written;
 * walletFileInUse when another program changed the file meanwhile
 */
export async function convertGreenFile(file: string, password: string): Promise<ContainerConversion | undefined> {
  const handle = await open(file, 'r');
  try {
    const before = await handle.stat();
    const found = await readGreenFile(handle, before.size, password);
    if (found === undefined) return undefined;
    const backup = await backUp(handle, before.size, file);
    const key = await deriveFileKey(password);
    await replaceFile(file, 'replace', async (target) => {
      await writeContainer(target, found.content, key);
      const after = await handle.stat();
      if (after.size !== before.size || after.mtimeMs !== before.mtimeMs) throw walletError.walletFileInUse();
    });
    const { startHeight: height, startTimestamp: timestamp } = found.content;
    return { backup, lostCache: found.lostCache, scanStart: { height, timestamp } };
  } finally {
    await handle.close();
  }
}

/**
 * Reads a WalletGreen file without changing it.
 * @returns undefined when the file is not a WalletGreen file
 * @throws WalletError wrongPassword, walletFileCorrupted
 */
export async function readGreenFile(
  handle: FileHandle,
  size: number,
  password: string,
): Promise<{ content: WalletContent; lostCache: string | undefined } | undefined> {
  const layout = greenLayout(await readUpTo(handle, 0, GREEN_PREFIX_SIZE), size);
  if (layout === undefined) return undefined;
  const keys = await readGreenKeys(handle, layout, password);
  try {
    const cache = await readGreenCache(handle, layout.cacheOffset, size, keys.cacheKey, {
      // Every network has the same genesis block.
      genesisHash: networkOf('mainnet').genesis.hash.toString('hex'),
      viewKey: keys.viewPublic.toString('hex'),
    });
    return { content: await runInSlices(convertedContent(keys, cache)), lostCache: undefined };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    // The keys are complete, and the scan restores the transactions from the chain.
    return { content: await runInSlices(convertedContent(keys, undefined)), lostCache: error.message };
  }
}

/** Max 32-bit Unix time (year 2106). A larger value means that the file is damaged. */
const MAX_TIME = 0xffff_ffffn;

const NO_HISTORY: ConvertedHistory = {
  outputs: new Map(),
  transactions: [],
  unconfirmed: [],
  height: 0,
  firstTimestamp: Infinity,
};

/**
 * Converts keys and cache. The history of the cache is available immediately. The chain is nevertheless scanned from the
 * first creation time on, because WalletGreen missed transactions (docs/protocol/wallet.md#old-containers).
 * @throws DecodeError when the cache is inconsistent with itself or with the keys
 */
function* convertedContent(keys: GreenKeys, cache: GreenCache | undefined): Generator<void, WalletContent> {
  const history = cache === undefined ? NO_HISTORY : yield* convertHistory(keys, cache);
  const isViewWallet = keys.spendKeys[0] !== undefined && keys.spendKeys[0].secretKey === undefined;
  const primary = primaryIndexOf(keys);
  const subWallets: SubWallet[] = [];
  let startTimestamp = history.firstTimestamp;
  for (const [i, { publicKey, secretKey, creationTime }] of keys.spendKeys.entries()) {
    const timestamp = creationTime > MAX_TIME ? 0 : Number(creationTime);
    startTimestamp = Math.min(startTimestamp, timestamp);
    const publicSpendKey = publicKey.toString('hex');
    const privateSpendKey = secretKey?.toString('hex');
    const address = encodeAddress({ spendPublic: publicKey, viewPublic: keys.viewPublic });
    const subWalletKeys = { publicSpendKey, privateSpendKey, address, isPrimary: i === primary, walletIndex: 0 };
    const subWallet = emptySubWallet(subWalletKeys, { timestamp, height: 0 });
    subWallets.push({ ...subWallet, ...history.outputs.get(publicSpendKey) });
    yield;
  }
  return {
    privateViewKey: keys.viewSecret.toString('hex'),
    isViewWallet,
    subWallets,
    subWalletIndexCounter: 0,
    transactions: history.transactions,
    unconfirmed: history.unconfirmed,
    transactionKeys: [],
    // Without hashes the scan begins at the start time. The first scanned block is at or below this height, so the ledger
    // rewinds and rebuilds the history as in a reorganisation. Transactions that are not in the chain are removed.
    progress: { height: history.height, recentHashes: [], checkpointHashes: [] },
    startTimestamp: startTimestamp === Infinity ? 0 : startTimestamp,
    startHeight: 0,
    unknownFields: new Map(),
  };
}

/** The index of the spend key from which the view key is derived; 0 if there is none. */
function primaryIndexOf({ spendKeys, viewSecret }: GreenKeys): number {
  const index = spendKeys.findIndex(
    ({ secretKey }) => secretKey !== undefined && viewKeyFromSpendKey(secretKey).equals(viewSecret),
  );
  return Math.max(0, index);
}

const CHUNK_BYTES = 1024 * 1024;
/** The maximum number of names that `backUp` tries. */
const MAX_COPIES = 1000;

/** The path of a copy of the original file. The C++ wallets use the name of copy 1. @param copy starts at 1 */
export function backupName(file: string, copy: number): string {
  return join(dirname(file), `old-version-backup-${basename(file)}${copy === 1 ? '' : `.${copy}`}`);
}

/**
 * Copies the original file durably, unless a copy with the same bytes exists. Existing files are never replaced.
 * @returns the path of the copy
 * @throws WalletError invalidWalletFilename
 */
async function backUp(handle: FileHandle, size: number, file: string): Promise<string> {
  for (let copy = 1; copy <= MAX_COPIES; copy++) {
    const name = backupName(file, copy);
    if (!existsSync(name)) {
      try {
        await replaceFile(name, 'create', (target) => writeFile(target, chunksOf(handle, size)));
        return name;
      } catch (error) {
        if (!isWalletError(error, 'walletFileAlreadyExists')) throw error;
      }
    }
    if (await isCopy(handle, size, name)) return name;
  }
  const cause = new Error(`${MAX_COPIES} other files have the names for a copy of ${file}`);
  throw walletErrorOf('invalidWalletFilename', undefined, { cause });
}

/** Whether the file `name` exists and equals the source. */
function isCopy(source: FileHandle, size: number, name: string): Promise<boolean> {
  return withRegularFile(name, async (copy, copySize) => {
    if (copySize !== size) return false;
    let offset = 0;
    for await (const chunk of chunksOf(source, size)) {
      if (!chunk.equals(await readUpTo(copy, offset, chunk.length))) return false;
      offset += chunk.length;
    }
    return true;
  }).catch(() => false);
}

async function* chunksOf(handle: FileHandle, size: number): AsyncGenerator<Buffer, void> {
  const yielder = new EventLoopYielder();
  for (let offset = 0; offset < size; offset += CHUNK_BYTES) {
    yield await readAt(handle, offset, Math.min(CHUNK_BYTES, size - offset));
    await yielder.yieldIfDue();
  }
}
