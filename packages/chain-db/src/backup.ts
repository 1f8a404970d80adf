import type { NetworkName } from '@wrkz/core-types';
import { backupDatabase, type SqliteConnection } from '@wrkz/sqlite';
import { connectionOptions } from './connection';
import { checkLastBlocks } from './open-checks/last-blocks';
import { checkRecentHashes } from './open-checks/recent-hashes';
import { openChainDb } from './open';
import { toChainDbError } from './open-errors';
import { ChainReader } from './reader/reader';

export interface ChainBackupOptions {
  readonly directory: string;
  readonly network: NetworkName;
  /** The file to be written; its folder exists, and it does not. */
  readonly to: string;
  readonly pagesPerStep?: number;
  /** Pages; called after each step, which may wait here. */
  readonly onProgress?: (copied: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** What a backup holds. */
export interface ChainBackup {
  /** Index and id of the highest block. */
  readonly height: number;
  readonly hash: Buffer;
}

/**
 * Copies the chain database of a folder, in use or not, into a file of its own. Before it takes its name the copy is checked by
 * SQLite, and its highest blocks with their look-ups as at a start after a kill.
 *
 * @throws what `openChainDb` throws for reading; what `backupDatabase` throws; CorruptDatabase; the signal's reason
 */
export async function backupChainDb(options: ChainBackupOptions): Promise<ChainBackup> {
  const { directory, network, to, ...how } = options;
  // Its log, network and schema are looked at as for any reader.
  openChainDb({ directory, network, readonly: true }).close();
  let found: ChainBackup | undefined;
  try {
    const check = (copied: SqliteConnection): void => {
      const reader = new ChainReader(copied);
      checkRecentHashes(copied, reader);
      checkLastBlocks(reader);
      const { height, hash } = reader.tip();
      found = { height, hash };
    };
    await backupDatabase({ ...connectionOptions(directory, 'read'), ...how, to, toOption: '--backup', check });
  } catch (error) {
    throw toChainDbError(directory, error);
  }
  if (found === undefined) throw new Error('the backup was not checked');
  return found;
}
