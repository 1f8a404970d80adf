import type { OutputFacts } from '@wrkz/consensus';
import { lowerBound } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase, DamagedRow } from '../errors';
import { toSigned, toUnsigned } from '../integers';
import { outputChecksum } from '../rows/checksums';
import { joined } from '../rows/facts';

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
  checksum: number,
];

/** Questions about outputs by amount and global index. Every row that is given was compared with its checksum. */
export class OutputQueries {
  private readonly byIndex: SqliteStatement<[number, number], OutputRow>;
  private readonly between: SqliteStatement<[number, number, number], OutputRow>;
  private readonly allAmounts: SqliteStatement<[], [bigint]>;
  private readonly last: SqliteStatement<[number], OutputRow>;
  private readonly following: SqliteStatement<[number, number, number], [wanted: number, found: number, index: number]>;
  private readonly idByAmount: SqliteStatement<[bigint], [number]>;
  private readonly idInTable: SqliteStatement<[bigint], [number]>;

  constructor(connection: SqliteConnection) {
    const output = `SELECT global_index, key, height, unlock_time & 4294967295, (unlock_time >> 32) & 4294967295, position,
      checksum FROM outputs WHERE amount_id = ?`;
    this.byIndex = connection.prepare<[number, number], OutputRow>(`${output} AND global_index = ?`).raw(true);
    this.between = connection
      .prepare<[number, number, number], OutputRow>(
        `${output} AND global_index >= ? AND global_index < ? ORDER BY global_index`,
      )
      .raw(true);
    this.allAmounts = connection.prepare<[], [bigint]>('SELECT amount FROM amounts').raw(true).safeIntegers(true);
    this.last = connection.prepare<[number], OutputRow>(`${output} ORDER BY global_index DESC LIMIT 1`).raw(true);
    this.following = connection
      .prepare<[number, number, number], [number, number, number]>(
        `SELECT coalesce((SELECT min(id) FROM amounts WHERE id > ?), 0),
          coalesce((SELECT min(amount_id) FROM outputs WHERE amount_id > ?), 0),
          coalesce((SELECT global_index FROM outputs WHERE amount_id > ? ORDER BY amount_id, global_index LIMIT 1), 0)`,
      )
      .raw(true);
    this.idByAmount = connection.prepare<[bigint], [number]>('SELECT id FROM amounts WHERE amount = ?').raw(true);
    this.idInTable = connection
      .prepare<[bigint], [number]>('SELECT id FROM amounts NOT INDEXED WHERE amount = ?')
      .raw(true);
  }

  /** The small integer that stands for an amount. @throws CorruptDatabase where the table has what its index has lost */
  amountId(amount: bigint): number | undefined {
    const stored = toSigned(amount);
    const id = this.idByAmount.get(stored)?.[0];
    if (id === undefined && this.idInTable.get(stored) !== undefined) {
      throw new CorruptDatabase(`the index of amounts has lost ${amount}`);
    }
    return id;
  }

  /** Ascending. */
  amounts(): bigint[] {
    const amounts = this.allAmounts.all().map(([amount]) => toUnsigned(amount));
    return amounts.sort((a, b) => (a < b ? -1 : 1));
  }

  /** Those with the global indexes `start` to `end` - 1, all of which must be there. @throws DamagedRow */
  range(amount: bigint, start: number, end: number): StoredOutput[] {
    const id = this.amountId(amount);
    const rows = id === undefined ? [] : this.between.all(id, start, end);
    return Array.from({ length: end - start }, (_, i) => {
      const row = rows[i];
      if (row?.[0] !== start + i) throw damaged(amount, start + i, 'is missing');
      return checkedOutput(amount, row);
    });
  }

  /** @throws DamagedRow for a row that is wrong, and for one that is missing although a later one is there */
  output(amount: bigint, index: number): StoredOutput | undefined {
    const id = this.amountId(amount);
    if (id === undefined) return undefined;
    const row = this.byIndex.get(id, index);
    if (row !== undefined) return checkedOutput(amount, row);
    if (index >= 0 && index < this.count(amount)) throw damaged(amount, index, 'is missing');
    return undefined;
  }

  /**
   * How many outputs of this amount stand in blocks up to `atHeight` (all of them when undefined). A page that lost rows would
   * make fewer of them: so an amount that has a number has outputs, and behind its last one the next amount begins with 0.
   *
   * @throws DamagedRow
   */
  count(amount: bigint, atHeight = Infinity): number {
    const id = this.amountId(amount);
    if (id === undefined) return 0;
    const last = this.last.get(id);
    if (last === undefined) throw damaged(amount, 0, 'is missing');
    const [wanted, found, index] = this.following.get(id, id, id) ?? [0, 0, 0];
    if (wanted !== found || index !== 0) throw damaged(amount, last[0] + 1, 'is missing');
    if (checkedOutput(amount, last).height <= atHeight) return last[0] + 1;
    return lowerBound(0, last[0], (at) => {
      const row = this.byIndex.get(id, at);
      if (row === undefined) throw damaged(amount, at, 'is missing');
      return checkedOutput(amount, row).height <= atHeight;
    });
  }
}

function checkedOutput(amount: bigint, row: OutputRow): StoredOutput {
  const [index, key, height, unlockLow, unlockHigh, position, checksum] = row;
  if (outputChecksum(amount, index, { key, height, unlockLow, unlockHigh, position }) !== checksum) {
    throw damaged(amount, index);
  }
  return { key, unlockTime: joined(unlockLow, unlockHigh), height, position };
}

function damaged(amount: bigint, index: number, what?: 'is missing'): DamagedRow {
  return new DamagedRow('outputs', `${index} of amount ${amount}`, what);
}
