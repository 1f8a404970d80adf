import { MigrationFailed, NotOurFile, WrongSchemaVersion, type FileName } from './errors';
import type { SqliteConnection } from './library';
import { runMigration, type Migration, type MigrationBatch } from './migration';
import { MigrationMark } from './migration-mark';

/** What is reported after each committed transaction of a migration. */
export interface MigrationProgress extends MigrationBatch {
  readonly version: number;
  readonly name: string;
}

export interface MigrateOptions extends FileName {
  /** All steps in order; the last one's number is the version that the program reads and writes. */
  readonly migrations: readonly Migration[];
  readonly onProgress?: (progress: MigrationProgress) => void;
  /** Cuts a migration short before its next step or batch; the signal's reason is thrown. */
  readonly signal?: AbortSignal;
}

/** Runs every step on a file without tables. The caller holds the transaction, so that a new file has all or none. */
export function createSchema(connection: SqliteConnection, options: MigrateOptions): void {
  const mark = new MigrationMark(connection);
  for (const step of options.migrations) {
    attempt(options, step, () => {
      let { next } = runMigration(step, connection, undefined);
      while (next !== undefined) ({ next } = runMigration(step, connection, next));
      mark.finish(step.version);
    });
  }
}

/**
 * Brings the schema up to date step by step, each in a transaction of its own with its version mark. It yields after each
 * committed transaction, where the caller may give others a turn.
 *
 * @throws MigrationFailed, and the file has the version before the step; the signal's reason
 */
export function* upgradeSchema(
  connection: SqliteConnection,
  options: MigrateOptions,
  committed: () => void = () => undefined,
): Generator<void, void> {
  const mark = new MigrationMark(connection);
  committed();
  for (const step of options.migrations.slice(mark.version())) {
    let cursor = mark.begun()?.cursor;
    do {
      options.signal?.throwIfAborted();
      const at = cursor;
      const batch = attempt(options, step, () =>
        connection
          .transaction(() => {
            const result = runMigration(step, connection, at);
            if (result.next === undefined) mark.finish(step.version);
            else mark.save(step.version, result.next);
            return result;
          })
          .immediate(),
      );
      committed();
      options.onProgress?.({ version: step.version, name: step.name, ...batch });
      yield;
      cursor = batch.next;
    } while (cursor !== undefined);
  }
}

/**
 * Whether this program can read the file; for writing an older schema is right, too, as it will be brought up to date.
 * @throws WrongSchemaVersion; NotOurFile for tables without a version or with one below 0, which no step leaves behind
 */
export function checkSchemaVersion(
  connection: SqliteConnection,
  options: MigrateOptions,
  mode: 'read' | 'write',
): void {
  const newest = options.migrations.length;
  const mark = new MigrationMark(connection);
  const version = mark.version();
  const begun = mark.begun()?.version ?? version;
  if (version === 0) throw new NotOurFile(options, 'it has tables and no schema version, as no program leaves it');
  if (version < 0) throw new NotOurFile(options, `its schema version is ${version}, as no program leaves it`);
  if (begun > newest) throw new WrongSchemaVersion(options, begun, newest);
  if (version > newest || (mode === 'read' && version < newest)) throw new WrongSchemaVersion(options, version, newest);
}

function attempt<T>(name: FileName, { version, name: step }: Migration, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new MigrationFailed(name, version, step, error);
  }
}
