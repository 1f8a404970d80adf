import { dirname, join, resolve } from 'node:path';
import { adoptDatabase } from '@wrkz/sqlite';
import { connectionOptions } from './connection';
import { MIGRATIONS } from './migrations';
import { toChainDbError } from './open-errors';

/**
 * Takes over a copied or replaced chain database: checks every page and gives the database a new id. SQLite reads all pages in
 * one go: call this in a process of its own.
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
