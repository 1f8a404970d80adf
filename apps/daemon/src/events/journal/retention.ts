import type { SqliteConnection } from '@wrkz/sqlite';
import type { JournalStore } from './store';

/** Entries that one step deletes: some milliseconds of work, after which writing goes first. */
export const ENTRIES_A_STEP = 500;
/** Empty pages that one step gives back to the system. */
const PAGES_A_STEP = 200;
const DAY_MS = 86_400_000;

/**
 * Deletes the oldest entries that are older than `days`, at most some hundred, up to the first that is not. Entries from the
 * future are deleted with a later entry that is old: the clock may have been wrong when they were written, or it is wrong now.
 *
 * @param now Unix milliseconds
 * @returns whether there may be more to delete
 */
export function deleteOldEntries(
  store: JournalStore,
  connection: SqliteConnection,
  days: number,
  now: number,
): boolean {
  const oldest = connection
    .prepare<[number, number], [number, number]>(
      'SELECT number, time FROM entries WHERE time <= ? ORDER BY number LIMIT ?',
    )
    .raw(true)
    .all(now + DAY_MS, ENTRIES_A_STEP);
  const kept = oldest.findIndex(([, time]) => time >= now - days * DAY_MS);
  const [last] = (kept < 0 ? oldest : oldest.slice(0, kept)).at(-1) ?? [];
  if (last === undefined) return false;
  store.commit(() => {
    connection.prepare('DELETE FROM entries WHERE number <= ?').run(last);
    store.keepAfter(last);
  });
  connection.pragma(`incremental_vacuum(${PAGES_A_STEP})`);
  return kept < 0 && oldest.length === ENTRIES_A_STEP;
}

/** Deletes entries that a cut has left below what is kept. @returns whether there may be more */
export function deleteCutEntries(store: JournalStore, connection: SqliteConnection): boolean {
  const { changes } = store.commit(() =>
    connection
      .prepare(
        `DELETE FROM entries WHERE number IN (SELECT number FROM entries WHERE number <= ? ORDER BY number LIMIT ?)`,
      )
      .run(store.state.keptAfter, ENTRIES_A_STEP),
  );
  if (changes > 0) connection.pragma(`incremental_vacuum(${PAGES_A_STEP})`);
  return changes === ENTRIES_A_STEP;
}
