import type { SqliteConnection } from '@wrkz/sqlite';
import { toUnsigned } from '../integers';
import { Problems } from '../verify/problems';
import { APART_FROM, checkStructure } from '../verify/structure';
import { imageTable, type NumberedTable, outputTable } from './lower-cursor';
import type { RestoredOutput } from './restored-block';
import { orNothing } from './tolerant';

/** What a block below the height of a lite node has brought. */
export interface LowerParts {
  readonly outputs: readonly RestoredOutput[];
  readonly images: readonly Buffer[];
}

/** How a look that takes long lets others in between, and is ended. */
export interface LookTurns {
  /** Awaited between small pieces of work; its rejection ends the look. */
  readonly turn: () => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** Rows between two turns. */
const ROWS_A_TURN = 1_000;

/** The rows do not fit the blocks that were fetched: all blocks below the height are needed. */
export class LowerRowsDisagree extends Error {
  override readonly name = 'LowerRowsDisagree';
}

/**
 * The outputs and key images of a damaged lite database below its height, which no transaction there tells of, taken apart
 * block by block. Each table is in the order of the chain, so a row that is not whole belongs between its neighbours.
 */
export class LowerRows {
  private readonly outputs: ReadonlyMap<bigint, NumberedTable<RestoredOutput>> | undefined;
  private readonly images: NumberedTable<Buffer>;
  private readonly outputCursors: readonly (readonly [amount: bigint, cursor: Cursor<RestoredOutput>])[];
  private readonly imageCursor: Cursor<Buffer>;

  constructor(
    private readonly connection: SqliteConnection,
    private readonly lite: number,
  ) {
    this.outputs = outputTables(connection);
    this.images = imageTable(connection);
    this.outputCursors = [...(this.outputs ?? [])].map(([amount, table]) => [amount, new Cursor(table)]);
    this.imageCursor = new Cursor(this.images);
  }

  /** Heights below the lite height of which a row may be damaged; every one where the pages themselves are. */
  async damaged(turns: LookTurns): Promise<Set<number>> {
    const heights = new Set<number>();
    if (this.outputs === undefined || (await this.isTorn(turns))) addAll(heights, 1, this.lite - 1);
    else
      for (const table of [...this.outputs.values(), this.images]) {
        for (const _ of damagedHeights(table, this.lite, heights)) await turns.turn();
      }
    return heights;
  }

  /** Whether SQLite finds the pages of the tables damaged. */
  private async isTorn({ turn, signal }: LookTurns): Promise<boolean> {
    const problems = new Problems();
    const look = { file: this.connection.name, tables: ['outputs', 'key_images'], apartFrom: APART_FROM, signal };
    for (const step of checkStructure(this.connection, look, problems)) {
      await step;
      await turn();
    }
    return problems.count > 0;
  }

  /**
   * What block `height` has brought by the rows; called for each height from 1 up.
   * @param fetched the same by the block itself, where its rows are damaged
   * @throws LowerRowsDisagree
   */
  next(height: number, fetched: LowerParts | undefined): LowerParts {
    if (fetched === undefined) {
      const outputs = this.outputCursors.flatMap(([, cursor]) => cursor.take(height));
      return { outputs, images: this.imageCursor.take(height) };
    }
    const byAmount = new Map<bigint, RestoredOutput[]>();
    for (const output of fetched.outputs) {
      const others = byAmount.get(output.amount);
      if (others === undefined) byAmount.set(output.amount, [output]);
      else others.push(output);
    }
    for (const [amount, cursor] of this.outputCursors) {
      cursor.expect(height, byAmount.get(amount) ?? []);
      byAmount.delete(amount);
    }
    if (byAmount.size > 0) throw new LowerRowsDisagree();
    this.imageCursor.expect(height, fetched.images);
    return fetched;
  }
}

/** Goes up a table with the chain. */
class Cursor<T> {
  private index = 0;

  constructor(private readonly table: NumberedTable<T>) {}

  take(height: number): T[] {
    const taken: T[] = [];
    for (;;) {
      const row = this.index < this.table.count ? this.table.at(this.index) : undefined;
      if (row?.sound !== true || row.height !== height) {
        if (row?.sound === true && row.height < height) throw new LowerRowsDisagree();
        return taken;
      }
      taken.push(row.value);
      this.index++;
    }
  }

  /** Goes past what a fetched block has brought; whole rows must say the same. */
  expect(height: number, values: readonly T[]): void {
    for (const value of values) {
      const row = this.table.at(this.index++);
      if (row?.sound === true && (row.height !== height || !this.table.same(row.value, value)))
        throw new LowerRowsDisagree();
    }
    if (this.take(height).length > 0) throw new LowerRowsDisagree();
  }
}

/** Adds the heights that the damaged rows of a table may be of; in steps. */
function* damagedHeights(table: NumberedTable<unknown>, lite: number, heights: Set<number>): Generator<void, void> {
  let last = 1;
  for (let index = 0; index < table.count; index++) {
    if (index % ROWS_A_TURN === 0) yield;
    const row = table.at(index);
    if (row?.sound === true) {
      if (row.height >= lite) return;
      last = row.height;
      continue;
    }
    const start = index;
    while (index + 1 < table.count && table.at(index + 1)?.sound !== true) index++;
    const top = Math.min(table.at(index + 1)?.height ?? lite - 1, lite - 1);
    const told = Array.from({ length: index + 1 - start }, (_, i) => table.at(start + i)?.height ?? -1);
    // A height between those of the neighbours is the right one unless the damage hit it: then the fetched block disagrees.
    if (told.every((height) => height >= last && height <= top)) for (const height of told) heights.add(height);
    else addAll(heights, last, top);
  }
}

function addAll(heights: Set<number>, from: number, to: number): void {
  for (let height = Math.max(1, from); height <= to; height++) heights.add(height);
}

/**
 * The outputs by amount. An amount with its id stands in the table and in its index, and the outputs themselves tell which of
 * the two is right; undefined where they say neither.
 */
function outputTables(connection: SqliteConnection): Map<bigint, NumberedTable<RestoredOutput>> | undefined {
  const tables = new Map<bigint, NumberedTable<RestoredOutput>>();
  const candidates = amountsOf(connection);
  const next = orNothing(() =>
    connection.prepare<[number], [number | null]>('SELECT min(amount_id) FROM outputs WHERE amount_id > ?').raw(true),
  );
  for (let id = 0; ;) {
    const following = orNothing(() => next?.get(id)?.[0]);
    if (following === undefined) return undefined;
    if (following === null) return tables;
    id = following;
    const found = (candidates.get(id) ?? [])
      .map((amount) => ({ amount, table: outputTable(connection, following, amount) }))
      .find(({ table }) => [0, 1, 2].some((index) => table.at(index)?.sound === true));
    if (found === undefined) return undefined;
    tables.set(found.amount, found.table);
  }
}

function amountsOf(connection: SqliteConnection): Map<number, bigint[]> {
  const candidates = new Map<number, bigint[]>();
  for (const how of ['NOT INDEXED', 'INDEXED BY sqlite_autoindex_amounts_1']) {
    const rows = orNothing(() =>
      connection
        .prepare<[], [bigint, bigint]>(`SELECT id, amount FROM amounts ${how}`)
        .raw(true)
        .safeIntegers(true)
        .all(),
    );
    for (const [id, stored] of rows ?? []) {
      candidates.set(Number(id), [...(candidates.get(Number(id)) ?? []), toUnsigned(stored)]);
    }
  }
  return candidates;
}
