import type { NetworkName } from '@wrkz/core-types';
import { WrongNetwork } from './errors';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { databaseFile, lockChain } from './connection';
import { existsSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { finishSwap } from './repair/swap';
import { openChainDb } from './open';

/** Temporary folders of `--repair` and of the import of a snapshot, beside the database. */
const WORK_NAMES = ['repair', 'snapshot-import'] as const;

/** The existing work folders of a data directory. They belong to the chain and are deleted with it. */
function workPaths(directory: string): string[] {
  return WORK_NAMES.map((name) => join(directory, name)).filter((path) => existsSync(path));
}

/**
 * Whether a path collides with the files of the chain in a data directory. SQLite would use a file with such a name as the log of
 * the database, and files in a work folder are deleted.
 */
export function collidesWithChain(directory: string, file: string): boolean {
  const [first = ''] = relative(real(directory), join(real(dirname(file)), basename(file))).split(sep);
  return first.startsWith('chain.') || WORK_NAMES.some((name) => name === first) || /^damaged(-\d+)?$/.test(first);
}

/** The path with links resolved if it exists. */
function real(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

/** A file or folder of a chain, with the sum of its contents. */
export interface ChainPath {
  readonly path: string;
  readonly bytes: number;
  readonly files: number;
}

function measuredPath(path: string): ChainPath {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { path, bytes: 0, files: 0 };
  if (!stat.isDirectory()) return { path, bytes: stat.size, files: 1 };
  const entries = readdirSync(path).map((name) => measuredPath(join(path, name)));
  const sum = (field: 'bytes' | 'files'): number => entries.reduce((total, entry) => total + entry[field], 0);
  return { path, bytes: sum('bytes'), files: sum('files') };
}

/** The files of a database. The control file is deleted last: with it a later open detects a missing log. */
const SUFFIXES = ['', '-wal', '-shm', '-control'] as const;

/**
 * Deletes the chain database of a directory, intact or damaged, and its work folders. A database that is open in another program,
 * or that belongs to another network, is not changed.
 * @returns whether there was one
 * @throws FileLocked, FileInaccessible, WrongNetwork, DatabaseRemains
 */
export function removeChainDb(directory: string, network: NetworkName): boolean {
  finishSwap(directory);
  const files = databaseFiles(directory);
  const work = workPaths(directory);
  if (files.length === 0 && work.length === 0) return false;
  const lock = lockChain(directory);
  try {
    assertNetwork(directory, network);
    for (const path of [...work, ...files]) remove(path);
  } finally {
    lock.release();
  }
  return files.length > 0;
}

/** The paths that `removeChainDb` would delete now. Locks and opens nothing. */
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

/** Accepts a damaged database: damage must not prevent its deletion. @throws WrongNetwork */
export function assertNetwork(directory: string, network: NetworkName): void {
  try {
    openChainDb({ directory, network, readonly: true }).close();
  } catch (error) {
    if (error instanceof WrongNetwork) throw error;
  }
}
