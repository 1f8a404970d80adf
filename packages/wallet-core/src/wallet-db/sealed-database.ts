import { type SqliteConnection, type SqliteDatabase, sqliteFailure } from '@wrkz/sqlite';
import type { RowSealer } from './seal';
import { SealedTable, type TableDependencies } from './sealed-table';

/** The state of a database: a single sealed row, written by each transaction that changes it. */
export interface DatabaseState {
  /** Incremented by every change of money. */
  readonly position: number;
  /** The ledger log is complete after this position. */
  readonly logFloor: number;
  /** Position of the newest entry of the ledger log, including removed entries. */
  readonly lastLogEntry: number;
  /** Events up to this sequence number were removed. */
  readonly eventFloor: number;
  readonly lastEvent: number;
  /** Table with a damaged row. Cleared when the operator drops the damaged rows. */
  readonly damage?: string | undefined;
}

export const STATE = 'state';
const FIRST_STATE: DatabaseState = { position: 0, logFloor: 0, lastLogEntry: 0, eventFloor: 0, lastEvent: 0 };

/** A transaction failed, but the next open may apply it: its commit could not be removed from the write-ahead log. */
export class UncertainCommit extends Error {
  override readonly name = 'UncertainCommit';
}

/** A database of sealed tables: runs transactions, stores the state and records damage. */
export class SealedDatabase implements TableDependencies {
  readonly connection: SqliteConnection;
  private readonly states: SealedTable<DatabaseState>;
  private stored: DatabaseState;
  private currentState: DatabaseState;
  /** Error of a nested call. The outermost call throws it even if an inner caller caught it. */
  private nestedError: Error | undefined;

  /** @throws DamagedSealedRow when the state row is damaged or missing */
  constructor(
    private readonly database: SqliteDatabase,
    readonly sealer: RowSealer,
  ) {
    this.connection = database.connection;
    this.states = new SealedTable<DatabaseState>(STATE, rawDependencies(this.connection, sealer));
    const state = this.states.get(STATE);
    if (state === undefined) throw this.states.damaged();
    this.currentState = this.stored = state;
  }

  /** Writes the initial state and the single row of another table, within the transaction that creates the database. */
  static initialize(connection: SqliteConnection, sealer: RowSealer, table: string, row: unknown): void {
    const dependencies = rawDependencies(connection, sealer);
    new SealedTable(table, dependencies).put(table, row);
    new SealedTable(STATE, dependencies).put(STATE, FIRST_STATE);
  }

  get state(): DatabaseState {
    return this.currentState;
  }

  table<Row>(name: string): SealedTable<Row> {
    return new SealedTable<Row>(name, this);
  }

  /**
   * Runs synchronous work in an immediate transaction, which nested calls join. The transaction is durable when the outermost
   * call returns. If any call throws, the whole transaction and the state are rolled back.
   * @throws UncertainCommit; errors of SQLite and of `work`
   */
  transaction<Result>(work: () => Result): Result {
    if (this.connection.inTransaction) return this.join(work);
    const before = this.currentState;
    this.nestedError = undefined;
    let result: Result;
    try {
      result = this.connection.transaction(() => this.commitOf(work)).immediate();
    } catch (error) {
      this.currentState = { ...before, damage: this.currentState.damage };
      if (sqliteFailure(error) !== undefined) this.dropFailedCommit(error);
      this.recordDamage();
      throw error;
    }
    this.stored = this.currentState;
    try {
      this.database.committed();
    } catch {
      // The transaction is already durable, so an error here is ignored. The next commit updates the log mark.
    }
    return result;
  }

  /** Changes the state within the caller's transaction. */
  update(change: Partial<DatabaseState>): void {
    this.currentState = { ...this.currentState, ...change };
  }

  /** Increments the position within the caller's transaction. @returns the new position */
  advance(): number {
    this.update({ position: this.currentState.position + 1 });
    return this.currentState.position;
  }

  onDamage(table: string): void {
    this.update({ damage: table });
    this.recordDamage();
  }

  /**
   * Makes the first commit of a session, which creates the log mark, so that a full disk is detected here and not in a later
   * transaction. A checkpoint before it copies the log into the database file, so that the file contains the identity.
   */
  begin(): void {
    this.database.cutLog();
    this.states.put(STATE, this.currentState);
    this.database.committed();
  }

  /** @throws FileVanished when the file or its lock file was removed or replaced: the next open may not see later commits */
  checkInPlace(): void {
    this.database.checkInPlace();
  }

  /** Idempotent. */
  close(): void {
    this.database.close();
  }

  /** @throws UncertainCommit */
  private dropFailedCommit(cause: unknown): void {
    try {
      this.database.dropFailedCommit();
    } catch {
      throw new UncertainCommit('a failed commit may be applied at the next start', { cause });
    }
  }

  private join<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      this.nestedError ??= error as Error;
      throw error;
    }
  }

  private commitOf<Result>(work: () => Result): Result {
    const result = work();
    if (this.nestedError !== undefined) throw this.nestedError;
    if (this.currentState !== this.stored) this.states.put(STATE, this.currentState);
    return result;
  }

  /** Writes outside of transactions, because a transaction that fails because of the damage is rolled back. */
  private recordDamage(): void {
    if (this.connection.inTransaction || this.currentState.damage === this.stored.damage) return;
    try {
      this.states.put(STATE, this.currentState);
      this.stored = this.currentState;
    } catch {
      // The disk is full or disconnected. The damage remains recorded in memory.
    }
  }
}

/** Dependencies for tables without a SealedDatabase: every statement is its own transaction. */
export function rawDependencies(connection: SqliteConnection, sealer: RowSealer): TableDependencies {
  return { connection, sealer, transaction: (work) => work(), onDamage: () => undefined };
}
