import type { SqliteConnection } from '@wrkz/sqlite';
import { filterKey, HashLookup, pageKey, type RunDirectory } from '../hash-index/lookup';
import { fingerprintAt, mayContain } from '../hash-index/page';
import { HASH_KIND_NAMES, HASH_KINDS, type HashKind } from '../hash-index/schema';
import type { Problems } from './problems';

/** Pages of a step: some milliseconds. */
const PAGES = 50;

/**
 * Looks through every page of the hash look-ups: order, filters, and that there are as many entries as rows. That each row
 * is found is asked row by row elsewhere; together with the count it says that there is nothing else.
 */
export function* checkHashIndex(
  connection: SqliteConnection,
  directory: RunDirectory,
  expected: Readonly<Record<HashKind, number>>,
  problems: Problems,
): Generator<void, void> {
  const lookup = new HashLookup(connection);
  const counted = new Map<HashKind, number>();
  const filters = new Set<number>();
  let pages = 0;
  for (const run of directory.runs) {
    for (let first = run.floor; first < run.ceiling; first += run.width) {
      if (++pages % PAGES === 0) yield;
      const key = pageKey(run, first);
      const where = `page ${key} of the look-up of ${HASH_KIND_NAMES[run.kind]}`;
      const entries = lookup.entriesOf(key);
      const fingerprints = Array.from({ length: entries.length / 2 }, (_, i) => fingerprintAt(entries, i));
      counted.set(run.kind, (counted.get(run.kind) ?? 0) + fingerprints.length);
      const ordered = fingerprints.every((one, i) => one >= (fingerprints[i - 1] ?? 0) && pageKey(run, one) === key);
      if (!ordered) problems.add(where, 'is out of order');
      const filter = directory.filters.get(filterKey(key));
      filters.add(filterKey(key));
      if (filter === undefined || !fingerprints.every((one) => mayContain(filter, one))) {
        problems.add(where, 'has entries that its filter does not know');
      }
    }
  }
  for (const [table, rows] of [
    ['hash_pages', pages],
    ['hash_filters', filters.size],
  ] as const) {
    const stored = connection.prepare<[], [number]>(`SELECT count(*) FROM ${table}`).raw(true).get()?.[0];
    problems.equal(table, 'number of rows', stored, rows);
  }
  for (const kind of Object.values(HASH_KINDS)) {
    problems.equal(`look-up of ${HASH_KIND_NAMES[kind]}`, 'number of entries', counted.get(kind) ?? 0, expected[kind]);
  }
}
