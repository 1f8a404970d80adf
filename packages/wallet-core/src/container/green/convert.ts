import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DecodeError, encodeAddress, networkOf } from '@wrkz/core-types';
import { viewKeyFromSpendKey } from '@wrkz/crypto';
import { errorCode } from '@wrkz/service-kit/base';
import { walletError, walletErrorOfCode, walletErrorRows } from '../../errors';
import { emptySubWallet } from '../../keys/wallet-keys';
import type { ScanStart, SubWallet, WalletContent } from '../../ledger/model';
import { WalletError } from '../../errors';
import { deriveFileKey, writeContainer } from '../encrypted-file';
import { readAt, readUpTo, replaceFile } from '../file-io';
import { inTurns, TurnTaker } from '../turns';
import type { GreenCache } from './cache-format';
import { readGreenCache } from './cache-reader';
import { type ConvertedHistory, convertHistory } from './history';
import { GREEN_PREFIX_SIZE, type GreenKeys, greenLayout, type GreenSpendKey, readGreenKeys } from './keys';

/** What became of a container of the old kind. */
export interface ContainerConversion {
  /** The copy of the file as it was. */
  readonly backup: string;
  /** Why the history is left to the next scan; undefined when it was kept, or there was none. */
  readonly lostCache: string | undefined;
  /** Where the scan of the chain begins. */
  readonly scanStart: ScanStart;
}

/**
 * Whether no block of the chain has confirmed the history of a content yet: it has a height and no hash of a block. That is so
 * after a conversion, also when the wallet was closed meanwhile, and until the first block is applied.
 */
export function isHistoryUnconfirmed({ progress }: Pick<WalletContent, 'progress'>): boolean {
  return progress.height > 0 && progress.recentHashes.length === 0;
}

/**
 * Converts a WalletGreen file into a container with the same password, in its place; the file that was is kept beside it
 * (docs/protocol/wallet.md#old-containers). Whoever opens the file meanwhile, or after a power cut, finds the old one or the
 * new one whole.
 * @param file absolute, and held by the caller's lock
 * @returns undefined when it is none
 * @throws WalletError 5 wrong password or damaged keys, 4 tracking and other keys mixed, 2 copy or container cannot be
 * written, 1000 somebody wrote to it meanwhile; the file is as it was then
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

/** Reads a WalletGreen file, and changes nothing. @returns undefined when it is none @throws WalletError 5, 4 */
export async function readGreenFile(
  handle: FileHandle,
  size: number,
  password: string,
): Promise<{ content: WalletContent; lostCache: string | undefined } | undefined> {
  const layout = greenLayout(await readUpTo(handle, 0, GREEN_PREFIX_SIZE), size);
  if (layout === undefined) return undefined;
  const keys = await readGreenKeys(handle, layout, password);
  try {
    return { content: await contentWithCache(handle, layout.cacheOffset, size, keys), lostCache: undefined };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    // The keys are whole, and what the cache tells stands in the chain too.
    return { content: await inTurns(convertedContent(keys, undefined)), lostCache: error.message };
  }
}

async function contentWithCache(
  handle: FileHandle,
  offset: number,
  size: number,
  keys: GreenKeys,
): Promise<WalletContent> {
  const facts = {
    // The same on every network.
    genesisHash: networkOf('mainnet').genesis.hash.toString('hex'),
    viewKey: keys.viewPublic.toString('hex'),
  };
  const cache = await readGreenCache(handle, offset, size, keys.cacheKey, facts);
  return inTurns(convertedContent(keys, cache));
}

/** Beyond it, in the year 2106, no clock stood: the time is damaged, and says nothing. */
const LAST_TIME = 0xffff_ffffn;

const NO_HISTORY: ConvertedHistory = {
  outputs: new Map(),
  transactions: [],
  unconfirmed: [],
  height: 0,
  firstTimestamp: undefined,
};

/**
 * The content of our container. Keys and addresses stand in their order; what the cache tells is there at once, and the
 * chain is read again from the first creation time on, since the old program overlooked transactions
 * (docs/protocol/wallet.md#old-containers).
 * @throws DecodeError when the cache contradicts itself or the keys
 */
export function* convertedContent(keys: GreenKeys, cache: GreenCache | undefined): Generator<void, WalletContent> {
  const history = cache === undefined ? NO_HISTORY : yield* convertHistory(keys, cache);
  const isViewWallet = keys.spendKeys[0] !== undefined && keys.spendKeys[0].secretKey === undefined;
  const primary = primaryOf(keys);
  const subWallets: SubWallet[] = [];
  for (const [i, spendKey] of keys.spendKeys.entries()) {
    const start = { timestamp: startOf(spendKey), height: 0 };
    const subWallet = emptySubWallet({ ...keysOf(keys, spendKey), isPrimary: i === primary, walletIndex: 0 }, start);
    subWallets.push({ ...subWallet, ...history.outputs.get(subWallet.publicSpendKey) });
    yield;
  }
  const starts = subWallets.map(({ syncStartTimestamp }) => syncStartTimestamp);
  if (history.firstTimestamp !== undefined) starts.push(history.firstTimestamp);
  return {
    privateViewKey: keys.viewSecret.toString('hex'),
    isViewWallet,
    subWallets,
    subWalletIndexCounter: 0,
    transactions: history.transactions,
    unconfirmed: history.unconfirmed,
    transactionKeys: [],
    // Without hashes the scan begins where it is told to. Its first block lies at or below this height, so the ledger takes
    // the history back as in a reorganisation and builds it again: what is in no block of the chain does not stay.
    progress: { height: history.height, recentHashes: [], checkpointHashes: [] },
    startTimestamp: starts.reduce((least, start) => Math.min(least, start), starts[0] ?? 0),
    startHeight: 0,
    unknownFields: new Map(),
  };
}

/** The address whose spend key gives the view key, else the first. */
function primaryOf({ spendKeys, viewSecret }: GreenKeys): number {
  const own = spendKeys.findIndex(
    ({ secretKey }) => secretKey !== undefined && viewKeyFromSpendKey(secretKey).equals(viewSecret),
  );
  return Math.max(0, own);
}

function keysOf(
  { viewPublic }: GreenKeys,
  { publicKey, secretKey }: GreenSpendKey,
): Pick<SubWallet, 'publicSpendKey' | 'privateSpendKey' | 'address'> {
  return {
    publicSpendKey: publicKey.toString('hex'),
    privateSpendKey: secretKey?.toString('hex'),
    address: encodeAddress({ spendPublic: publicKey, viewPublic }),
  };
}

function startOf({ creationTime }: GreenSpendKey): number {
  return creationTime > LAST_TIME ? 0 : Number(creationTime);
}

const CHUNK = 1024 * 1024;
/** Different copies of one name; somebody who has as many does not look at them any more. */
const MOST_COPIES = 1000;

/** Where the copy of an old container lies; the first is the reference's name. */
export function backupName(file: string, copy: number): string {
  return join(dirname(file), `old-version-backup-${basename(file)}${copy === 1 ? '' : `.${copy}`}`);
}

/**
 * Copies an old container, durably. What is there already is never written over: the same bytes serve as the copy, others
 * give it a number.
 * @returns its name
 * @throws WalletError 2
 */
export async function backUp(handle: FileHandle, size: number, file: string): Promise<string> {
  for (let copy = 1; copy <= MOST_COPIES; copy++) {
    const name = backupName(file, copy);
    if (!(await exists(name))) {
      try {
        await replaceFile(name, 'create', (target) => copyTo(handle, size, target));
        return name;
      } catch (error) {
        const hasAppeared = error instanceof WalletError && error.code === walletErrorRows.walletFileAlreadyExists.code;
        if (!hasAppeared) throw error;
      }
    }
    if (await isCopy(handle, size, name)) return name;
  }
  const cause = new Error('there are too many old copies');
  throw walletErrorOfCode(walletErrorRows.invalidWalletFilename.code, undefined, { cause });
}

async function exists(name: string): Promise<boolean> {
  try {
    await stat(name);
    return true;
  } catch (error) {
    // What cannot be looked at is there.
    return errorCode(error) !== 'ENOENT';
  }
}

async function copyTo(source: FileHandle, size: number, target: FileHandle): Promise<void> {
  for await (const chunk of chunksOf(source, size)) {
    let written = 0;
    while (written < chunk.length) written += (await target.write(chunk, written)).bytesWritten;
  }
}

async function isCopy(source: FileHandle, size: number, name: string): Promise<boolean> {
  let other: FileHandle | undefined;
  try {
    if (!(await stat(name)).isFile()) return false;
    other = await open(name, 'r');
    if ((await other.stat()).size !== size) return false;
    let offset = 0;
    for await (const chunk of chunksOf(source, size)) {
      if (!chunk.equals(await readUpTo(other, offset, chunk.length))) return false;
      offset += chunk.length;
    }
    return true;
  } catch {
    return false;
  } finally {
    await other?.close();
  }
}

async function* chunksOf(handle: FileHandle, size: number): AsyncGenerator<Buffer, void> {
  const turns = new TurnTaker();
  for (let offset = 0; offset < size; offset += CHUNK) {
    yield await readAt(handle, offset, Math.min(CHUNK, size - offset));
    await turns.pause();
  }
}
