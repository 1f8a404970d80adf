import type { NetworkName } from '@wrkz/core-types';
import { openConnection } from '@wrkz/sqlite';
import { connectionOptions } from './connection';
import { assertNetwork } from './open';
import { toChainDbError } from './open-errors';

export interface RewriteOptions {
  readonly directory: string;
  readonly network: NetworkName;
}

/**
 * Rewrites the whole file without empty pages, in one transaction (VACUUM): readers go on with the state before it, and
 * after a kill the file is as it was. The copy is made in a file without a name in the folder of `SQLITE_TMPDIR`, then written
 * to the log: together that takes up to twice the bytes in use.
 *
 * It takes no lock on the folder, because the one who holds it calls this, in a process that can be killed: the writer there
 * must rest meanwhile. That process does not close what it opened here, or it might take the log with it; it is killed.
 *
 * @throws DatabaseMissing, WrongNetwork, NotAChainDatabase, DatabaseUnwritable
 */
export function rewriteChainDb({ directory, network }: RewriteOptions): void {
  try {
    const connection = openConnection(connectionOptions(directory, 'write'));
    assertNetwork(connection, directory, network);
    connection.pragma('temp_store = FILE');
    connection.exec('VACUUM');
  } catch (error) {
    throw toChainDbError(directory, error);
  }
}
