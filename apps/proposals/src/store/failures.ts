import { NotOurFile, openingError, sqliteFailure } from '@wrkz/sqlite';

/** The database belongs to another network, is damaged or inconsistent. The message is for the operator. */
export class InvalidDatabase extends Error {
  override readonly name = 'InvalidDatabase';
}

export interface DatabaseKind {
  readonly title: string;
  /** What the operator does if the file is damaged. */
  readonly remedy: (file: string) => string;
}

export const PROPOSALS_FILE: DatabaseKind = { title: 'proposal database', remedy: () => 'Restore a backup' };
export const FUNDING_FILE: DatabaseKind = {
  title: 'funding database',
  remedy: (file) => `Stop the service and move ${file}* away; the next start reads the donations from the wallet again`,
};

/**
 * Runs a query or a transaction, so that errors of SQLite name the file; if it is damaged, also the page and the remedy.
 * @throws SqliteFileError, InvalidDatabase; errors of other modules stay as they are
 */
export function withFileName<Result>(kind: DatabaseKind, file: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    const named = sqliteFailure(error) === undefined ? error : openingError({ ...kind, file }, error);
    throw named instanceof NotOurFile ? new InvalidDatabase(`${named.message}. ${kind.remedy(file)}`) : named;
  }
}
