import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase } from '../errors';
import { isWhole } from './checksum';
import { lastUpTo } from './directory';
import { mayHold } from './filter';
import { FINGERPRINT_LIMIT } from './fingerprint';
import { HASH_KINDS, type HashKind } from './kinds';
import { pageId } from './page';
import { checkPages, checkRun, type RunRow } from './run-checksum';

/** Filters that one look-up may read on its way: some milliseconds. */
const LOADED_AT_ONCE = 1000;

/**
 * Kinds whose filters a reader keeps. Key images are the most by far and are asked for by the pool alone, which has costlier
 * things to do for each of them: they would double what the writer's thread needs.
 */
const KEPT: ReadonlySet<HashKind> = new Set<HashKind>([HASH_KINDS.block, HASH_KINDS.transaction]);

interface KnownRun {
  readonly run: number;
  readonly kind: HashKind;
  readonly row: RunRow;
  /** Neither being merged nor taking others in: its pages stay where they are. */
  readonly settled: boolean;
  readonly firsts: number[];
  readonly filters: Buffer[];
  complete: boolean;
}

/** Where an entry may be: pages that may hold it, and runs of which nothing is known. */
export interface Places {
  readonly pages: readonly number[];
  readonly runs: readonly number[];
}

/**
 * What a reader that works beside the writer on another thread remembers of the runs: the filters of settled ones, read
 * little by little as they are needed. Runs have numbers that are never given again, so what is known of one stays true.
 */
export class RunCache {
  private generation: number | undefined;
  private runs: KnownRun[] = [];
  private readonly list: SqliteStatement<[], [number, HashKind, number, number | null, number, number]>;
  private readonly filters: SqliteStatement<[number, number], [number, Buffer]>;

  constructor(connection: SqliteConnection) {
    this.list = connection
      .prepare<[], [number, HashKind, number, number | null, number, number]>(
        'SELECT run, kind, level, target, pages, checksum FROM hash_runs',
      )
      .raw(true);
    this.filters = connection
      .prepare<[number, number], [number, Buffer]>(
        `SELECT id, bits FROM hash_filters WHERE id > ? AND id < ? ORDER BY id LIMIT ${LOADED_AT_ONCE}`,
      )
      .raw(true);
  }

  /** @param generation of the state that is read */
  places(kind: HashKind, fingerprint: number, generation: number): Places {
    if (generation !== this.generation) this.refresh(generation);
    const pages: number[] = [];
    const runs: number[] = [];
    let mayLoad = true;
    for (const known of this.runs) {
      if (known.kind !== kind) continue;
      if (mayLoad && known.settled && !known.complete && KEPT.has(kind)) {
        this.load(known);
        mayLoad = false;
      }
      const place = lastUpTo(known.firsts, fingerprint);
      const isLast = place === known.firsts.length - 1;
      if (isLast && !known.complete) runs.push(known.run);
      else if (place >= 0 && mayHold(known.filters[place] as Buffer, fingerprint)) {
        pages.push(pageId(known.run, known.firsts[place] as number));
      }
    }
    return { pages, runs };
  }

  private refresh(generation: number): void {
    const rows = this.list.all();
    const targets = new Set(rows.map(([, , , target]) => target));
    const before = new Map(this.runs.map((known) => [known.run, known]));
    this.runs = rows.map(([run, kind, level, target, pages, checksum]) => {
      const row = { run, kind, level, target: target ?? undefined, pages };
      checkRun(row, checksum);
      const settled = target === null && !targets.has(run);
      const known = before.get(run);
      return settled && known?.settled === true
        ? known
        : { run, kind, row, settled, firsts: [], filters: [], complete: false };
    });
    this.generation = generation;
  }

  private load(known: KnownRun): void {
    const floor = known.run * FINGERPRINT_LIMIT;
    const last = known.firsts.at(-1);
    const rows = this.filters.all(last === undefined ? floor - 1 : floor + last, floor + FINGERPRINT_LIMIT);
    for (const [id, bits] of rows) {
      if (!isWhole(bits, id)) throw new CorruptDatabase(`filter of page ${id} of the hash look-ups`);
      known.firsts.push(id - floor);
      known.filters.push(bits);
    }
    known.complete = rows.length < LOADED_AT_ONCE;
    if (known.complete) checkPages(known.row, known.firsts);
  }
}
