import type { NetworkName } from '@wrkz/core-types';
import { ChainReader } from './reader/reader';
import { adoptDatabase, backupDatabase, type SqliteConnection } from '@wrkz/sqlite';
import { checkLastBlocks } from './last-blocks';
import { connectionOptions } from './connection';
import { dirname, resolve } from 'node:path';
import { openChainDb } from './open';

/**
 * Takes over a copied or replaced chain database: checks every page and gives the database a new id. SQLite reads all pages
 * without interruption: call this in a separate process.
 *
 * @throws NotOurFile for a damaged file; IncompleteFiles for the log of another database; FileLocked, FileMissing,
 *   FileInaccessible, WrongSchemaVersion
 */
export function adoptChainDb(path: string): void {
  const file = resolve(path);
  adoptDatabase({ ...connectionOptions(dirname(file), 'write'), file });
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
  const { directory, network, ...copyOptions } = options;
  // Checks log, network and schema.
  openChainDb({ directory, network, readonly: true }).close();
  let backup: ChainBackup | undefined;
  const check = (copied: SqliteConnection): void => {
    const reader = new ChainReader(copied);
    checkLastBlocks(reader);
    const { height, hash } = reader.tip();
    backup = { height, hash };
  };
  await backupDatabase({ ...connectionOptions(directory, 'read'), ...copyOptions, toOption: '--backup', check });
  if (backup === undefined) throw new Error('the backup was not checked');
  return backup;
}
