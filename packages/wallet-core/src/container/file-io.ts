import { constants, createReadStream, statSync } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, errorText, syncFolder } from '@wrkz/service-kit/base';
import { WalletError, walletError, walletErrorOf } from '../errors';

/**
 * Whether the path exists and leads to no regular file. Opening a pipe would block until a writer opens it.
 * @throws Error of the system, except for a link to itself
 */
export function isIrregularFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
  } catch (error) {
    if (errorCode(error) !== 'ELOOP') throw error;
    return true;
  }
}

/** The first `size` bytes of a regular file, or all bytes of a shorter one. @throws WalletError filenameNonExistent */
export async function readFileStart(file: string, size: number): Promise<Buffer> {
  return withRegularFile(file, (handle) => readUpTo(handle, 0, size));
}

/** Reads `size` bytes, or fewer at the end of the file. */
export async function readUpTo(handle: FileHandle, offset: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length, offset + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Opens a regular file for `read`. @throws WalletError filenameNonExistent with the system error as cause; errors of `read` */
export async function withRegularFile<T>(
  file: string,
  read: (handle: FileHandle, size: number) => Promise<T>,
): Promise<T> {
  let handle: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe blocks until a writer opens it.
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a regular file');
    return await read(handle, stats.size);
  } catch (error) {
    if (error instanceof WalletError) throw error;
    throw walletErrorOf('filenameNonExistent', undefined, { cause: new Error(errorText(error), { cause: error }) });
  } finally {
    await handle?.close();
  }
}

/** Reads exactly `size` bytes. @throws WalletError walletFileInUse when another program truncated the file */
export async function readAt(handle: FileHandle, offset: number, size: number): Promise<Buffer> {
  const bytes = await readUpTo(handle, offset, size);
  if (bytes.length < size) throw walletError.walletFileInUse();
  return bytes;
}

/** The path to which a new version is written. After a crash the file remains until the next save. */
const temporaryName = (file: string): string => `${file}.tmp`;

/** The path of the previous version. */
export const previousName = (file: string): string => `${file}.previous`;

/**
 * `create`: the file must not exist. `replace`: an existing file is overwritten. `keep-previous`: an existing file is
 * retained as `previousName`.
 */
export type Replacement = 'create' | 'replace' | 'keep-previous';

/** Error codes of `link` where hard links are not supported. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Replaces a file atomically: writes a temporary file, flushes it (fsync) and renames it. Readers see the complete old or
 * the complete new version, even after a power loss. After an error the old version is unchanged.
 * @throws WalletError invalidWalletFilename when the file cannot be written, walletFileAlreadyExists for `create`
 */
export async function replaceFile(
  file: string,
  replacement: Replacement,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const temporary = temporaryName(file);
  try {
    const mode = await permissionsOf(file);
    // Remove instead of truncating: the temporary path could be a link to another file.
    await rm(temporary, { force: true });
    await writeDurably(temporary, mode, write);
    if (replacement === 'keep-previous') await keepPrevious(file, mode);
    if (replacement === 'create') await renameToNew(temporary, file);
    else await rename(temporary, file);
  } catch (error) {
    // A failed removal must not hide the first error.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw cannotWrite(error);
  }
  try {
    await syncFolder(dirname(file));
  } catch (error) {
    // A repeated creation would fail, because the file exists.
    if (replacement === 'create') await rm(file, { force: true }).catch(() => undefined);
    throw cannotWrite(error);
  }
}

/** Links or copies the current version to `previousName`. The file itself exists at all times. */
async function keepPrevious(file: string, mode: number): Promise<void> {
  const temporary = temporaryName(previousName(file));
  await rm(temporary, { force: true });
  try {
    await link(file, temporary);
  } catch (error) {
    const code = errorCode(error) ?? '';
    // Another program deleted the current version.
    if (code === 'ENOENT') return;
    if (!NO_LINKS.has(code)) throw error;
    await writeDurably(temporary, mode, (handle) => writeFile(handle, createReadStream(file)));
  }
  await rename(temporary, previousName(file));
  // After a crash both names may be links to one file: then `rename` does nothing and the temporary name remains.
  await rm(temporary, { force: true });
}

/** @throws WalletError invalidWalletFilename */
export async function removePrevious(file: string): Promise<void> {
  await rm(previousName(file), { force: true }).catch((error: unknown) => {
    throw cannotWrite(error);
  });
}

/**
 * Renames the previous version of a deleted container to `<file>.previous.<milliseconds>`. The next save of a new container
 * would overwrite it, and it may be the last copy of the keys.
 * @throws WalletError invalidWalletFilename
 */
export async function setAsidePrevious(file: string): Promise<void> {
  const previous = previousName(file);
  await rename(previous, `${previous}.${Date.now()}`).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw cannotWrite(error);
  });
}

/** Suffixes of the files beside a container, which the wallet overwrites and deletes. */
const RESERVED_ENDING = /\.(?:db(?:-\w+)?|lock|tmp|previous|restored)$/;

/** @throws WalletError invalidWalletFilename for a suffix that wallets reserve for the files beside a container */
export function checkName(file: string): void {
  const [ending] = RESERVED_ENDING.exec(file) ?? [];
  if (ending === undefined) return;
  throw walletErrorOf(
    'invalidWalletFilename',
    `A wallet file cannot end in ${ending}: wallets use this ending for other files.`,
  );
}

/** Creates and removes the file as a test. @throws WalletError walletFileAlreadyExists, invalidWalletFilename */
export async function checkNewFile(file: string): Promise<void> {
  checkName(file);
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.close();
    await rm(file, { force: true });
  } catch (error) {
    throw errorCode(error) === 'EEXIST' ? walletError.walletFileAlreadyExists() : cannotWrite(error);
  }
}

/** The permissions of the regular file to be replaced; otherwise 0600, because the new file contains keys. */
async function permissionsOf(file: string): Promise<number> {
  try {
    const stats = await lstat(file);
    return stats.isFile() ? stats.mode & 0o777 : 0o600;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0o600;
    throw error;
  }
}

async function writeDurably(
  temporary: string,
  mode: number,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await write(handle);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Uses a hard link, which fails if the file exists by now. A rename would replace the file. */
async function renameToNew(temporary: string, file: string): Promise<void> {
  try {
    await link(temporary, file);
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (code === 'EEXIST') throw walletError.walletFileAlreadyExists();
    if (!NO_LINKS.has(code)) throw error;
    await rename(temporary, file);
    return;
  }
  await rm(temporary, { force: true });
}

function cannotWrite(error: unknown): WalletError {
  if (error instanceof WalletError) return error;
  return walletErrorOf('invalidWalletFilename', undefined, { cause: new Error(errorText(error), { cause: error }) });
}
