import type { SqliteConnection } from './library';
import type { MigrationCursor } from './migration';

/**
 * How far a file has come in its schema's history: `PRAGMA user_version` is the last complete step. While a long step is
 * unfinished, the table `migration_progress` says which it is and where it goes on; with the step the table goes, too, so
 * that a schema bears no trace of how it came about.
 */
export class MigrationMark {
  constructor(private readonly connection: SqliteConnection) {}

  version(): number {
    return Number(this.connection.pragma('user_version', { simple: true }));
  }

  /** The step that was begun and not finished. */
  begun(): { readonly version: number; readonly cursor: MigrationCursor } | undefined {
    if (!this.hasProgress()) return undefined;
    const row = this.connection
      .prepare<[], [number, MigrationCursor]>('SELECT version, cursor FROM migration_progress')
      .raw(true)
      .get();
    return row && { version: row[0], cursor: row[1] };
  }

  /** The caller holds the transaction in which the batch ran. */
  save(version: number, cursor: MigrationCursor): void {
    if (!this.hasProgress()) {
      this.connection.exec('CREATE TABLE migration_progress (version INTEGER PRIMARY KEY, cursor ANY NOT NULL) STRICT');
    }
    this.connection.prepare('INSERT OR REPLACE INTO migration_progress VALUES (?, ?)').run(version, cursor);
  }

  /** The caller holds the transaction in which the step, or its last batch, ran. */
  finish(version: number): void {
    this.connection.exec('DROP TABLE IF EXISTS migration_progress');
    this.connection.pragma(`user_version = ${version}`);
  }

  private hasProgress(): boolean {
    const tables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migration_progress'";
    return this.connection.prepare<[], [number]>(tables).raw(true).get()?.[0] === 1;
  }
}
