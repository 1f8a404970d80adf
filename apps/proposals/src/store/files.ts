import { join } from 'node:path';
import { openDatabase, type SqliteConnection, type SqliteDatabase } from '@wrkz/sqlite';
import { FUNDING_ID, FUNDING_MIGRATIONS, PROPOSALS_ID, PROPOSALS_MIGRATIONS } from './schema';

/** A file of another network is refused before anything in it is read. */
export class OtherNetwork extends Error {
  override readonly name = 'OtherNetwork';
}

/** Where the files of a network stand, and whose they are. */
export interface StorePlace {
  readonly directory: string;
  readonly network: string;
}

/**
 * Opens the proposals; for writing, the file is made where there is none.
 * @throws SqliteFileError; OtherNetwork
 */
export function openProposals({ directory, network }: StorePlace, mode: 'read' | 'write'): SqliteDatabase {
  return openDatabase({
    file: join(directory, 'proposals.sqlite'),
    title: 'database of proposals',
    applicationId: PROPOSALS_ID,
    migrations: PROPOSALS_MIGRATIONS,
    mode,
    onCreate: (connection) => void connection.prepare('INSERT INTO network VALUES (?)').run(network),
    identify: (connection) => assertNetwork(connection, network),
  });
}

/** Opens what is known of the income, for writing. @throws SqliteFileError */
export function openFunding({ directory }: StorePlace): SqliteDatabase {
  return openDatabase({
    file: join(directory, 'funding.sqlite'),
    title: 'record of donations',
    applicationId: FUNDING_ID,
    migrations: FUNDING_MIGRATIONS,
    mode: 'write',
  });
}

function assertNetwork(connection: SqliteConnection, wanted: string): void {
  const found = connection.prepare<[], { name: string }>('SELECT name FROM network').get()?.name;
  if (found === wanted) return;
  throw new OtherNetwork(`this is the database of proposals of ${String(found)}, and ${wanted} was asked for`);
}
