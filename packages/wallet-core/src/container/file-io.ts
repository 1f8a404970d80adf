import { constants, createReadStream, statSync } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, errorText, syncFolder } from '@wrkz/service-kit/base';
import { walletError, walletErrorOfCode, walletErrorRows } from '../errors';
import { WalletError } from '../errors';

/** Whether something stands there, links followed, that is no regular file: to open a pipe would wait for its other end. */
export function isSomethingElse(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile();
}

/** The first bytes of a regular file, fewer when it is shorter: what it is can be told by them. @throws WalletError 1 */
export async function readFileStart(file: string, size: number): Promise<Buffer> {
  return withRegularFile(file, (handle) => readUpTo(handle, 0, size));
}

/** As many bytes as there are, at most `size`. A read may give fewer than it was asked for. */
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

/** Reads from a regular file. @throws WalletError 1 when that fails, with the system's error as cause; what `read` refuses */
export async function withRegularFile<T>(
  file: string,
  read: (handle: FileHandle, size: number) => Promise<T>,
): Promise<T> {
  let handle: FileHandle | undefined;
  try {
    // A pipe would be waited for at the open already.
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a regular file');
    return await read(handle, stats.size);
  } catch (error) {
    if (error instanceof WalletError) throw error;
    const { code } = walletErrorRows.filenameNonExistent;
    throw walletErrorOfCode(code, undefined, { cause: new Error(errorText(error), { cause: error }) });
  } finally {
    await handle?.close();
  }
}

/** @throws WalletError 1000 when the file, which was long enough, ends before */
export async function readAt(handle: FileHandle, offset: number, size: number): Promise<Buffer> {
  const bytes = await readUpTo(handle, offset, size);
  if (bytes.length < size) throw walletError.walletFileInUse();
  return bytes;
}

/** A new version is written under this name. A kill may leave it behind; the next save removes it. */
export const temporaryName = (file: string): string => `${file}.tmp`;

/** The version before the current one has this name. */
export const previousName = (file: string): string => `${file}.previous`;

/** What becomes of the version that is there: none may be there, it is gone, or it is kept under its second name. */
export type Replacement = 'create' | 'replace' | 'keep-previous';

/** File systems without hard links, and systems without the call, say it this way. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Writes a new version of a file. A reader, also after a power cut or a kill, finds the old version or the new one whole: the
 * new one is written beside it, made durable, and then renamed. A failure leaves the old version as it was.
 *
 * @throws WalletError 2 when it cannot be written, 8 when a file to be created exists
 */
export async function replaceFile(
  file: string,
  replacement: Replacement,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const temporary = temporaryName(file);
  try {
    const mode = await permissionsOf(file);
    // Removed, not truncated: it could be a link to something else.
    await rm(temporary, { force: true });
    await writeDurably(temporary, mode, write);
    if (replacement === 'keep-previous') await keepPrevious(file, mode);
    if (replacement === 'create') await giveNewName(temporary, file);
    else await rename(temporary, file);
  } catch (error) {
    // The caller gets the first error, also where nothing can be removed.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw cannotWrite(error);
  }
  await syncFolder(dirname(file)).catch((error: unknown) => {
    throw cannotWrite(error);
  });
}

/** Gives the current version its second name. The file keeps its own name all the time. */
async function keepPrevious(file: string, mode: number): Promise<void> {
  const temporary = temporaryName(previousName(file));
  await rm(temporary, { force: true });
  try {
    await link(file, temporary);
  } catch (error) {
    const code = errorCode(error) ?? '';
    // Somebody has removed the current version.
    if (code === 'ENOENT') return;
    if (!NO_LINKS.has(code)) throw error;
    await writeDurably(temporary, mode, async (handle) => {
      for await (const chunk of createReadStream(file)) await handle.writeFile(chunk as Buffer);
    });
  }
  await rename(temporary, previousName(file));
  // After a kill both names may be links to one file already; then the rename does nothing.
  await rm(temporary, { force: true });
}

/** @throws WalletError 2 */
export async function removePrevious(file: string): Promise<void> {
  await rm(previousName(file), { force: true }).catch((error: unknown) => {
    throw cannotWrite(error);
  });
}

/**
 * Renames the previous version of a deleted container to `<file>.previous.<milliseconds>`: it may be the last copy of its
 * keys, and a save of the new container would replace it.
 * @throws WalletError 2
 */
export async function setAsidePrevious(file: string): Promise<void> {
  const previous = previousName(file);
  await rename(previous, `${previous}.${Date.now()}`).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw cannotWrite(error);
  });
}

/** @throws WalletError 8 when there is such a file, 2 when none can be made; it leaves none */
export async function checkNewFile(file: string): Promise<void> {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.close();
    await rm(file, { force: true });
  } catch (error) {
    throw errorCode(error) === 'EEXIST' ? walletError.walletFileAlreadyExists() : cannotWrite(error);
  }
}

/** Those of the file that is replaced; nobody else may read a new one, which holds keys, whatever stood in its place. */
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

/** A rename would write over what has appeared meanwhile; a hard link is refused. */
async function giveNewName(temporary: string, file: string): Promise<void> {
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
  const { code } = walletErrorRows.invalidWalletFilename;
  return walletErrorOfCode(code, undefined, { cause: new Error(errorText(error), { cause: error }) });
}
