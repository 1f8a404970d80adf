import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { assertSound, isBlank, openConnection } from './connection';
import { ControlFile, newRecord, syncPath } from './control-file';
import { accessError, BackupFailed, FileInaccessible, FileMissing, NotOurFile, openingError } from './errors';
import type { FileName } from './errors';
import { failureCode, failureText, isDamage, isDiskFull } from './failure';
import { writeIdentity } from './identity';
import { lastPageFailure, type SqliteConnection } from './library';
import { statOf, takeWriteLock } from './lock';

export interface BackupOptions extends FileName {
  readonly applicationId: number;
  /** File to create; its folder must exist. */
  readonly to: string;
  /** The option that names the file. */
  readonly toOption?: string;
  /** If set, the backup gets a control file, so that it can be opened without this command. */
  readonly adoptCommand?: string;
  /** Pages copied between two yields to the event loop. Default: 256. */
  readonly pagesPerStep?: number;
  readonly onProgress?: (copied: number, total: number) => void;
  /** Checks the copy before it gets its name; throws if the copy is wrong. */
  readonly check?: (copied: SqliteConnection) => void | Promise<void>;
  /** Aborts the backup: the copy is deleted and the reason is thrown. */
  readonly signal?: AbortSignal;
}

/**
 * Copies a database into a new file, with a new id, while other connections and processes use it. The copy has the state at the
 * start; the write-ahead log grows meanwhile. It is written under a temporary name, checked, synced, and then renamed, so that a
 * file with the final name is a complete backup. SQLite reads all pages without interruption: call this in a separate process for
 * a large file.
 *
 * @throws FileMissing, FileLocked, NotOurFile, BackupFailed, DiskFull, FileInaccessible; the reason of the signal;
 *   errors of `check`
 */
export async function backupDatabase(options: BackupOptions): Promise<void> {
  const { title, toOption, signal } = options;
  const file = resolve(options.to);
  const target: FileName = { file, title: `backup of the ${title}`, ...(toOption && { option: toOption }) };
  const folder = dirname(file);
  assertFree(target);
  if (!existsSync(folder)) throw new FileInaccessible(target, new Error('its folder does not exist'));
  if (!existsSync(options.file)) throw new FileMissing(options);
  const lockFile = join(folder, `.${basename(file)}.lock`);
  const lock = takeWriteLock(lockFile, target);
  const temporary = join(folder, `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await removeLeftovers(target);
    const mode = statSync(options.file).mode & 0o777;
    // Created here with the permissions of the original: SQLite would make the copy readable for all users.
    closeSync(openSync(temporary, 'wx', mode));
    await copy(options, temporary);
    signal?.throwIfAborted();
    const id = await verify(options, temporary);
    signal?.throwIfAborted();
    publish(temporary, target, options.adoptCommand === undefined ? undefined : { id, mode });
  } catch (error) {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(temporary + suffix, { force: true });
    throw backupError(error, options, target);
  } finally {
    rmSync(lockFile, { force: true });
    lock.release();
  }
}

/** @returns BackupFailed if a page of the source or of the copy is damaged */
function backupError(error: unknown, { file }: BackupOptions, target: FileName): unknown {
  if (isDiskFull(error, target.file)) return accessError(target, error);
  // The library reports a failed read as the bare SQLITE_IOERR.
  const page = failureCode(error) === 'SQLITE_IOERR' ? lastPageFailure() : undefined;
  const isOfSource = page?.includes(basename(file)) === true;
  const isOfCopy = error instanceof NotOurFile && error.file !== file;
  const isUnreadable = isOfSource || isOfCopy || isDamage(error);
  if (!isUnreadable) return openingError(target, error);
  return new BackupFailed(target, `the backup ${target.file} was not kept: ${page ?? failureText(error)}`);
}

/** A backup overwrites no file. @throws BackupFailed */
function assertFree(target: FileName): void {
  if (statOf(target.file) === undefined) return;
  throw new BackupFailed(target, `${target.file} exists already and is not overwritten`);
}

/** Deletes temporary files of killed backups of this file. The next backup does this as well. */
export async function removeLeftovers({ file }: Pick<FileName, 'file'>): Promise<void> {
  const prefix = `.${basename(file)}.`;
  for (const name of await readdir(dirname(file))) {
    const isOfFile = name.startsWith(prefix);
    const isLeftover = isOfFile && /^[\da-f]{12}\.tmp(-journal|-wal|-shm)?$/.test(name.slice(prefix.length));
    if (isLeftover) await rm(join(dirname(file), name), { force: true });
  }
}

async function copy(options: BackupOptions, temporary: string): Promise<void> {
  const { signal, onProgress, pagesPerStep = 256 } = options;
  const source = openSource(options);
  try {
    const { totalPages } = await source.backup(temporary, {
      progress: ({ totalPages, remainingPages }) => {
        signal?.throwIfAborted();
        onProgress?.(totalPages - remainingPages, totalPages);
        return pagesPerStep;
      },
    });
    onProgress?.(totalPages, totalPages);
  } finally {
    source.close();
  }
}

/** A connection with a snapshot of the source: without one, each commit of a writer would restart the copy. */
function openSource(options: BackupOptions): SqliteConnection {
  options.signal?.throwIfAborted();
  let source: SqliteConnection | undefined;
  try {
    source = openConnection({ ...options, mode: 'read' });
    source.exec('BEGIN');
    // The first read begins the snapshot.
    if (isBlank(source)) throw new FileMissing(options);
    return source;
  } catch (error) {
    source?.close();
    throw openingError(options, error);
  }
}

/** @returns the id of the copy */
async function verify({ check, ...options }: BackupOptions, temporary: string): Promise<string> {
  const copied = openConnection({ ...options, file: temporary, mode: 'write' });
  try {
    const id = randomBytes(16).toString('hex');
    assertSound(copied, { ...options, file: temporary });
    writeIdentity(copied, { id, session: 1 });
    await check?.(copied);
    return id;
  } finally {
    copied.close();
  }
}

/** Syncs the copy and gives it its final name. @param control content of a control file */
function publish(temporary: string, target: FileName, control: { id: string; mode: number } | undefined): void {
  const { file } = target;
  syncPath(temporary);
  assertFree(target);
  if (control !== undefined) ControlFile.create(file, newRecord(control.id, 1, 1), control.mode).close();
  try {
    // A hard link, unlike a rename, never replaces a file.
    linkSync(temporary, file);
    rmSync(temporary);
  } catch {
    // Not every file system has hard links.
    assertFree(target);
    renameSync(temporary, file);
  }
  syncPath(dirname(file));
}
