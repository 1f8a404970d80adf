import { syncPath } from '@wrkz/sqlite';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { databaseFile, lockChain } from '../connection';

/** The folder of a repair inside the data directory. */
export function repairFolder(directory: string): string {
  return join(directory, 'repair');
}

/** Marker file: the new database is complete, and every open finishes the swap. */
function readyFile(directory: string): string {
  return join(repairFolder(directory), 'ready');
}

/**
 * Replaces the damaged database by the new one, which must be closed and verified. The caller holds the lock.
 * @returns the folder to which the damaged files were moved
 */
export function swapIn(directory: string): string {
  writeFileSync(readyFile(directory), '');
  syncPath(repairFolder(directory));
  return finish(directory);
}

/**
 * Finishes a swap that a kill interrupted. Call it before the database is opened.
 * @throws FileLocked while the repair itself runs
 */
export function finishSwap(directory: string): void {
  if (!existsSync(readyFile(directory))) return;
  const lock = lockChain(directory);
  try {
    // Another program may have finished it meanwhile.
    if (existsSync(readyFile(directory))) finish(directory);
  } finally {
    lock.release();
  }
}

/**
 * Every step is idempotent. The database file itself moves last in both directions: until then the files in place are the damaged
 * ones, and a folder `damaged` without a database file belongs to this swap.
 */
function finish(directory: string): string {
  const folder = repairFolder(directory);
  const damaged = damagedFolder(directory);
  if (existsSync(databaseFile(folder))) {
    if (existsSync(databaseFile(directory))) {
      mkdirSync(damaged, { recursive: true, mode: 0o700 });
      moveDatabase(directory, damaged);
    }
    moveDatabase(folder, directory);
  }
  rmSync(folder, { recursive: true, force: true });
  return damaged;
}

function moveDatabase(from: string, to: string): void {
  const name = basename(databaseFile(from));
  const files = readdirSync(from).filter((file) => file.startsWith(name));
  for (const file of files.sort().reverse()) renameSync(join(from, file), join(to, file));
  syncPath(to);
  syncPath(from);
}

/** The first of `damaged`, `damaged-2` and so on without a database: nothing is overwritten. */
function damagedFolder(directory: string): string {
  for (let number = 1; ; number++) {
    const folder = join(directory, number === 1 ? 'damaged' : `damaged-${number}`);
    if (!existsSync(databaseFile(folder))) return folder;
  }
}
