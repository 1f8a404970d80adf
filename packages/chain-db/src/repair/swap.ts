import { takeWriteLock } from '@wrkz/sqlite';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { databaseFile } from '../connection';
import { toChainDbError } from '../open-errors';

/** What stands beside a database's file under its name. */
const BESIDE = ['-wal', '-shm', '-control'] as const;

/** Where a repair works, inside the data directory. */
export function repairFolder(directory: string): string {
  return join(directory, 'repair');
}

/** The note that the new database is whole: from here on the swap is finished, whatever happens. */
function readyNote(directory: string): string {
  return join(repairFolder(directory), 'ready');
}

/**
 * Puts the repaired database, which is closed and verified, in the place of the damaged one, which is kept in a folder
 * beside. From the note on, whoever opens the directory next finishes what a kill has cut short. The caller holds the lock.
 *
 * @returns the folder with the damaged files
 */
export function swapIn(directory: string): string {
  const kept = freeName(directory);
  writeDurably(readyNote(directory), `${basename(kept)}\n`);
  finish(directory);
  return kept;
}

/**
 * Finishes a swap that a kill has cut short; nothing otherwise. To be called before the database is opened.
 * @returns whether there was one
 * @throws DatabaseLocked when the repair itself is at it
 */
export function finishSwap(directory: string): boolean {
  if (!existsSync(readyNote(directory))) return false;
  try {
    const lock = takeWriteLock(join(directory, 'chain.lock'), {
      file: databaseFile(directory),
      title: 'chain database',
    });
    try {
      // Another one may have finished it meanwhile.
      if (existsSync(readyNote(directory))) finish(directory);
    } finally {
      lock.release();
    }
  } catch (error) {
    throw toChainDbError(directory, error);
  }
  return true;
}

/**
 * Each step can be done again. As long as the new file stands in the work folder, what stands in its place is the damaged one.
 */
function finish(directory: string): void {
  const folder = repairFolder(directory);
  const repaired = databaseFile(folder);
  const place = databaseFile(directory);
  if (existsSync(repaired)) {
    const kept = keptFolder(directory);
    mkdirSync(kept, { recursive: true, mode: 0o700 });
    // The log before its file: SQLite must never meet a log beside another database.
    for (const suffix of [...BESIDE, '']) move(`${place}${suffix}`, `${databaseFile(kept)}${suffix}`);
    syncFolder(kept);
    syncFolder(directory);
    renameSync(repaired, place);
    syncFolder(directory);
  }
  move(`${repaired}-control`, `${place}-control`);
  syncFolder(directory);
  rmSync(readyNote(directory));
  syncFolder(folder);
  rmSync(folder, { recursive: true, force: true });
}

/**
 * The folder that the note names for the damaged files. A note that was torn, or a folder that has a database already while
 * another one is to go there, is answered with a new folder: nothing is written over.
 */
function keptFolder(directory: string): string {
  const name = readFileSync(readyNote(directory), 'utf8').trim();
  const kept = join(directory, name);
  const isTaken = existsSync(databaseFile(directory)) && existsSync(databaseFile(kept));
  if (/^damaged(-[1-9]\d*)?$/.test(name) && !isTaken) return kept;
  const free = freeName(directory);
  writeDurably(readyNote(directory), `${basename(free)}\n`);
  return free;
}

function move(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to);
}

/** A folder that is not there yet: an earlier repair may have kept a file, too. */
function freeName(directory: string): string {
  for (let number = 1; ; number++) {
    const folder = join(directory, number === 1 ? 'damaged' : `damaged-${number}`);
    if (!existsSync(folder)) return folder;
  }
}

function writeDurably(file: string, text: string): void {
  const temporary = `${file}.new`;
  const descriptor = openSync(temporary, 'w', 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
  syncFolder(join(file, '..'));
}

function syncFolder(folder: string): void {
  // Windows does not open folders.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
