import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NetworkName } from '@wrkz/core-types';
import { takeWriteLock } from '@wrkz/sqlite';
import { databaseFile } from './connection';
import { WrongNetwork } from './errors';
import { openChainDb } from './open';
import { toChainDbError } from './open-errors';
import { finishSwap } from './repair/swap';
import { type ChainPath, measuredPath, workPaths } from './work-folders';

/** The files of a database. The control file is last: it tells a later open that a log is missing. */
const SUFFIXES = ['', '-wal', '-shm', '-control'] as const;

/**
 * Deletes the chain database of a directory, whole or damaged, and what unfinished work on it has left there; one that another
 * program has open, or that belongs to another network, is left as it is.
 * @returns whether there was one
 * @throws DatabaseLocked, WrongNetwork, DatabaseUnwritable, DatabaseRemains
 */
export function removeChainDb(directory: string, network: NetworkName): boolean {
  finishSwap(directory);
  const files = databaseFiles(directory);
  const work = workPaths(directory);
  if (files.length === 0 && work.length === 0) return false;
  try {
    const name = { file: databaseFile(directory), title: 'chain database' };
    const lock = takeWriteLock(join(directory, 'chain.lock'), name);
    try {
      assertNetwork(directory, network);
      for (const path of [...work, ...files]) remove(path);
    } finally {
      lock.release();
    }
  } catch (error) {
    if (error instanceof DatabaseRemains) throw error;
    throw toChainDbError(directory, error);
  }
  return files.length > 0;
}

/** What `removeChainDb` would delete now. Nothing is locked or opened. */
export function removablePaths(directory: string): ChainPath[] {
  return [...databaseFiles(directory), ...workPaths(directory)].map(measuredPath);
}

function databaseFiles(directory: string): string[] {
  return SUFFIXES.map((suffix) => `${databaseFile(directory)}${suffix}`).filter((file) => existsSync(file));
}

/** Deletes the files of a database. The caller holds its lock. @throws DatabaseRemains */
export function removeDatabaseFiles(directory: string): void {
  for (const file of databaseFiles(directory)) remove(file);
}

/** A file of the database that cannot be deleted. */
export class DatabaseRemains extends Error {
  override readonly name = 'DatabaseRemains';
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true, recursive: true });
  } catch (error) {
    throw new DatabaseRemains(`Could not delete data path: ${file}`, { cause: error });
  }
}

/** Damage is a reason to delete a database and does not keep anybody from it. @throws WrongNetwork */
export function assertNetwork(directory: string, network: NetworkName): void {
  try {
    openChainDb({ directory, network, readonly: true }).close();
  } catch (error) {
    if (error instanceof WrongNetwork) throw error;
  }
}
