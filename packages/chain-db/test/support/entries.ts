import type { SqliteConnection } from '@wrkz/sqlite';
import { filterKey, readDirectory, pageKey, type Run, type RunDirectory } from '../../src/hash-index/lookup';
import { entryOf, fingerprintAt, ID_LIMIT, mayContain, sortEntries } from '../../src/hash-index/page';
import type { HashKind } from '../../src/hash-index/schema';

interface StoredEntry {
  readonly fingerprint: number;
  readonly id: number;
}

/** Keys of the pages that a run must have. */
export function pagesOf(run: Run): number[] {
  const keys: number[] = [];
  for (let first = run.floor; first < run.ceiling; first += run.width) keys.push(pageKey(run, first));
  return keys;
}

/** Changes entries of a kind without the writer: `edit` returns the new entry, or undefined to remove it. Filters are updated. */
export function editEntries(
  connection: SqliteConnection,
  kind: HashKind,
  edit: (entry: StoredEntry) => StoredEntry | undefined,
): void {
  for (const run of readDirectory(connection, true).runs) {
    if (run.kind !== kind) continue;
    for (const key of pagesOf(run)) {
      const entries = storedEntries(connection, key).flatMap((entry) => edit(entry) ?? []);
      const page = sortEntries(entries.map(({ fingerprint, id }) => entryOf(fingerprint, id)));
      connection.prepare('UPDATE hash_pages SET entries = ? WHERE id = ?').run(page, key);
      const [filter] = connection
        .prepare<[number], [Buffer]>('SELECT bits FROM hash_filters WHERE id = ?')
        .raw(true)
        .all(filterKey(key));
      entries.forEach(({ fingerprint }) => mayContain(filter?.[0] as Buffer, fingerprint, true));
      connection.prepare('UPDATE hash_filters SET bits = ? WHERE id = ?').run(filter?.[0], filterKey(key));
    }
  }
}

/** Removes the entry of row `id`. */
export function loseEntry(connection: SqliteConnection, kind: HashKind, id: number): void {
  editEntries(connection, kind, (entry) => (entry.id === id ? undefined : entry));
}

/** Number of entries of a kind in all pages of its runs. */
export function countEntries(connection: SqliteConnection, { runs }: RunDirectory, kind: HashKind): number {
  const keys = runs.filter((run) => run.kind === kind).flatMap(pagesOf);
  return keys.reduce((sum, key) => sum + storedEntries(connection, key).length, 0);
}

function storedEntries(connection: SqliteConnection, key: number): StoredEntry[] {
  const row = connection.prepare<[number], [Buffer]>('SELECT entries FROM hash_pages WHERE id = ?').raw(true).get(key);
  if (row === undefined) throw new Error(`page ${key} is missing`);
  const entries = new Uint32Array(row[0].buffer, row[0].byteOffset, row[0].length / 4);
  return Array.from({ length: entries.length / 2 }, (_, i) => ({
    fingerprint: fingerprintAt(entries, i),
    id: (entries[i * 2] as number) % ID_LIMIT,
  }));
}
