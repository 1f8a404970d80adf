import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '@wrkz/service-kit/base';
import { readUpTo } from '../container/read-file';
import { replaceFile } from '../container/replace-file';
import { TurnTaker } from '../container/turns';
import { walletErrorOfCode, walletErrorRows } from '../errors';
import { WalletError } from '../errors';
import { readAt } from './read-at';

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
        await replaceFile(name, true, (target) => copyTo(handle, size, target));
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
