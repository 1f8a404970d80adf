import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NetworkName } from '@wrkz/core-types';
import { takeWriteLock } from '@wrkz/sqlite';
import { databaseFile } from './connection';
import { WrongNetwork } from './errors';
import { openChainDb } from './open';
import { toChainDbError } from './open-errors';
import { finishSwap, repairFolder } from './repair/swap';

/** What stands beside the database; the mark last, which tells a later open that a log is missing. */
const SUFFIXES = ['', '-wal', '-shm', '-mark'] as const;

/**
 * Deletes the chain database of a directory, whole or damaged, with the work of an unfinished repair; one that another program
 * has open, or that belongs to another network, is left as it is.
 * @returns whether there was one
 * @throws DatabaseLocked, WrongNetwork, DatabaseUnwritable, DatabaseRemains
 */
export function removeChainDb(directory: string, network: NetworkName): boolean {
  finishSwap(directory);
  const files = SUFFIXES.map((suffix) => `${databaseFile(directory)}${suffix}`).filter((file) => existsSync(file));
  if (files.length === 0) return false;
  try {
    const name = { file: databaseFile(directory), title: 'chain database' };
    const lock = takeWriteLock(join(directory, 'chain.lock'), name);
    try {
      assertNetwork(directory, network);
      for (const file of files) remove(file);
      remove(repairFolder(directory));
    } finally {
      lock.release();
    }
  } catch (error) {
    if (error instanceof DatabaseRemains) throw error;
    throw toChainDbError(directory, error);
  }
  return true;
}

/** Deletes what there is of a database. The caller holds its lock. @throws DatabaseRemains */
export function removeDatabaseFiles(directory: string): void {
  for (const suffix of SUFFIXES) remove(`${databaseFile(directory)}${suffix}`);
}

/** A file of the database that cannot be deleted. */
export class DatabaseRemains extends Error {
  override readonly name = 'DatabaseRemains';
}

function remove(file: string): void {
  try {
    rmSync(file, { recursive: true, force: true });
  } catch (error) {
    throw new DatabaseRemains(`Could not delete data path: ${file}`, { cause: error });
  }
}

/** Damage is a reason to delete a database and does not keep anybody from it. */
function assertNetwork(directory: string, network: NetworkName): void {
  try {
    openChainDb({ directory, network, readonly: true }).close();
  } catch (error) {
    if (error instanceof WrongNetwork) throw error;
  }
}
