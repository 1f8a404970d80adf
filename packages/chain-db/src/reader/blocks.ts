import type { BlockFacts } from '@wrkz/consensus';
import { parseBlock, type RawBlock } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { BelowFloor, CorruptDatabase, EmptyDatabase } from '../errors';
import { findRow } from '../hash-index/find';
import { HASH_KINDS } from '../hash-index/kinds';
import type { HashLookup } from '../hash-index/lookup';
import { FACTS_COLUMNS, factsOf, type FactsRow } from '../rows';

/** Where a block's transactions lie among the transaction ids: `first` is the coinbase, `end` is past the last. */
export interface IdRange {
  readonly first: number;
  readonly end: number;
}

/** Questions about main-chain blocks: facts, ids, bytes. */
export class BlockQueries {
  private readonly tipFacts: SqliteStatement<[], FactsRow>;
  private readonly tipHeight: SqliteStatement<[], [number]>;
  private readonly factsAt: SqliteStatement<[number], FactsRow>;
  private readonly factsBetween: SqliteStatement<[number, number], FactsRow>;
  private readonly hashesBetween: SqliteStatement<[number, number], [Buffer]>;
  private readonly hashAt: SqliteStatement<[number], [Buffer]>;
  private readonly generatedAt: SqliteStatement<[number], [number]>;
  private readonly body: SqliteStatement<[number], [Buffer]>;
  private readonly transactionBody: SqliteStatement<[number], [Buffer]>;
  private readonly transactionBodies: SqliteStatement<[number, number], [Buffer]>;
  private readonly latestTimestamp: SqliteStatement<[number], [number]>;
  private readonly floor: SqliteStatement<[], [string]>;

  constructor(
    connection: SqliteConnection,
    private readonly lookup: HashLookup,
  ) {
    const facts = `SELECT ${FACTS_COLUMNS} FROM blocks`;
    this.tipFacts = connection
      .prepare<[], FactsRow>(`${facts} ORDER BY height DESC LIMIT 1`)
      .raw(true)
      .safeIntegers(true);
    this.factsAt = connection.prepare<[number], FactsRow>(`${facts} WHERE height = ?`).raw(true).safeIntegers(true);
    this.factsBetween = connection
      .prepare<[number, number], FactsRow>(`${facts} WHERE height >= ? AND height < ? ORDER BY height`)
      .raw(true)
      .safeIntegers(true);
    this.tipHeight = connection.prepare<[], [number]>('SELECT coalesce(max(height), -1) FROM blocks').raw(true);
    this.hashesBetween = connection
      .prepare<[number, number], [Buffer]>('SELECT hash FROM blocks WHERE height >= ? AND height < ? ORDER BY height')
      .raw(true);
    this.hashAt = connection.prepare<[number], [Buffer]>('SELECT hash FROM blocks WHERE height = ?').raw(true);
    this.generatedAt = connection
      .prepare<[number], [number]>('SELECT generated_transactions FROM blocks WHERE height = ?')
      .raw(true);
    this.body = connection.prepare<[number], [Buffer]>('SELECT body FROM block_bodies WHERE height = ?').raw(true);
    this.transactionBody = connection
      .prepare<[number], [Buffer]>('SELECT body FROM transaction_bodies WHERE id = ?')
      .raw(true);
    this.transactionBodies = connection
      .prepare<[number, number], [Buffer]>('SELECT body FROM transaction_bodies WHERE id >= ? AND id < ? ORDER BY id')
      .raw(true);
    this.latestTimestamp = connection
      .prepare<[number], [number]>('SELECT timestamp + timestamp_lag FROM blocks WHERE height = ?')
      .raw(true);
    this.floor = connection.prepare<[], [string]>("SELECT value FROM meta WHERE key = 'body_floor'").raw(true);
  }

  height(): number {
    return this.tipHeight.get()?.[0] ?? -1;
  }

  tip(): BlockFacts {
    const row = this.tipFacts.get();
    if (row === undefined) throw new EmptyDatabase();
    return factsOf(row);
  }

  facts(height: number): BlockFacts | undefined {
    const row = this.factsAt.get(height);
    return row === undefined ? undefined : factsOf(row);
  }

  factsRange(start: number, end: number): BlockFacts[] {
    return this.factsBetween.all(start, end).map(factsOf);
  }

  hashes(start: number, end: number): Buffer[] {
    return this.hashesBetween.all(start, end).map(([hash]) => hash);
  }

  /** The caller holds the transaction. */
  heightOf(hash: Buffer): number | undefined {
    return findRow(this.lookup, HASH_KINDS.block, hash, (height) => this.hashAt.get(height)?.[0]);
  }

  /** Transactions up to and including this block; 0 below genesis. */
  generatedTransactions(height: number): number {
    if (height < 0) return 0;
    const row = this.generatedAt.get(height);
    if (row === undefined) throw new CorruptDatabase(`block ${height} is missing`);
    return row[0];
  }

  bodyFloor(): number {
    return Number(this.floor.get()?.[0] ?? 0);
  }

  /** @throws BelowFloor where bodies are no longer kept, CorruptDatabase where one is missing */
  blockBody(height: number): Buffer {
    const row = this.body.get(height);
    if (row !== undefined) return row[0];
    const floor = this.bodyFloor();
    if (height < floor) throw new BelowFloor(height, floor);
    throw new CorruptDatabase(`the body of block ${height} is missing`);
  }

  /** The bytes of transaction `id` of block `height`. @throws as {@link blockBody} */
  transactionBytes(height: number, id: number): Buffer {
    if (id === this.generatedTransactions(height - 1)) return parseBlock(this.blockBody(height)).coinbase.bytes;
    const row = this.transactionBody.get(id);
    if (row !== undefined) return row[0];
    const floor = this.bodyFloor();
    if (height < floor) throw new BelowFloor(height, floor);
    throw new CorruptDatabase(`the body of transaction ${id} in block ${height} is missing`);
  }

  /** A block that is known to be there and has these transactions. @throws as {@link blockBody} */
  rawBlock(height: number, { first, end }: IdRange): RawBlock {
    const block = this.blockBody(height);
    const count = end - first - 1;
    const transactions = count === 0 ? [] : this.transactionBodies.all(first + 1, end).map(([bytes]) => bytes);
    if (transactions.length !== count) throw new CorruptDatabase(`a transaction of block ${height} is missing`);
    return { block, transactions };
  }

  /** The lowest height whose timestamp is `timestamp` or later. */
  firstHeightFrom(timestamp: number): number | undefined {
    let low = 0;
    let high = this.height() + 1;
    const end = high;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const latest = this.latestTimestamp.get(middle);
      if (latest === undefined) throw new CorruptDatabase(`block ${middle} is missing`);
      if (latest[0] >= timestamp) high = middle;
      else low = middle + 1;
    }
    return low === end ? undefined : low;
  }
}
