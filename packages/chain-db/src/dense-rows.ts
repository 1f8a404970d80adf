import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { lowerBound } from '@wrkz/core-types';
import { MissingRow } from './errors';

/** Rows of a table whose ids are dense from 0. The first column of a row is its id. */
export class DenseRows<Row extends readonly [id: number, ...rest: unknown[]]> {
  private readonly rowAt: SqliteStatement<[number], Row>;
  private readonly highest: SqliteStatement<[], [number]>;
  private readonly rowsBetween: SqliteStatement<[number, number], Row>;

  /** @param columns of a row, without the id */
  constructor(
    connection: SqliteConnection,
    private readonly table: string,
    columns: string,
  ) {
    const row = `SELECT id, ${columns} FROM ${table}`;
    this.rowAt = connection.prepare<[number], Row>(`${row} WHERE id = ?`).raw(true);
    this.highest = connection.prepare<[], [number]>(`SELECT coalesce(max(id), -1) FROM ${table}`).raw(true);
    this.rowsBetween = connection
      .prepare<[number, number], Row>(`${row} WHERE id >= ? AND id < ? ORDER BY id`)
      .raw(true);
  }

  count(): number {
    return (this.highest.get()?.[0] ?? -1) + 1;
  }

  /** @throws MissingRow */
  at(id: number): Row {
    const row = this.rowAt.get(id);
    if (row === undefined) throw new MissingRow(this.table, id);
    return row;
  }

  /** All rows `first` to `end` - 1. @throws MissingRow */
  between(first: number, end: number): Row[] {
    const rows = this.rowsBetween.all(first, end);
    for (let i = 0; i < end - first; i++) {
      if (rows[i]?.[0] !== first + i) throw new MissingRow(this.table, first + i);
    }
    return rows;
  }

  /** The first id for which `isBelow`, true up to some id and false from there on, is false. @throws MissingRow */
  firstNot(isBelow: (row: Row) => boolean): number {
    return lowerBound(0, this.count(), (id) => isBelow(this.at(id)));
  }
}
