import type { SqliteConnection } from './library';

/** Where a batched step has come to; what it means is the step's own affair. */
export type MigrationCursor = string | number;

/** What a batch has done: `next` is where the next one goes on, undefined when the step is complete. */
export interface MigrationBatch {
  readonly next: MigrationCursor | undefined;
  /** How far the step has come, in units of its own. */
  readonly done: number;
  readonly total: number;
}

interface NumberedStep {
  /** From 1 on without gaps; becomes `PRAGMA user_version`. */
  readonly version: number;
  readonly name: string;
}

/** A step that runs in one transaction together with its version mark. */
export interface WholeMigration extends NumberedStep {
  up(connection: SqliteConnection): void;
}

/**
 * A long step. Each batch runs in a transaction of its own together with the place it has come to. So the step can be cut
 * short after any batch, by a kill as well, and the next open goes on from there; the version mark comes with the last
 * batch. In between nobody else writes the file: programs that do not know the step refuse it, and those that do finish it.
 */
export interface BatchedMigration extends NumberedStep {
  /** @param cursor undefined for the first batch, later what the batch before gave as `next` */
  batch(connection: SqliteConnection, cursor: MigrationCursor | undefined): MigrationBatch;
}

/** One step of a schema's history. What a step does must never change: there are files that it has made. */
export type Migration = WholeMigration | BatchedMigration;

/** @throws RangeError unless the steps are numbered from 1 without gaps */
export function assertNumbered(migrations: readonly Migration[]): void {
  migrations.forEach(({ version, name }, i) => {
    if (version !== i + 1) throw new RangeError(`migration ${version} (${name}) stands where number ${i + 1} should`);
  });
}

/** Runs a whole step, or the next batch of a long one. The caller holds the transaction. */
export function runMigration(
  step: Migration,
  connection: SqliteConnection,
  cursor: MigrationCursor | undefined,
): MigrationBatch {
  if ('up' in step) {
    const result: unknown = step.up(connection);
    // What it still awaits would run after the version mark is committed.
    if (result instanceof Promise) {
      result.catch(() => undefined);
      throw new TypeError('a migration runs in one go, this one is asynchronous');
    }
    return { next: undefined, done: 1, total: 1 };
  }
  const batch = step.batch(connection, cursor);
  // It would go on for ever.
  if (batch.next !== undefined && batch.next === cursor)
    throw new RangeError(`a batch ended where it began: ${cursor}`);
  return batch;
}
