import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase } from '../errors';
import { filterKey, HashLookup, pageKey, PAGES_PER_FILTER, readDirectory, type Run, type RunDirectory } from './lookup';
import {
  BITS_PER_ENTRY,
  entryOf,
  FINGERPRINT_LIMIT,
  fingerprintAt,
  firstIndex,
  ID_LIMIT,
  idsOf,
  mayContain,
  sortEntries,
} from './page';
import { HASH_KIND_NAMES, type HashKind } from './schema';

export interface HashIndexLimits {
  /** Runs of a level that are merged into one. */
  readonly fanIn: number;
  /** Mean number of entries of a full page. 900 plus the typical deviation fit a database page of 8 KiB. */
  readonly pageEntries: number;
}

/**
 * Writer of the LSM index. A memtable per kind collects the entries of a change by fingerprint. {@link flush} writes them as
 * sorted runs and merges runs, in the transaction of the change. After a rollback the caller calls {@link rolledBack}.
 */
export class HashIndex extends HashLookup {
  private readonly memtables = new Map<HashKind, Map<number, number[]>>();
  private readonly statements = new Map<string, SqliteStatement>();
  private loaded: RunDirectory | undefined;

  constructor(
    connection: SqliteConnection,
    private readonly sameHash: (kind: HashKind, a: number, b: number) => boolean,
    private readonly limits: HashIndexLimits = { fanIn: 3, pageEntries: 900 },
  ) {
    super(connection);
  }

  override get directory(): RunDirectory {
    return (this.loaded ??= readDirectory(this.connection, true));
  }

  /** Includes the rows of the current change. */
  override candidates(kind: HashKind, hash: Buffer): number[] {
    const fingerprint = this.fingerprints.of(hash);
    const added = this.memtables.get(kind)?.get(fingerprint) ?? [];
    return [...idsOf(added, fingerprint), ...super.candidates(kind, hash)];
  }

  /** Row `id` has this hash. */
  add(kind: HashKind, hash: Buffer, id: number): void {
    if (!(id >= 0 && id < ID_LIMIT)) throw new RangeError(`row ${id} of a lookup by hash`);
    const memtable = this.memtables.get(kind) ?? new Map<number, number[]>();
    const fingerprint = this.fingerprints.of(hash);
    memtable.set(fingerprint, [...(memtable.get(fingerprint) ?? []), ...entryOf(fingerprint, id)]);
    this.memtables.set(kind, memtable);
  }

  /** Removes the entry of row `id`, which an earlier change has flushed. @throws CorruptDatabase if it is missing */
  remove(kind: HashKind, hash: Buffer, id: number): void {
    const fingerprint = this.fingerprints.of(hash);
    const [low, high] = entryOf(fingerprint, id);
    for (const key of this.pagesOf(kind, fingerprint)) {
      const entries = this.entriesOf(key);
      const rest = entries.filter((_, i) => entries[i & ~1] !== low || entries[i | 1] !== high);
      if (rest.length === entries.length) continue;
      // The Bloom filter is not updated: the only effect is more reads of the page.
      return this.write('UPDATE hash_pages SET entries = ? WHERE id = ?', rest, key);
    }
    throw new CorruptDatabase(`row ${id} is missing in the look-up of ${HASH_KIND_NAMES[kind]}`);
  }

  /** Writes the memtables and compacts. The caller holds the transaction. @throws CorruptDatabase */
  flush(): void {
    for (const [kind, memtable] of this.memtables) {
      const entries = sortEntries([...memtable.values()]);
      const run = this.newRun(kind, entries.length / 2);
      this.append(run, entries, FINGERPRINT_LIMIT);
      this.startMerge(run);
      const targets = this.directory.runs.filter((run) => run.kind === kind && run.ceiling < FINGERPRINT_LIMIT);
      // With two moves per new entry a merge ends before the next one of its level begins. With four, lookups read fewer runs.
      for (const target of targets) this.merge(target, run.entries * 4);
    }
    const manifest = JSON.stringify(this.directory.runs);
    this.write('UPDATE hash_state SET generation = ?, manifest = ?', ++this.directory.generation, manifest);
    this.memtables.clear();
  }

  rolledBack(): void {
    this.memtables.clear();
    this.loaded = undefined;
  }

  /** Gives the complete runs of a level a common target, once there are enough. */
  private startMerge({ kind, level }: Run): void {
    const ofLevel = this.directory.runs.filter((run) => run.kind === kind && run.level === level);
    const sources = ofLevel.filter((run) => run.target === undefined && run.ceiling === FINGERPRINT_LIMIT);
    if (sources.length < this.limits.fanIn) return;
    const entries = sources.reduce((sum, run) => sum + run.entries, 0);
    const target = this.newRun(kind, entries);
    for (const source of sources) source.target = target.run;
  }

  /**
   * Moves about `limit` entries, the lowest ones, from the sources to their target. Each fingerprint belongs to either the
   * sources or the target, so lookups work during a merge, and a restart continues it.
   */
  private merge(target: Run, limit: number): void {
    const { runs } = this.directory;
    const sources = runs.filter((run) => run.target === target.run);
    // Widths are powers of two, so the bound is on a page boundary of all runs.
    const widest = Math.max(target.width, ...sources.map(({ width }) => width));
    const wanted = target.ceiling + (limit / target.entries) * FINGERPRINT_LIMIT;
    const bound = Math.min(FINGERPRINT_LIMIT, Math.ceil(wanted / widest) * widest);
    const entries = sortEntries(sources.flatMap((run) => this.takeBelow(run, bound)));
    for (let i = 1; i < entries.length / 2; i++) {
      if (fingerprintAt(entries, i - 1) !== fingerprintAt(entries, i)) continue;
      const [a, b] = idsOf(entries.subarray(i * 2 - 2, i * 2 + 2), fingerprintAt(entries, i)) as [number, number];
      if (a !== b && !this.sameHash(target.kind, a, b)) continue;
      const name = HASH_KIND_NAMES[target.kind];
      throw new CorruptDatabase(`the look-up of ${name} has one of them twice, in rows ${a} and ${b}`);
    }
    this.append(target, entries, bound);
    if (bound < FINGERPRINT_LIMIT) return;
    for (const source of sources) runs.splice(runs.indexOf(source), 1);
    this.startMerge(target);
  }

  private newRun(kind: HashKind, entries: number): Run {
    const { runs } = this.directory;
    const number = Math.max(0, ...runs.map(({ run }) => run)) + 1;
    const level = Math.floor(Math.log(entries) / Math.log(this.limits.fanIn));
    const width = FINGERPRINT_LIMIT / 2 ** Math.max(0, Math.ceil(Math.log2(entries / this.limits.pageEntries)));
    const run: Run = { run: number, kind, level, entries, width, floor: 0, ceiling: 0 };
    runs.push(run);
    return run;
  }

  /** Writes the pages of a run from its ceiling to `end`. */
  private append(run: Run, entries: Uint32Array, end: number): void {
    const { filters } = this.directory;
    const filtersOfRun = Math.max(1, FINGERPRINT_LIMIT / run.width / PAGES_PER_FILTER);
    const filterBytes = Math.ceil((run.entries / filtersOfRun) * (BITS_PER_ENTRY / 8));
    for (let from = 0; run.ceiling < end;) {
      const key = pageKey(run, run.ceiling);
      const filter = key % PAGES_PER_FILTER === 0 ? Buffer.alloc(filterBytes) : filters.get(filterKey(key));
      if (filter === undefined) throw new CorruptDatabase(`filter ${filterKey(key)} of the hash look-ups is missing`);
      const to = firstIndex(entries, (run.ceiling += run.width));
      for (let i = from; i < to; i++) mayContain(filter, fingerprintAt(entries, i), true);
      this.write('INSERT INTO hash_pages (id, entries) VALUES (?, ?)', key, entries.subarray(from * 2, to * 2));
      filters.set(filterKey(key), filter);
      from = to;
      if (run.ceiling < end && filterKey(key + 1) === filterKey(key)) continue;
      this.write('REPLACE INTO hash_filters (id, bits) VALUES (?, ?)', filterKey(key), filter);
    }
  }

  /** Removes the pages of a run below `bound`. @returns their entries */
  private takeBelow(run: Run, bound: number): Uint32Array[] {
    const taken: Uint32Array[] = [];
    while (run.floor < bound) {
      const key = pageKey(run, run.floor);
      taken.push(this.entriesOf(key));
      this.write('DELETE FROM hash_pages WHERE id = ?', key);
      run.floor += run.width;
      if (run.floor < FINGERPRINT_LIMIT && filterKey(key + 1) === filterKey(key)) continue;
      this.write('DELETE FROM hash_filters WHERE id = ?', filterKey(key));
      this.directory.filters.delete(filterKey(key));
    }
    return taken;
  }

  private write(sql: string, ...values: (number | string | ArrayBufferView)[]): void {
    let statement = this.statements.get(sql);
    if (statement === undefined) this.statements.set(sql, (statement = this.connection.prepare(sql)));
    statement.run(...values);
  }
}
