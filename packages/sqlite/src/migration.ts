import { MigrationFailed, NotOurFile, WrongSchemaVersion, type FileName } from './errors';
import { failureText, isDiskFull } from './failure';
import type { SqliteConnection } from './library';

/**
 * Upgrades a schema from the previous version. It must never change, because existing files were upgraded by it. It is
 * synchronous, because it runs in a transaction.
 */
export type Migration = (connection: SqliteConnection) => void;

export interface MigrateOptions extends FileName {
  readonly mode: 'read' | 'write';
  /** In order. Their number is the version (`PRAGMA user_version`) that the program reads and writes. */
  readonly migrations: readonly Migration[];
}

/** Runs the migrations that a file lacks, in the transaction of the caller. @throws MigrationFailed */
export function migrate(connection: SqliteConnection, options: MigrateOptions): void {
  const { migrations, title, file } = options;
  const before = schemaVersion(connection);
  for (const [i, migration] of migrations.slice(before).entries()) {
    const version = before + i + 1;
    try {
      migration(connection);
      connection.pragma(`user_version = ${version}`);
    } catch (error) {
      if (isDiskFull(error, file)) throw error;
      const what = `the migration of the ${title} ${file} to schema version ${version} failed: ${failureText(error)}`;
      throw new MigrationFailed(options, what, { cause: error });
    }
  }
}

/** A writer accepts an older schema, since it upgrades the file. @throws WrongSchemaVersion, NotOurFile */
export function assertVersion(version: number, options: MigrateOptions): void {
  const newest = options.migrations.length;
  if (version === 0) throw new NotOurFile(options, 'it has tables and no schema version');
  if (version < 0) throw new NotOurFile(options, `its schema version is ${version}, which is invalid`);
  const isReadable = version === newest || (options.mode === 'write' && version < newest);
  if (!isReadable) throw new WrongSchemaVersion(options, version, newest);
}

/** The last complete migration. */
export function schemaVersion(connection: SqliteConnection): number {
  return Number(connection.pragma('user_version', { simple: true }));
}
