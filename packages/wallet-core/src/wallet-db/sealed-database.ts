import type { SqliteConnection, SqliteDatabase } from '@wrkz/sqlite';
import type { RowSealer } from './seal';
import { SealedTable, type TableDependencies } from './sealed-table';

/** The counters of a database: one sealed row, written with each transaction that changes it. */
export interface DatabaseState {
  /** Grows with every change of money. */
  readonly position: number;
  /** The ledger log is complete from this position on. */
  readonly logFloor: number;
  /** Position of the newest entry of the ledger log, removed ones included. */
  readonly lastLogEntry: number;
  /** Events up to this number are gone. */
  readonly eventFloor: number;
  readonly lastEvent: number;
  /** Table in which a damaged row was found, until the operator decides. */
  readonly damage?: string | undefined;
}

export const STATE = 'state';
const FIRST_STATE: DatabaseState = { position: 0, logFloor: 0, lastLogEntry: 0, eventFloor: 0, lastEvent: 0 };

/** A database of sealed tables: transactions, the state row and found damage. */
export class SealedDatabase implements TableDependencies {
  readonly connection: SqliteConnection;
  readonly #states: SealedTable<DatabaseState>;
  #stored: DatabaseState;
  #state: DatabaseState;
  /** Error of a nested call: the outermost one fails with it. */
  #nestedError: Error | undefined;

  /** @throws DamagedSealedRow when the state row is damaged or missing */
  constructor(
    private readonly database: SqliteDatabase,
    readonly sealer: RowSealer,
  ) {
    this.connection = database.connection;
    this.#states = new SealedTable<DatabaseState>(STATE, rawDependencies(this.connection, sealer));
    const state = this.#states.get(STATE);
    if (state === undefined) throw this.#states.damaged();
    this.#state = this.#stored = state;
  }

  /** Writes the row of a table that exists once, and the first state, in the transaction that creates the database. */
  static initialize(connection: SqliteConnection, sealer: RowSealer, table: string, row: unknown): void {
    const dependencies = rawDependencies(connection, sealer);
    new SealedTable(table, dependencies).put(table, row);
    new SealedTable(STATE, dependencies).put(STATE, FIRST_STATE);
  }

  get state(): DatabaseState {
    return this.#state;
  }

  /** @param maxRows the oldest rows beyond it are deleted */
  table<Row>(name: string, maxRows?: number): SealedTable<Row> {
    return new SealedTable<Row>(name, this, maxRows);
  }

  /**
   * Runs synchronous work in one immediate transaction, which nested calls join. It is on the disk when the outermost call
   * returns. When any of the calls throws, all of it is rolled back, the state included.
   */
  transaction<Result>(work: () => Result): Result {
    if (this.connection.inTransaction) return this.join(work);
    const before = this.#state;
    this.#nestedError = undefined;
    let result: Result;
    try {
      result = this.connection.transaction(() => this.commitOf(work)).immediate();
    } catch (error) {
      this.#state = { ...before, damage: this.#state.damage };
      this.recordDamage();
      throw error;
    }
    this.#stored = this.#state;
    try {
      this.database.committed();
    } catch {
      // The transaction is on the disk, so it must not seem to have failed. The next commit updates the mark of the log.
    }
    return result;
  }

  /** Changes the state, in the caller's transaction. */
  update(change: Partial<DatabaseState>): void {
    this.#state = { ...this.#state, ...change };
  }

  /** Counts one change of money, in the caller's transaction. @returns the new position */
  advance(): number {
    this.update({ position: this.#state.position + 1 });
    return this.#state.position;
  }

  onDamage(table: string): void {
    this.update({ damage: table });
    this.recordDamage();
  }

  /**
   * The first commit of a session makes the mark of the log: on a full disk this fails, and no later transaction. Before it,
   * all of the log is copied back, so that the database file has the identity.
   */
  begin(): void {
    this.database.cutLog();
    this.#states.put(STATE, this.#state);
    this.database.committed();
  }

  /** Idempotent. */
  close(): void {
    this.database.close();
  }

  private join<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      this.#nestedError ??= error as Error;
      throw error;
    }
  }

  private commitOf<Result>(work: () => Result): Result {
    const result = work();
    if (this.#nestedError !== undefined) throw this.#nestedError;
    if (this.#state !== this.#stored) this.#states.put(STATE, this.#state);
    return result;
  }

  /** Outside of transactions, since one that fails for the damage is rolled back. */
  private recordDamage(): void {
    if (this.connection.inTransaction || this.#state.damage === this.#stored.damage) return;
    try {
      this.#states.put(STATE, this.#state);
      this.#stored = this.#state;
    } catch {
      // The disk is full or gone: the state in memory still has it.
    }
  }
}

/** For single statements outside of the transactions of a SealedDatabase. */
export function rawDependencies(connection: SqliteConnection, sealer: RowSealer): TableDependencies {
  return { connection, sealer, transaction: (work) => work(), onDamage: () => undefined };
}
