import { MigrationFailed, NotOurFile, WrongSchemaVersion, type FileName } from './errors';
import { failureText, isDiskFull } from './failure';
import type { SqliteConnection } from './library';

/** Where a batched migration goes on. The migration defines the meaning. */
export type MigrationCursor = string | number;

/** Result of a batch. */
export interface MigrationBatch {
  /** Cursor of the next batch; undefined when the migration is complete. */
  readonly next: MigrationCursor | undefined;
  /** Progress, in units of the migration. */
  readonly done: number;
  readonly total: number;
}

interface NumberedMigration {
  /** From 1 on without gaps; becomes `PRAGMA user_version`. */
  readonly version: number;
  readonly name: string;
}

/** Runs in one transaction, together with the version. */
export interface WholeMigration extends NumberedMigration {
  up(connection: SqliteConnection): void;
}

/**
 * A long migration. Each batch is a transaction that also stores the cursor, so after a kill the next open goes on from there.
 * The last batch sets the version. Until then, programs that do not know the migration refuse the file.
 */
export interface BatchedMigration extends NumberedMigration {
  /** @param cursor undefined for the first batch, later `next` of the batch before */
  batch(connection: SqliteConnection, cursor: MigrationCursor | undefined): MigrationBatch;
}

/** One version of a schema. It must never change, since there are files that it has made. */
export type Migration = WholeMigration | BatchedMigration;

/** Reported after each committed transaction of a migration. */
export interface MigrationProgress extends MigrationBatch {
  readonly version: number;
  readonly name: string;
}

export interface MigrateOptions extends FileName {
  readonly mode: 'read' | 'write';
  /** In order; the version of the last one is the version that the program reads and writes. */
  readonly migrations: readonly Migration[];
  readonly onProgress?: (progress: MigrationProgress) => void;
  /** Stops before the next migration or batch; the reason of the signal is thrown. */
  readonly signal?: AbortSignal;
}

/** @throws RangeError unless the migrations are numbered from 1 without gaps */
export function assertNumbered(migrations: readonly Migration[]): void {
  migrations.forEach(({ version, name }, i) => {
    if (version !== i + 1) throw new RangeError(`migration ${version} (${name}) stands where number ${i + 1} should`);
  });
}

/** Runs every migration on a file without tables, in the transaction of the caller. @throws MigrationFailed */
export function createSchema(connection: SqliteConnection, options: MigrateOptions): void {
  for (const migration of options.migrations) {
    let cursor: MigrationCursor | undefined;
    do cursor = runBatch(connection, options, migration, cursor).next;
    while (cursor !== undefined);
  }
}

/**
 * Upgrades the schema, each batch in a transaction of its own. Yields after each commit.
 * @param committed called after each commit
 * @throws MigrationFailed: the file has the version before; the reason of the signal
 */
export function* upgradeSchema(
  connection: SqliteConnection,
  options: MigrateOptions,
  committed: () => void,
): Generator<void, void> {
  for (const migration of options.migrations.slice(schemaVersion(connection))) {
    let cursor = unfinished(connection)?.cursor;
    do {
      options.signal?.throwIfAborted();
      const transaction = connection.transaction(() => runBatch(connection, options, migration, cursor));
      const batch = transaction.immediate();
      committed();
      options.onProgress?.({ version: migration.version, name: migration.name, ...batch });
      yield;
      cursor = batch.next;
    } while (cursor !== undefined);
  }
}

/** A writer accepts an older schema, since it upgrades the file. @throws WrongSchemaVersion, NotOurFile */
export function assertVersion(version: number, options: MigrateOptions): void {
  const newest = options.migrations.length;
  if (version === 0) throw new NotOurFile(options, 'it has tables and no schema version, as no program leaves it');
  if (version < 0) throw new NotOurFile(options, `its schema version is ${version}, as no program leaves it`);
  const isReadable = version === newest || (options.mode === 'write' && version < newest);
  if (!isReadable) throw new WrongSchemaVersion(options, version, newest);
}

/** Also refuses an unfinished migration of a newer program. @throws as `assertVersion` */
export function checkSchemaVersion(connection: SqliteConnection, options: MigrateOptions): void {
  const begun = unfinished(connection)?.version ?? 0;
  if (begun > options.migrations.length) throw new WrongSchemaVersion(options, begun, options.migrations.length);
  assertVersion(schemaVersion(connection), options);
}

/** The last complete migration. */
function schemaVersion(connection: SqliteConnection): number {
  return Number(connection.pragma('user_version', { simple: true }));
}

const PROGRESS = 'migration_progress';

/** The batched migration that is not complete. Its table exists only while there is one. */
function unfinished(connection: SqliteConnection): { version: number; cursor: MigrationCursor } | undefined {
  const count = connection.prepare<[string], [number]>('SELECT count(*) FROM sqlite_schema WHERE name = ?').raw(true);
  if (count.get(PROGRESS)?.[0] === 0) return undefined;
  return connection
    .prepare<[], { version: number; cursor: MigrationCursor }>(`SELECT version, cursor FROM ${PROGRESS}`)
    .get();
}

/** Runs a migration, or its next batch, and stores the progress, in the transaction of the caller. @throws MigrationFailed */
function runBatch(
  connection: SqliteConnection,
  options: MigrateOptions,
  migration: Migration,
  cursor: MigrationCursor | undefined,
): MigrationBatch {
  const { version, name } = migration;
  try {
    const batch = 'up' in migration ? runWhole(migration, connection) : migration.batch(connection, cursor);
    if (batch.next === undefined) {
      connection.exec(`DROP TABLE IF EXISTS ${PROGRESS}`);
      connection.pragma(`user_version = ${version}`);
      return batch;
    }
    // The migration would never end.
    if (batch.next === cursor) throw new RangeError(`a batch ended where it began: ${cursor}`);
    connection.exec(`CREATE TABLE IF NOT EXISTS ${PROGRESS} (version INTEGER PRIMARY KEY, cursor ANY NOT NULL) STRICT`);
    connection.prepare(`INSERT OR REPLACE INTO ${PROGRESS} VALUES (?, ?)`).run(version, batch.next);
    return batch;
  } catch (error) {
    if (isDiskFull(error, options.file)) throw error;
    const what = `migration ${version} (${name}) of the ${options.title} ${options.file} failed: ${failureText(error)}`;
    throw new MigrationFailed(options, what, { cause: error });
  }
}

function runWhole(migration: WholeMigration, connection: SqliteConnection): MigrationBatch {
  const result: unknown = migration.up(connection);
  if (result instanceof Promise) {
    result.catch(() => undefined);
    // The rest of it would run after the commit.
    throw new TypeError('a migration runs in one go, this one is asynchronous');
  }
  return { next: undefined, done: 1, total: 1 };
}
