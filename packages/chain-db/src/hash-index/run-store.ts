import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import type { RunDirectory, Run } from './directory';
import { encodeFilter } from './filter';
import type { HashKind } from './kinds';
import { encodePage, pageEnd, pageId, type Entries } from './page';
import { runChecksum, sumOfPages, type RunRow } from './run-checksum';

/** The statements that change runs; what they write they note in the directory. The caller holds the transaction. */
export class RunStore {
  private readonly insertRun: SqliteStatement<[number, number, number, number, number]>;
  private readonly deleteRun: SqliteStatement<[number]>;
  private readonly insertPage: SqliteStatement<[number, Buffer]>;
  private readonly insertFilter: SqliteStatement<[number, Buffer]>;
  private readonly updatePage: SqliteStatement<[Buffer, number]>;
  private readonly deletePage: SqliteStatement<[number]>;
  private readonly deleteFilter: SqliteStatement<[number]>;
  private readonly updateRun: SqliteStatement<[number | null, number, number, number]>;
  private readonly count: SqliteStatement<[number]>;

  constructor(
    connection: SqliteConnection,
    readonly directory: RunDirectory,
    private readonly pageEntries: number,
  ) {
    this.insertRun = connection.prepare(
      'INSERT INTO hash_runs (run, kind, level, pages, checksum) VALUES (?, ?, ?, ?, ?)',
    );
    this.deleteRun = connection.prepare('DELETE FROM hash_runs WHERE run = ?');
    this.insertPage = connection.prepare('INSERT INTO hash_pages (id, entries) VALUES (?, ?)');
    this.insertFilter = connection.prepare('INSERT INTO hash_filters (id, bits) VALUES (?, ?)');
    this.updatePage = connection.prepare('UPDATE hash_pages SET entries = ? WHERE id = ?');
    this.deletePage = connection.prepare('DELETE FROM hash_pages WHERE id = ?');
    this.deleteFilter = connection.prepare('DELETE FROM hash_filters WHERE id = ?');
    this.updateRun = connection.prepare('UPDATE hash_runs SET target = ?, pages = ?, checksum = ? WHERE run = ?');
    this.count = connection.prepare('UPDATE hash_state SET generation = ? WHERE id = 1');
  }

  newRun(kind: HashKind, level: number): Run {
    const run = this.directory.runs.reduce((highest, one) => Math.max(highest, one.run), 0) + 1;
    const made: Run = { run, kind, level, target: undefined, firsts: [], filters: [] };
    const row = rowOf(made);
    this.insertRun.run(run, kind, level, row.pages, runChecksum(row));
    this.directory.runs.push(made);
    return made;
  }

  /** Takes a run that has no pages any more out. */
  dropRun(run: Run): void {
    this.deleteRun.run(run.run);
    this.directory.runs.splice(this.directory.runs.indexOf(run), 1);
  }

  /** From now on `runs` are being merged into `target`. */
  aimAt(target: Run, runs: readonly Run[]): void {
    for (const run of runs) {
      run.target = target.run;
      this.update(run);
    }
  }

  /** Puts entries, which are above all others of the run, behind them. */
  append(run: Run, entries: Entries): void {
    const { fingerprints } = entries;
    for (let from = 0; from < fingerprints.length;) {
      const end = pageEnd(fingerprints, from, this.pageEntries);
      const filter = this.put(run, entries, from, end);
      run.firsts.push(fingerprints[from] as number);
      run.filters.push(filter);
      from = end;
    }
    this.update(run);
  }

  /** Takes the first `pages` pages out; `rest` stays of the page after them. */
  removeFront(run: Run, pages: number, rest: Entries | undefined): void {
    const gone = pages + (rest === undefined ? 0 : 1);
    for (const first of run.firsts.slice(0, gone)) {
      this.deletePage.run(pageId(run.run, first));
      this.deleteFilter.run(pageId(run.run, first));
    }
    run.firsts.splice(0, gone);
    run.filters.splice(0, gone);
    if (rest !== undefined) {
      run.filters.unshift(this.put(run, rest, 0, rest.ids.length));
      run.firsts.unshift(rest.fingerprints[0] as number);
    }
    this.update(run);
  }

  /** Replaces a page by what is left of it. Its filter stays: it lets more through than it must, and misses nothing. */
  replacePage(page: number, entries: Entries): void {
    this.updatePage.run(encodePage(page, entries, 0, entries.ids.length), page);
  }

  /** The set of pages has changed: directories of other states must not be asked any more. */
  nextGeneration(): void {
    this.count.run(++this.directory.generation);
  }

  private update(run: Run): void {
    const row = rowOf(run);
    this.updateRun.run(run.target ?? null, row.pages, runChecksum(row), run.run);
  }

  private put(run: Run, entries: Entries, from: number, end: number): Buffer {
    const id = pageId(run.run, entries.fingerprints[from] as number);
    const filter = encodeFilter(id, entries, from, end);
    this.insertPage.run(id, encodePage(id, entries, from, end));
    this.insertFilter.run(id, filter);
    return filter;
  }
}

function rowOf({ run, kind, level, target, firsts }: Run): RunRow {
  return { run, kind, level, target, pages: sumOfPages(firsts) };
}
