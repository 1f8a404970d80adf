import { isDamage, type SqliteConnection, type SqliteStatement } from '@wrkz/sqlite';
import type { RowSealer } from './seal';

/** A row was modified after it was sealed, or a row of a gapless table is missing. */
export class DamagedSealedRow extends Error {
  override readonly name = 'DamagedSealedRow';

  constructor(
    readonly table: string,
    options?: ErrorOptions,
  ) {
    super(`the table ${table} of the wallet database is damaged`, options);
  }
}

export interface TableDependencies {
  readonly connection: SqliteConnection;
  readonly sealer: RowSealer;
  transaction<Result>(work: () => Result): Result;
  /** Called before a DamagedSealedRow is thrown. */
  onDamage(table: string): void;
}

export interface SequencedRow<Row> {
  readonly sequence: number;
  readonly row: Row;
}

type StoredRow = [sequence: number, id: Buffer, sealed: Buffer];

/** Rows per query of a scan. No statement stays open between rows, so the caller can write during the scan. */
const SCAN_ROWS = 256;

const FIRST_SEQUENCE = -(2n ** 63n);

export const sealedTableSchema = (table: string): string =>
  `CREATE TABLE ${table} (sequence INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, sealed BLOB NOT NULL) STRICT;`;

/**
 * Sealed rows by key. Two columns are plain text: a sequence number that orders the rows by first insertion, and the blind
 * identifier of the key. Every row is authenticated when it is read; a damaged row throws DamagedSealedRow. Table names in
 * SQL are constants of the callers, never data.
 */
export class SealedTable<Row> {
  private readonly select: SqliteStatement<[Buffer], StoredRow>;
  private readonly selectSequence: SqliteStatement<[Buffer], number>;
  private readonly selectFrom: SqliteStatement<[number | bigint, number], StoredRow>;
  private readonly nthNewest: SqliteStatement<[number], number>;
  private readonly write: SqliteStatement<StoredRow>;
  private readonly deleteRow: SqliteStatement<[Buffer]>;
  private readonly deleteRowsUpTo: SqliteStatement<[number]>;

  constructor(
    readonly name: string,
    protected readonly dependencies: TableDependencies,
  ) {
    const { connection } = dependencies;
    const all = `SELECT sequence, id, sealed FROM ${name}`;
    this.select = connection.prepare<[Buffer], StoredRow>(`${all} WHERE id = ?`).raw(true);
    this.selectSequence = connection.prepare<[Buffer], number>(`SELECT sequence FROM ${name} WHERE id = ?`).pluck();
    this.selectFrom = connection
      .prepare<[number | bigint, number], StoredRow>(`${all} WHERE sequence >= ? ORDER BY sequence LIMIT ?`)
      .raw(true);
    this.nthNewest = connection
      .prepare<[number], number>(`SELECT sequence FROM ${name} ORDER BY sequence DESC LIMIT 1 OFFSET ?`)
      .pluck();
    this.write = connection.prepare<StoredRow>(`INSERT OR REPLACE INTO ${name} VALUES (?, ?, ?)`);
    this.deleteRow = connection.prepare<[Buffer]>(`DELETE FROM ${name} WHERE id = ?`);
    this.deleteRowsUpTo = connection.prepare<[number]>(`DELETE FROM ${name} WHERE sequence <= ?`);
  }

  get(key: string): Row | undefined {
    const stored = this.read(() => this.select.get(this.id(key)));
    return stored && this.unseal(stored).row;
  }

  /** Whether the key has a row. The row is not authenticated. */
  has(key: string): boolean {
    return this.read(() => this.selectSequence.get(this.id(key))) !== undefined;
  }

  /** Inserts a row at the end, or replaces the row of the key without moving it. */
  put(key: string, row: Row): void {
    this.dependencies.transaction(() => {
      const place = this.read(() => this.selectSequence.get(this.id(key)));
      this.putAt(place ?? this.lastButNewest(0) + 1, key, row);
    });
  }

  /** Inserts or replaces a row at a sequence number, within the caller's transaction. */
  putAt(sequence: number, key: string, row: Row): void {
    const id = this.id(key);
    this.write.run(sequence, id, this.dependencies.sealer.seal({ table: this.name, id, sequence }, row));
  }

  delete(key: string): boolean {
    return this.dependencies.transaction(() => this.deleteRow.run(this.id(key)).changes > 0);
  }

  deleteUpTo(sequence: number): void {
    this.dependencies.transaction(() => this.deleteRowsUpTo.run(sequence));
  }

  clear(): void {
    this.deleteUpTo(Number.MAX_SAFE_INTEGER);
  }

  /** The sequence number of the row before the `newest` last rows; 0 if there is none. */
  lastButNewest(newest: number): number {
    return this.read(() => this.nthNewest.get(newest)) ?? 0;
  }

  /** Rows in sequence order. The caller may write and delete rows during the scan. */
  *scan(from: number | bigint = FIRST_SEQUENCE, limit = Infinity): Generator<SequencedRow<Row>, void> {
    for (let next = from, left = limit; left > 0; left -= SCAN_ROWS) {
      const rows = this.read(() => this.selectFrom.all(next, Math.min(left, SCAN_ROWS)));
      for (const stored of rows) yield this.unseal(stored);
      const last = rows.at(-1);
      if (last === undefined || rows.length < SCAN_ROWS) return;
      next = last[0] + 1;
    }
  }

  *rows(): Generator<Row, void> {
    for (const { row } of this.scan()) yield row;
  }

  /** Authenticates every row, as a generator that can be interrupted. @throws DamagedSealedRow */
  *verifying(): Generator<void, void> {
    for (const _ of this.scan()) yield;
  }

  /** Deletes all rows that fail authentication. */
  deleteDamaged(): void {
    const { connection, sealer } = this.dependencies;
    for (const id of connection.prepare<[], Buffer>(`SELECT id FROM ${this.name}`).pluck().all()) {
      const [sequence = 0, , sealed = Buffer.alloc(0)] = this.select.get(id) ?? [];
      if (!sealer.isAuthentic({ table: this.name, id, sequence }, sealed)) this.deleteRow.run(id);
    }
  }

  /** Reports damage of the table. @returns the error to throw */
  damaged(cause?: unknown): DamagedSealedRow {
    this.dependencies.onDamage(this.name);
    return new DamagedSealedRow(this.name, { cause });
  }

  private id(key: string): Buffer {
    return this.dependencies.sealer.id(this.name, key);
  }

  private unseal([sequence, id, sealed]: StoredRow): SequencedRow<Row> {
    try {
      return { sequence, row: this.dependencies.sealer.unseal({ table: this.name, id, sequence }, sealed) as Row };
    } catch (error) {
      throw this.damaged(error);
    }
  }

  private read<Value>(statement: () => Value): Value {
    try {
      return statement();
    } catch (error) {
      if (isDamage(error)) throw this.damaged(error);
      throw error;
    }
  }
}
