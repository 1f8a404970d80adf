import type { SqliteConnection } from '@wrkz/sqlite';

/** How often what keeps a payment from being made twice was written. It never goes back, so a copy of an earlier day shows. */
export function writesOf(connection: SqliteConnection): number {
  return connection.prepare<[], number>('SELECT count FROM writes').pluck().get() ?? 0;
}

/** One more; in the transaction of what is written. */
export function countWrite(connection: SqliteConnection): void {
  connection.prepare('UPDATE writes SET count = count + 1').run();
}

/** An older copy goes on: it says that it does not remember all, and counts from where the lost one stood. */
export function markOutdated(connection: SqliteConnection, writes: number, now: number): void {
  connection
    .transaction(() => {
      connection.prepare("UPDATE identity SET lost = 'outdated', since = ?").run(now);
      connection.prepare('UPDATE writes SET count = ?').run(writes);
    })
    .immediate();
}
