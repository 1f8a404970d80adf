import { type FileHandle, open } from 'node:fs/promises';
import { DecodeError, networkOf } from '@wrkz/core-types';
import { deriveFileKey } from '../container/file-key';
import { readUpTo } from '../container/read-file';
import { replaceFile } from '../container/replace-file';
import { inTurns } from '../container/turns';
import { writeContainer } from '../container/write-container';
import { walletError } from '../errors';
import type { WalletContent } from '../ledger/model';
import type { ContainerConversion } from '../wallet/ports';
import { backUp } from './backup';
import { convertedContent } from './convert';
import { type GreenKeys, readGreenKeys } from './keys';
import { GREEN_PREFIX_SIZE, greenLayout } from './layout';
import { readGreenCache } from './read-cache';

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
    await replaceFile(file, false, async (target) => {
      await writeContainer(target, found.content, key);
      const after = await handle.stat();
      if (after.size !== before.size || after.mtimeMs !== before.mtimeMs) throw walletError.walletFileInUse();
    });
    return { backup, lostCache: found.lostCache };
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
