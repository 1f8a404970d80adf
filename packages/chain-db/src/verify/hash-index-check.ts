import type { SqliteConnection } from '@wrkz/sqlite';
import type { RunDirectory } from '../hash-index/directory';
import { mayHold } from '../hash-index/filter';
import { HASH_KIND_NAMES, HASH_KINDS, type HashKind } from '../hash-index/kinds';
import { HashLookup } from '../hash-index/lookup';
import { decodePage, pageId } from '../hash-index/page';
import type { Problems } from './problems';

/** Pages of a step: some milliseconds. */
const PAGES = 50;

/**
 * Looks through every page of the hash look-ups: checksums, order, filters, and that there are as many entries as rows.
 * That each row is found is asked row by row elsewhere; together with the count it says that there is nothing else.
 */
export function* checkHashIndex(
  connection: SqliteConnection,
  directory: RunDirectory,
  expected: Readonly<Record<HashKind, number>>,
  problems: Problems,
): Generator<void, void> {
  const lookup = new HashLookup(connection);
  const counted = new Map<HashKind, number>();
  const count = (kind: HashKind, entries: number): void => {
    counted.set(kind, (counted.get(kind) ?? 0) + entries);
  };
  const recent = connection
    .prepare<[], [HashKind, number]>('SELECT kind, count(*) FROM hash_recent GROUP BY kind')
    .raw(true);
  for (const [kind, entries] of recent.all()) count(kind, entries);
  let pages = 0;
  for (const { run, kind, firsts, filters } of directory.runs) {
    pages += firsts.length;
    for (const [i, first] of firsts.entries()) {
      if (i % PAGES === PAGES - 1) yield;
      const where = `page ${i} of run ${run} of the look-up of ${HASH_KIND_NAMES[kind]}`;
      const page = pageId(run, first);
      const entries = decodePage(page, lookup.entriesOf(page));
      if (entries === undefined) {
        problems.add(where, 'is damaged');
        continue;
      }
      count(kind, entries.ids.length);
      const { fingerprints } = entries;
      const end = firsts[i + 1] ?? Infinity;
      const ordered = fingerprints.every((one, place) => one >= (fingerprints[place - 1] ?? first) && one < end);
      if (!ordered) problems.add(where, 'is out of order');
      const filter = filters[i];
      if (filter === undefined || !fingerprints.every((one) => mayHold(filter, one))) {
        problems.add(where, 'has entries that its filter does not know');
      }
    }
  }
  const stored = connection.prepare<[], [number]>('SELECT count(*) FROM hash_pages').raw(true).get()?.[0];
  problems.equal('hash_pages', 'number of rows', stored, pages);
  for (const kind of Object.values(HASH_KINDS)) {
    problems.equal(`look-up of ${HASH_KIND_NAMES[kind]}`, 'number of entries', counted.get(kind) ?? 0, expected[kind]);
  }
}
