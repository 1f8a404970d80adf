import type { SqliteConnection } from '@wrkz/sqlite';
import { initial } from './0001-initial';

/** One step of the schema's history. `up` runs inside the transaction that also raises `user_version`. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly up: (connection: SqliteConnection) => void;
}

/** All steps in order; the version of step i is i + 1. */
export const MIGRATIONS: readonly Migration[] = [initial];

/** Runs the steps above `from`, each with its version mark; the caller holds the transaction. */
export function migrate(connection: SqliteConnection, from: number): void {
  for (const migration of MIGRATIONS) {
    if (migration.version <= from) continue;
    migration.up(connection);
    connection.pragma(`user_version = ${migration.version}`);
  }
}
