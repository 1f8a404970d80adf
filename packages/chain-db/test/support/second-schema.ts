import type { VerifiedBlock } from '@wrkz/consensus';
import { openDatabase } from '@wrkz/sqlite';
import { connectionOptions } from '../../src/connection';
import { MIGRATIONS } from '../../src/migrations';
import { layOutForPruning } from '../../src/layout';
import { makeFirstDatabase } from './first-schema';

/** A database as the programs of the second schema left it, devnet's: one of the first that they have taken over. */
export function makeSecondDatabase(directory: string, blocks: readonly VerifiedBlock[]): void {
  makeFirstDatabase(directory, blocks);
  const database = openDatabase({
    ...connectionOptions(directory, 'write'),
    lockFile: `${directory}/chain.lock`,
    markLog: true,
    create: false,
    migrations: MIGRATIONS.slice(0, 2),
  });
  layOutForPruning(database.connection);
  database.committed();
  database.close();
}
