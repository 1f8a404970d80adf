import type { OutputFacts } from '@wrkz/consensus';
import { lowerBound } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { MissingRow } from '../errors';
import { toSigned, toUnsigned } from '../integers';
import { joined } from '../block-row';

/** An output with its place in its transaction. */
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

  /** The small integer that stands for an amount. */
  amountId(amount: bigint): number | undefined {
    return this.idByAmount.get(toSigned(amount))?.[0];
  }

  /** Ascending. */
  amounts(): bigint[] {
    const amounts = this.allAmounts.all().map(([amount]) => toUnsigned(amount));
    return amounts.sort((a, b) => (a < b ? -1 : 1));
  }

  /** Those with the global indexes `start` to `end` - 1, all of which must be there. @throws MissingRow */
  range(amount: bigint, start: number, end: number): StoredOutput[] {
    const id = this.amountId(amount);
    const rows = id === undefined ? [] : this.between.all(id, start, end);
    return Array.from({ length: end - start }, (_, i) => {
      const row = rows[i];
      if (row?.[0] !== start + i) throw missing(amount, start + i);
      return outputOf(row);
    });
  }

  /** @throws MissingRow for a row that is wrong, and for one that is missing although a later one is there */
  output(amount: bigint, index: number): StoredOutput | undefined {
    const id = this.amountId(amount);
    if (id === undefined) return undefined;
    const row = this.byIndex.get(id, index);
    if (row !== undefined) return outputOf(row);
    if (index >= 0 && index < this.count(amount)) throw missing(amount, index);
    return undefined;
  }

  /**
   * How many outputs of this amount are in blocks up to `atHeight`; of all blocks by default.
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
