import type { OutputFacts } from '@wrkz/consensus';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { MissingRow } from '../errors';
import { joined } from '../block-row';
import { lowerBound } from '@wrkz/core-types';
import { randomInt } from 'node:crypto';

/** Max candidates for each requested output, accepted or not. */
const TRIES_PER_OUTPUT = 200;
const MIN_TRIES = 5_000;

/**
 * Yields `0 .. count - 1` in uniformly random order without building the list: a Fisher-Yates shuffle that stores only moved
 * indexes. Uses the secure random source of the system.
 */
export function* shuffledIndexes(count: number): Generator<number> {
  const moved = new Map<number, number>();
  for (let left = count; left > 0; left--) {
    const place = randomInt(left);
    const picked = moved.get(place) ?? place;
    moved.set(place, moved.get(left - 1) ?? left - 1);
    moved.delete(left - 1);
    yield picked;
  }
}

/**
 * Up to `wanted` distinct candidates that `take` accepts, uniformly distributed (docs/protocol/storage.md#decoys). The number of
 * tries is limited, so the result may be shorter if nearly all are refused.
 */
export function sample<T>(count: number, wanted: number, take: (index: number) => T | undefined): T[] {
  const found: T[] = [];
  let tries = Math.max(MIN_TRIES, wanted * TRIES_PER_OUTPUT);
  if (wanted <= 0) return found;
  for (const index of shuffledIndexes(count)) {
    const candidate = take(index);
    if (candidate !== undefined) found.push(candidate);
    if (found.length === wanted || --tries === 0) break;
  }
  return found;
}

/** An output and its position in the transaction. */
export interface StoredOutput extends OutputFacts {
  readonly position: number;
}

type OutputRow = readonly [
  globalIndex: number,
  key: Buffer,
  height: number,
  unlockLow: number,
  unlockHigh: number,
  position: number,
];

/** Queries of outputs by amount and global index. */
export class OutputQueries {
  private readonly byIndex: SqliteStatement<[number, number], OutputRow>;
  private readonly between: SqliteStatement<[number, number, number], OutputRow>;
  private readonly allAmounts: SqliteStatement<[], [bigint]>;
  private readonly last: SqliteStatement<[number], OutputRow>;
  private readonly idByAmount: SqliteStatement<[bigint], [number]>;

  constructor(connection: SqliteConnection) {
    const output = `SELECT global_index, key, height, unlock_time & 4294967295, (unlock_time >> 32) & 4294967295, position
      FROM outputs WHERE amount_id = ?`;
    this.byIndex = connection.prepare<[number, number], OutputRow>(`${output} AND global_index = ?`).raw(true);
    this.between = connection
      .prepare<[number, number, number], OutputRow>(
        `${output} AND global_index >= ? AND global_index < ? ORDER BY global_index`,
      )
      .raw(true);
    this.allAmounts = connection.prepare<[], [bigint]>('SELECT amount FROM amounts').raw(true).safeIntegers(true);
    this.last = connection.prepare<[number], OutputRow>(`${output} ORDER BY global_index DESC LIMIT 1`).raw(true);
    this.idByAmount = connection.prepare<[bigint], [number]>('SELECT id FROM amounts WHERE amount = ?').raw(true);
  }

  /** Internal id of an amount. */
  amountId(amount: bigint): number | undefined {
    return this.idByAmount.get(BigInt.asIntN(64, amount))?.[0];
  }

  /** All amounts, ascending. */
  amounts(): bigint[] {
    const amounts = this.allAmounts.all().map(([amount]) => BigInt.asUintN(64, amount));
    return amounts.sort((a, b) => (a < b ? -1 : 1));
  }

  /** Outputs with global indexes `start` to `end` - 1, which must exist. @throws MissingRow */
  range(amount: bigint, start: number, end: number): StoredOutput[] {
    const id = this.amountId(amount);
    const rows = id === undefined ? [] : this.between.all(id, start, end);
    return Array.from({ length: end - start }, (_, i) => {
      const row = rows[i];
      if (row?.[0] !== start + i) throw missing(amount, start + i);
      return outputOf(row);
    });
  }

  /** Outputs from global index `start` on, in blocks up to `height`. @throws MissingRow */
  upTo(amount: bigint, start: number, height: number): StoredOutput[] {
    const id = this.amountId(amount);
    const found: StoredOutput[] = [];
    for (const row of id === undefined ? [] : this.between.iterate(id, start, Number.MAX_SAFE_INTEGER)) {
      if (row[0] !== start + found.length) throw missing(amount, start + found.length);
      const output = outputOf(row);
      if (output.height > height) break;
      found.push(output);
    }
    return found;
  }

  /** @throws MissingRow for an invalid row, or if a row is missing but a later one exists */
  output(amount: bigint, index: number): StoredOutput | undefined {
    const id = this.amountId(amount);
    if (id === undefined) return undefined;
    const row = this.byIndex.get(id, index);
    if (row !== undefined) return outputOf(row);
    if (index >= 0 && index < this.count(amount)) throw missing(amount, index);
    return undefined;
  }

  /**
   * Number of outputs of an amount in blocks up to `atHeight`; default: all.
   * @throws MissingRow
   */
  count(amount: bigint, atHeight = Infinity): number {
    const id = this.amountId(amount);
    if (id === undefined) return 0;
    const last = this.last.get(id);
    if (last === undefined) throw missing(amount, 0);
    if (outputOf(last).height <= atHeight) return last[0] + 1;
    return lowerBound(0, last[0], (at) => {
      const row = this.byIndex.get(id, at);
      if (row === undefined) throw missing(amount, at);
      return outputOf(row).height <= atHeight;
    });
  }
}

function outputOf([, key, height, unlockLow, unlockHigh, position]: OutputRow): StoredOutput {
  return { key, unlockTime: joined(unlockLow, unlockHigh), height, position };
}

function missing(amount: bigint, index: number): MissingRow {
  return new MissingRow('outputs', `${index} of amount ${amount}`);
}
