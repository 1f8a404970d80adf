import { resolve } from 'node:path';
import type { NetworkName } from '@wrkz/core-types';
import { backupDatabase, type SqliteConnection, SqliteFileError } from '@wrkz/sqlite';
import { connectionOptions } from './connection';
import { checkLastBlocks } from './last-blocks';
import { openChainDb } from './open';
import { toChainDbError } from './open-errors';
import { ChainReader } from './reader/reader';

export interface ChainBackupOptions {
  readonly directory: string;
  readonly network: NetworkName;
  /** The new file; its folder has to exist. */
  readonly to: string;
  readonly pagesPerStep?: number;
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
    // A full disk or a lock of the copy is no error of the database.
    if (error instanceof SqliteFileError && error.file === resolve(to)) throw error;
    throw toChainDbError(directory, error);
  }
  if (backup === undefined) throw new Error('the backup was not checked');
  return backup;
}
