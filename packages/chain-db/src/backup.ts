import type { NetworkName } from '@wrkz/core-types';
import { ChainReader } from './reader/reader';
import { MIGRATIONS } from './migrations';
import { SqliteFileError, adoptDatabase, backupDatabase, type SqliteConnection } from '@wrkz/sqlite';
import { checkLastBlocks } from './last-blocks';
import { connectionOptions } from './connection';
import { dirname, join, resolve } from 'node:path';
import { openChainDb } from './open';
import { toChainDbError } from './open-errors';

/**
 * Takes over a copied or replaced chain database: checks every page and gives the database a new id. SQLite reads all pages
 * without interruption: call this in a separate process.
 *
 * @throws NotAChainDatabase for a damaged file; IncompleteDatabase for the log of another database; DatabaseLocked,
 *   DatabaseMissing, DatabaseUnwritable, WrongSchema
 */
export function adoptChainDb(path: string): void {
  const file = resolve(path);
  const directory = dirname(file);
  const lockFile = join(directory, 'chain.lock');
  try {
    adoptDatabase({ ...connectionOptions(directory, 'write'), file, lockFile, migrations: MIGRATIONS });
  } catch (error) {
    throw toChainDbError(directory, error);
  }
}

export interface ChainBackupOptions {
  readonly directory: string;
  readonly network: NetworkName;
  /** The new file; its folder must exist. */
  readonly to: string;
  /** Counts of pages. Called synchronously after each step, so it may throttle the copying. */
  readonly onProgress?: (copied: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** The highest block of a backup. */
export interface ChainBackup {
  readonly height: number;
  readonly hash: Buffer;
}

/**
 * Copies the chain database of a folder, also one in use, into one file. The copy is written under a temporary name. It gets its
 * final name after SQLite's integrity check and the checks that an open after a kill runs on the highest blocks.
 *
 * @throws the errors of `openChainDb` for reading and of `backupDatabase`; CorruptDatabase; the signal's reason
 */
export async function backupChainDb(options: ChainBackupOptions): Promise<ChainBackup> {
  const { directory, network, to, ...copyOptions } = options;
  // Checks log, network and schema.
  openChainDb({ directory, network, readonly: true }).close();
  let backup: ChainBackup | undefined;
  try {
    const check = (copied: SqliteConnection): void => {
      const reader = new ChainReader(copied);
      checkLastBlocks(reader);
      const { height, hash } = reader.tip();
      backup = { height, hash };
    };
    await backupDatabase({ ...connectionOptions(directory, 'read'), ...copyOptions, to, toOption: '--backup', check });
  } catch (error) {
    // An error of the copy, such as a full disk or a lock, does not concern the database.
    if (error instanceof SqliteFileError && error.file === resolve(to)) throw error;
    throw toChainDbError(directory, error);
  }
  if (backup === undefined) throw new Error('the backup was not checked');
  return backup;
}
