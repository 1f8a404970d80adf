import type { BlockFacts } from '@wrkz/consensus';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { toSigned, toUnsigned, unpackIndexes } from '../integers';
import type { RunDirectory } from '../hash-index/directory';
import { HashLookup } from '../hash-index/lookup';
import { BlockQueries } from '../reader/blocks';
import { TransactionQueries } from '../reader/transactions';
import { FACTS_COLUMNS, factsOf, type FactsRow } from '../rows';

export interface TransactionRow {
  readonly id: number;
  readonly hash: Buffer;
  readonly height: number;
  readonly unlockTime: bigint;
  /** undefined when the packed bytes are none. */
  readonly globalIndexes: readonly number[] | undefined;
}

export interface OutputRow {
  readonly key: Buffer;
  readonly transactionId: number;
  readonly position: number;
}

/** The tables row by row, with nothing assumed: what is missing is undefined. */
export class StoredRows {
  private readonly block: SqliteStatement<[number], readonly [...FactsRow, lag: bigint]>;
  private readonly blocks: BlockQueries;
  private readonly places: TransactionQueries;
  private readonly blockBodyAt: SqliteStatement<[number], [Buffer]>;
  private readonly transactionsBetween: SqliteStatement<[number, number], [bigint, Buffer, bigint, bigint, Buffer]>;
  private readonly bodiesBetween: SqliteStatement<[number, number], [number, Buffer]>;
  private readonly amount: SqliteStatement<[bigint], [number]>;
  private readonly output: SqliteStatement<[number, number], [Buffer, number, number]>;

  /** @param directory the filters of the state that the connection reads; without them look-ups take longer */
  constructor(
    private readonly connection: SqliteConnection,
    directory?: RunDirectory,
  ) {
    const get = <P extends unknown[], R>(sql: string): SqliteStatement<P, R> => connection.prepare<P, R>(sql).raw(true);
    this.block = get<[number], readonly [...FactsRow, lag: bigint]>(
      `SELECT ${FACTS_COLUMNS}, timestamp_lag FROM blocks WHERE height = ?`,
    ).safeIntegers(true);
    const lookup = new HashLookup(connection, () => directory);
    this.blocks = new BlockQueries(connection, lookup);
    this.places = new TransactionQueries(connection, lookup);
    this.blockBodyAt = get('SELECT body FROM block_bodies WHERE height = ?');
    this.transactionsBetween = get<[number, number], [bigint, Buffer, bigint, bigint, Buffer]>(
      'SELECT id, hash, height, unlock_time, global_indexes FROM transactions WHERE id >= ? AND id < ? ORDER BY id',
    ).safeIntegers(true);
    this.bodiesBetween = get('SELECT id, body FROM transaction_bodies WHERE id >= ? AND id < ? ORDER BY id');
    this.amount = get('SELECT id FROM amounts WHERE amount = ?');
    this.output = get('SELECT key, transaction_id, position FROM outputs WHERE amount_id = ? AND global_index = ?');
  }

  facts(height: number): { facts: BlockFacts; timestampLag: number } | undefined {
    const row = this.block.get(height);
    return row && { facts: factsOf(row as unknown as FactsRow), timestampLag: Number(row[10]) };
  }

  heightOf(hash: Buffer): number | undefined {
    return this.blocks.heightOf(hash);
  }

  blockBody(height: number): Buffer | undefined {
    return this.blockBodyAt.get(height)?.[0];
  }

  transactions(first: number, end: number): TransactionRow[] {
    return this.transactionsBetween.all(first, end).map(([id, hash, height, unlockTime, packed]) => ({
      id: Number(id),
      hash,
      height: Number(height),
      unlockTime: toUnsigned(unlockTime),
      globalIndexes: unpackIndexes(packed),
    }));
  }

  transactionId(hash: Buffer): number | undefined {
    return this.places.place(hash)?.id;
  }

  transactionBodies(first: number, end: number): Map<number, Buffer> {
    return new Map(this.bodiesBetween.all(first, end));
  }

  amountId(amount: bigint): number | undefined {
    return this.amount.get(toSigned(amount))?.[0];
  }

  outputAt(amountId: number, globalIndex: number): OutputRow | undefined {
    const row = this.output.get(amountId, globalIndex);
    return row && { key: row[0], transactionId: row[1], position: row[2] };
  }

  keyImageHeight(keyImage: Buffer): number | undefined {
    return this.places.keyImageHeight(keyImage);
  }

  count(table: string): number {
    return this.connection.prepare<[], [number]>(`SELECT count(*) FROM ${table}`).raw(true).get()?.[0] ?? 0;
  }

  /** What SQLite itself finds wrong with a table's pages and indexes. */
  structure(table: string): string[] {
    return this.connection
      .prepare<[], [string]>(`PRAGMA integrity_check('${table}')`)
      .raw(true)
      .all()
      .map(([line]) => line)
      .filter((line) => line !== 'ok');
  }
}
