import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode, errorText } from './error-text';

/** The folder of the suite's data, under which each program has its own. */
const SUITE_FOLDER = 'wrkzcoin-suite';

/**
 * The default data directory: `~/.wrkzcoin-suite/<name>`, on Windows `%APPDATA%\wrkzcoin-suite\<name>`.
 * A separate folder, so that files of other programs are never changed. Nothing is created.
 */
export function dataDirectory(name = ''): string {
  const appData = process.env['APPDATA'];
  const base =
    process.platform === 'win32' && appData ? join(appData, SUITE_FOLDER) : join(homedir(), `.${SUITE_FOLDER}`);
  return join(base, name);
}

/**
 * Ensures that a directory exists (created with mode 0700) and is writable.
 * @returns its absolute path
 * @throws Error with a message for the operator
 */
export function ensureDirectory(path: string): string {
  const absolute = resolve(path);
  try {
    makeFolders(absolute);
    if (!statSync(absolute).isDirectory()) throw new Error('it is not a directory');
    accessSync(absolute, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`the directory ${absolute} cannot be used: ${errorText(error)}`, { cause: error });
  }
  return absolute;
}

/**
 * Makes a folder and those above it, with mode 0700. Not with `recursive: true`, which never returns if the system reports
 * a folder as missing although it exists, as in /proc.
 */
export function makeFolders(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolders(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster, or it is a symbolic link without a target: then the error of `statSync` says so.
    if (errorCode(error) === 'EEXIST') statSync(path);
    else if (!existsSync(path)) throw error;
  }
}

const READ_BYTES = 64 * 1024;

/**
 * Reads a file that the operator names. It may be a pipe, as in `--config-file <(command)`. Without the limits, a pipe without a
 * writer and an endless device would block the program, which then ignores SIGTERM.
 * @param waitMs max wait for the next bytes of a pipe
 * @throws Error of the system; Error for a larger file and for a pipe without data
 */
export function readOperatorFile(path: string, maxBytes = 16 * 1024 * 1024, waitMs = 5_000): Buffer {
  // Without O_NONBLOCK, opening a named pipe blocks until a writer opens it.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const isPipe = fstatSync(file).isFIFO();
    const pieces: Buffer[] = [];
    let size = 0;
    let end = performance.now() + waitMs;
    for (;;) {
      const piece = Buffer.allocUnsafe(READ_BYTES);
      const length = readIfReady(file, piece);
      if (length === 0 && (!isPipe || size > 0)) return Buffer.concat(pieces);
      if (length) {
        pieces.push(piece.subarray(0, length));
        size += length;
        end = performance.now() + waitMs;
        if (size > maxBytes) throw new Error(`it has more than ${String(maxBytes)} bytes`);
      } else if (performance.now() < end) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      else throw new Error(`no data for ${String(waitMs / 1000)} seconds`);
    }
  } finally {
    closeSync(file);
  }
}

/** @returns the number of bytes; undefined if a pipe has a writer and no data */
function readIfReady(file: number, piece: Buffer): number | undefined {
  try {
    return readSync(file, piece);
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return undefined;
    throw error;
  }
}

export interface WriteOptions {
  /** Permissions of the new file; 0600 by default. */
  readonly mode?: number;
}

function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
}

/**
 * The file to be replaced: the target of a symbolic link, so that the link is retained.
 * @throws Error unless it is a regular file: a rename would replace a device or a pipe
 */
function replacedFile(path: string): string {
  if (!existsSync(path)) return path;
  const real = realpathSync(path);
  const facts = statSync(real);
  if (!facts.isFile()) throw new Error(facts.isDirectory() ? 'it is a directory' : 'it is not a regular file');
  return real;
}

/**
 * Removes temporary files of killed writes. For files with a single writing program, before its first write.
 */
export function removeUnfinishedWrites(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`.${basename(path)}.`)) continue;
    if (/^\.[0-9a-f]{12}\.tmp$/.test(name.slice(basename(path).length + 1)))
      rmSync(join(folder, name), { force: true });
  }
}

/**
 * Replaces a file atomically. A reader, or a start after a power cut, sees the old content or the new one:
 * temporary file in the same folder, fsync, rename, fsync of the folder. A link is followed.
 * @throws Error of the system; Error unless the file is a regular file
 */
export async function atomicWriteFile(
  name: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const path = replacedFile(name);
  const temporary = temporaryName(path);
  makeFolders(dirname(path));
  try {
    const file = await open(temporary, 'wx', options.mode ?? 0o600);
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Syncs a folder, so that created and renamed files persist after a power cut. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened there
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Synchronous `atomicWriteFile`. */
export function atomicWriteFileSync(name: string, data: string | Uint8Array, options: WriteOptions = {}): void {
  const path = replacedFile(name);
  const temporary = temporaryName(path);
  makeFolders(dirname(path));
  try {
    const file = openSync(temporary, 'wx', options.mode ?? 0o600);
    try {
      writeFileSync(file, data);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
