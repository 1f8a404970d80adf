import type { OutputFacts } from '@wrkz/consensus';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { toSigned, toUnsigned } from '../integers';

/** An output with the transaction that made it, and its place in it. */
export interface StoredOutput extends OutputFacts {
  readonly transactionHash: Buffer;
  readonly position: number;
}

type OutputRow = [key: Buffer, unlockTime: bigint, height: bigint, hash: Buffer, position: bigint];

/** Questions about outputs by amount and global index. */
export class OutputQueries {
  private readonly byIndex: SqliteStatement<[bigint, number], OutputRow>;
  private readonly amountId: SqliteStatement<[bigint], [number]>;
  private readonly last: SqliteStatement<[number], [number, number]>;
  private readonly transactionOf: SqliteStatement<[number, number], [number]>;

  constructor(connection: SqliteConnection) {
    this.byIndex = connection
      .prepare<[bigint, number], OutputRow>(
        `SELECT o.key, t.unlock_time, t.height, t.hash, o.position
         FROM amounts a
         JOIN outputs o ON o.amount_id = a.id
         JOIN transactions t ON t.id = o.transaction_id
         WHERE a.amount = ? AND o.global_index = ?`,
      )
      .raw(true)
      .safeIntegers(true);
    this.amountId = connection.prepare<[bigint], [number]>('SELECT id FROM amounts WHERE amount = ?').raw(true);
    this.last = connection
      .prepare<[number], [number, number]>(
        'SELECT global_index, transaction_id FROM outputs WHERE amount_id = ? ORDER BY global_index DESC LIMIT 1',
      )
      .raw(true);
    this.transactionOf = connection
      .prepare<[number, number], [number]>(
        'SELECT transaction_id FROM outputs WHERE amount_id = ? AND global_index = ?',
      )
      .raw(true);
  }

  output(amount: bigint, index: number): StoredOutput | undefined {
    const row = this.byIndex.get(toSigned(amount), index);
    if (row === undefined) return undefined;
    return {
      key: row[0],
      unlockTime: toUnsigned(row[1]),
      height: Number(row[2]),
      transactionHash: row[3],
      position: Number(row[4]),
    };
  }

  /** How many outputs of this amount come from transactions with an id below `idLimit` (all of them when undefined). */
  count(amount: bigint, idLimit?: number): number {
    const id = this.amountId.get(toSigned(amount))?.[0];
    if (id === undefined) return 0;
    const last = this.last.get(id);
    if (last === undefined) return 0;
    if (idLimit === undefined || last[1] < idLimit) return last[0] + 1;
    let low = 0;
    let high = last[0];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const transactionId = this.transactionOf.get(id, middle)?.[0] ?? 0;
      if (transactionId >= idLimit) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
