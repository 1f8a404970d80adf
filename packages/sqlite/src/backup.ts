import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { closeWriter, isBlank, openConnection, type SqliteConnectionOptions } from './connection';
import {
  BackupDamaged,
  FileInaccessible,
  FileMissing,
  NotOurFile,
  TargetExists,
  openingError,
  type FileName,
} from './errors';
import { failureText, isDamage, sqliteFailure } from './failure';
import { lastPageFailure, type SqliteConnection } from './library';
import { takeWriteLock } from './lock';

export interface BackupOptions extends FileName {
  readonly applicationId: number;
  /** The file to be written; its folder exists. */
  readonly to: string;
  /** Pages copied before the event loop gets its turn: fewer are gentler and slower. Default: 256. */
  readonly pagesPerStep?: number;
  readonly onProgress?: (copied: number, total: number) => void;
  /** More to be checked of the copy before it takes its name; it throws what is wrong. */
  readonly check?: (copied: SqliteConnection) => void | Promise<void>;
  /** Ends it early: what was written is removed and the signal's reason is thrown. */
  readonly signal?: AbortSignal;
}

const PAGES_PER_STEP = 256;

/** What SQLite may put beside a file that it writes. */
const BESIDE = ['', '-journal', '-wal', '-shm'];

/**
 * Copies a database into a file of its own while others, also other processes, read and write it. The copy is the state at
 * the start; as with any long read, the write-ahead log grows until it is done. It is written under another name, checked
 * by SQLite's own integrity check and by the marks of the original, made durable, and only then takes its name: a file of
 * that name is a whole backup. It opens like the original.
 *
 * SQLite's check reads the whole copy in one go: where a large file must not hold up a program, call this in a thread.
 *
 * What killed backups of the same name have left is removed first; two at a time are refused.
 *
 * @throws FileMissing, FileInaccessible, FileLocked, NotOurFile, TargetExists, BackupDamaged; the signal's reason; what `check`
 *   throws
 */
export async function backupDatabase(options: BackupOptions): Promise<void> {
  const target: FileName = { file: resolve(options.to), title: `backup of the ${options.title}` };
  const folder = dirname(target.file);
  if (existsSync(target.file)) throw new TargetExists(target);
  if (!existsSync(folder)) throw new FileInaccessible(target, new Error('its folder does not exist'));
  if (!existsSync(options.file)) throw new FileMissing(options);
  const lockFile = join(folder, `.${basename(target.file)}.lock`);
  const lock = takeWriteLock(lockFile, target);
  try {
    await removeLeftovers(target);
    const temporary = join(folder, `.${basename(target.file)}.${randomBytes(6).toString('hex')}.tmp`);
    await copyUnder(temporary, options, target);
  } finally {
    await rm(lockFile, { force: true }).catch(() => undefined);
    lock.release();
  }
  // Windows does not open folders.
  if (process.platform !== 'win32') await syncToDisk(folder);
}

async function copyUnder(temporary: string, options: BackupOptions, target: FileName): Promise<void> {
  try {
    // With the permissions of the original: SQLite would let everybody read the copy.
    await (await open(temporary, 'wx', (await stat(options.file)).mode & 0o777)).close();
    const marks = await copy(options, temporary, target);
    options.signal?.throwIfAborted();
    await verify({ ...options, file: temporary, mode: 'write' }, marks, target);
    options.signal?.throwIfAborted();
    await giveName(temporary, target);
  } catch (error) {
    // What stopped the copying is what the caller hears of, also where nothing can be removed.
    for (const ending of BESIDE) await rm(temporary + ending, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * Removes what killed backups of this file have left beside it. Whoever calls it for a backup that was killed holds no lock
 * any more; the next backup does so by itself.
 */
export async function removeLeftovers(target: Pick<FileName, 'file'>): Promise<void> {
  const [folder, prefix] = [dirname(target.file), `.${basename(target.file)}.`];
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !/^[0-9a-f]{12}\.tmp(-journal|-wal|-shm)?$/.test(name.slice(prefix.length)))
      continue;
    await rm(join(folder, name), { force: true });
  }
}

/** Copies the source as it is at this moment. @returns its marks */
async function copy(options: BackupOptions, temporary: string, target: FileName): Promise<string> {
  const { signal, onProgress, pagesPerStep = PAGES_PER_STEP } = options;
  const source = openSource(options);
  try {
    signal?.throwIfAborted();
    const marks = marksOf(source);
    const { totalPages } = await source.backup(temporary, {
      progress: ({ totalPages, remainingPages }) => {
        signal?.throwIfAborted();
        onProgress?.(totalPages - remainingPages, totalPages);
        return pagesPerStep;
      },
    });
    onProgress?.(totalPages, totalPages);
    return marks;
  } catch (error) {
    // The library cuts the code of a failed copy down to SQLITE_IOERR.
    const page = sqliteFailure(error)?.code === 'SQLITE_IOERR' ? lastPageFailure() : undefined;
    if (page?.includes(basename(options.file)) === true) throw new BackupDamaged(target, page);
    throw isDamage(error) ? new BackupDamaged(target, failureText(error)) : openingError(target, error);
  } finally {
    source.close();
  }
}

/** A reading connection that holds one state of the source: without it every commit would start the copying over. */
function openSource(options: BackupOptions): SqliteConnection {
  let source: SqliteConnection | undefined;
  try {
    source = openConnection({ ...options, mode: 'read' });
    source.exec('BEGIN');
    // The first read, not BEGIN, is what chooses the state.
    if (isBlank(source)) throw new FileMissing(options);
    return source;
  } catch (error) {
    source?.close();
    throw openingError(options, error);
  }
}

async function verify(
  options: SqliteConnectionOptions & Pick<BackupOptions, 'check'>,
  marks: string,
  target: FileName,
): Promise<void> {
  let copied: SqliteConnection | undefined;
  try {
    copied = openConnection(options);
    const [finding] = copied.prepare<[], [string]>('PRAGMA integrity_check(1)').raw(true).all();
    if (finding?.[0] !== 'ok') throw new BackupDamaged(target, finding?.[0] ?? 'it could not be checked');
    const found = marksOf(copied);
    if (found !== marks) throw new BackupDamaged(target, `it is marked ${found}, the original ${marks}`);
    await options.check?.(copied);
  } catch (error) {
    const unreadable = error instanceof NotOurFile || sqliteFailure(error) !== undefined;
    throw unreadable ? new BackupDamaged(target, failureText(error)) : error;
  } finally {
    if (copied !== undefined) closeWriter(copied);
  }
}

function marksOf(connection: SqliteConnection): string {
  const [id, version] = ['application_id', 'user_version'].map((name) => connection.pragma(name, { simple: true }));
  return `${Number(id)}, version ${Number(version)}`;
}

/** File systems without hard links, and systems without the call, say it this way. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Makes the copy durable and gives it its name. A rename would replace what another backup, or anybody else, has put there
 * in the meantime; a hard link is refused.
 */
async function giveName(temporary: string, target: FileName): Promise<void> {
  try {
    await syncToDisk(temporary);
    await link(temporary, target.file);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') throw new TargetExists(target);
    if (!NO_LINKS.has(code)) throw new FileInaccessible(target, error);
    if (existsSync(target.file)) throw new TargetExists(target);
    await rename(temporary, target.file);
    return;
  }
  await rm(temporary, { force: true });
}

/** The system's name of an error; told by its shape, since errors of another realm are of another class. */
function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
