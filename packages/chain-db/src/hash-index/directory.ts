import { lowerBound } from '@wrkz/core-types';
import type { SqliteConnection } from '@wrkz/sqlite';
import { CorruptDatabase } from '../errors';
import { isWhole } from './checksum';
import { mayHold } from './filter';
import { FINGERPRINT_LIMIT } from './fingerprint';
import type { HashKind } from './kinds';
import { pageId } from './page';
import { checkPages, checkRun, type RunRow } from './run-checksum';

/** Within so many places a guess is nearly always right. */
const NEARBY = 16;

/** A run in memory: of each page its lower bound and its filter, in ascending order. */
export interface Run {
  readonly run: number;
  readonly kind: HashKind;
  readonly level: number;
  /** The run that this one is being merged into. */
  target: number | undefined;
  readonly firsts: number[];
  readonly filters: Buffer[];
}

/**
 * All runs with the filters of their pages, about 2.3 bytes an entry. It answers for one state of the file, which its
 * generation names; entries that a rewind took out may still pass a filter, never the other way round.
 */
export class RunDirectory {
  private constructor(
    readonly runs: Run[],
    public generation: number,
  ) {}

  /** Reads all filters. @throws CorruptDatabase */
  static load(connection: SqliteConnection): RunDirectory {
    const generation = connection.prepare<[], [number]>('SELECT generation FROM hash_state').raw(true).get()?.[0];
    const rows = connection
      .prepare<[], [number, HashKind, number, number | null, number, number]>(
        'SELECT run, kind, level, target, pages, checksum FROM hash_runs ORDER BY run',
      )
      .raw(true)
      .all();
    const runs = new Map<number, Run>();
    const stored: RunRow[] = [];
    for (const [run, kind, level, target, pages, checksum] of rows) {
      const row = { run, kind, level, target: target ?? undefined, pages };
      checkRun(row, checksum);
      stored.push(row);
      runs.set(run, { run, kind, level, target: target ?? undefined, firsts: [], filters: [] });
    }
    const filters = connection.prepare<[], [number, Buffer]>('SELECT id, bits FROM hash_filters ORDER BY id').raw(true);
    for (const [id, bits] of filters.iterate()) {
      const number = Math.floor(id / FINGERPRINT_LIMIT);
      const run = runs.get(number);
      if (run === undefined || !isWhole(bits, id))
        throw new CorruptDatabase(`filter of page ${id} of the hash look-ups`);
      run.firsts.push(id - number * FINGERPRINT_LIMIT);
      run.filters.push(bits);
    }
    for (const row of stored) checkPages(row, runs.get(row.run)?.firsts ?? []);
    return new RunDirectory([...runs.values()], generation ?? -1);
  }

  /** The pages that may hold an entry, at most one a run. */
  pages(kind: HashKind, fingerprint: number): number[] {
    const pages: number[] = [];
    for (const { run, kind: own, firsts, filters } of this.runs) {
      if (own !== kind) continue;
      const place = lastUpTo(firsts, fingerprint);
      const filter = filters[place];
      if (filter !== undefined && mayHold(filter, fingerprint)) pages.push(pageId(run, firsts[place] as number));
    }
    return pages;
  }

  /** The same for many, in ascending order; those that no page holds are left out. */
  pagesOfMany(kind: HashKind, fingerprints: readonly number[]): Map<number, number[]> {
    const found = new Map<number, number[]>();
    for (const { run, kind: own, firsts, filters } of this.runs) {
      if (own !== kind) continue;
      for (const fingerprint of fingerprints) {
        const place = lastUpTo(firsts, fingerprint);
        const filter = filters[place];
        if (filter === undefined || !mayHold(filter, fingerprint)) continue;
        const page = pageId(run, firsts[place] as number);
        const pages = found.get(fingerprint);
        if (pages === undefined) found.set(fingerprint, [page]);
        else if (pages.at(-1) !== page) pages.push(page);
      }
    }
    return found;
  }

  /** Bytes of the filters. */
  get bytes(): number {
    let bytes = 0;
    for (const { filters } of this.runs) for (const filter of filters) bytes += filter.length;
    return bytes;
  }
}

/**
 * Place of the last value up to `limit`, -1 when all are above it. The values are evenly spread, so it begins where the limit
 * should be and looks at few of them: with millions of pages each look waits for the memory.
 */
export function lastUpTo(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  if (high > NEARBY) {
    const first = ascending[0] as number;
    const share = (limit - first) / ((ascending[high - 1] as number) - first);
    const guess = Math.floor(share * high);
    const from = Math.max(0, guess - NEARBY / 2);
    const to = Math.min(high, guess + NEARBY / 2);
    if (from < to && (ascending[from] as number) <= limit) low = from;
    if (to > low && to < high && (ascending[to] as number) > limit) high = to;
  }
  return lowerBound(low, high, (i) => (ascending[i] as number) <= limit) - 1;
}
