import type { BlockFacts } from '@wrkz/consensus';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import type { HashIndex } from '../hash-index/hash-index';
import { HASH_KINDS } from '../hash-index/kinds';
import { toSigned } from '../integers';
import { KeyImageStore } from '../key-images';
import { FACTS_COLUMNS, factsValues } from '../rows';

type Value = number | bigint | Buffer;

/** What the writer remembers of an amount inside one change: its id and how many outputs it has. */
interface Amount {
  readonly id: number;
  count: number;
}

/** Amounts remembered before the memory is dropped; the real chain has some hundreds. */
const REMEMBERED_AMOUNTS = 50_000;

/** The statements that put rows into the main chain's tables, and the counting of outputs by amount. */
export class Store {
  private readonly block: SqliteStatement<Value[]>;
  private readonly blockBody: SqliteStatement<[number, Buffer]>;
  private readonly transaction: SqliteStatement<Value[]>;
  private readonly transactionBody: SqliteStatement<[number, Buffer]>;
  private readonly output: SqliteStatement<Value[]>;
  readonly keyImages: KeyImageStore;
  private readonly amount: SqliteStatement<[bigint], [number]>;
  private readonly newAmount: SqliteStatement<[bigint]>;
  private readonly lastOutput: SqliteStatement<[number], [number]>;
  private readonly latestTimestamp: SqliteStatement<[number], [number]>;
  private readonly amounts = new Map<bigint, Amount>();

  constructor(
    connection: SqliteConnection,
    private readonly hashes: HashIndex,
  ) {
    const insert = (table: string, columns: string): SqliteStatement<Value[]> =>
      connection.prepare<Value[]>(`INSERT INTO ${table} (${columns}) VALUES (${columns.replace(/\w+/g, '?')})`);
    this.block = insert('blocks', `${FACTS_COLUMNS}, timestamp_lag`);
    this.blockBody = insert('block_bodies', 'height, body');
    this.transaction = insert('transactions', 'id, hash, height, unlock_time, global_indexes');
    this.transactionBody = insert('transaction_bodies', 'id, body');
    this.output = insert('outputs', 'amount_id, global_index, key, transaction_id, position');
    this.keyImages = new KeyImageStore(connection, hashes);
    this.amount = connection.prepare<[bigint], [number]>('SELECT id FROM amounts WHERE amount = ?').raw(true);
    // The highest id plus one, so that a rewind gives ids back and the file does not tell that it happened.
    this.newAmount = connection.prepare<[bigint]>('INSERT INTO amounts (amount) VALUES (?)');
    this.lastOutput = connection
      .prepare<[number], [number]>('SELECT coalesce(max(global_index), -1) FROM outputs WHERE amount_id = ?')
      .raw(true);
    this.latestTimestamp = connection
      .prepare<[number], [number]>('SELECT timestamp + timestamp_lag FROM blocks WHERE height = ?')
      .raw(true);
  }

  /** Forgets what was counted: the tables have changed in another way, or were rolled back. */
  reset(): void {
    this.amounts.clear();
    this.keyImages.reset();
  }

  /** The next key image follows those that are there. */
  beginAppend(): void {
    this.keyImages.reset();
  }

  putBlock(facts: BlockFacts, body: Buffer): void {
    const latest = this.latestTimestamp.get(facts.height - 1)?.[0] ?? facts.timestamp;
    this.block.run(...factsValues(facts), Math.max(0, latest - facts.timestamp));
    this.blockBody.run(facts.height, body);
    this.hashes.add(HASH_KINDS.block, facts.hash, facts.height);
  }

  putTransaction(row: { id: number; hash: Buffer; height: number; unlockTime: bigint; globalIndexes: Buffer }): void {
    this.transaction.run(row.id, row.hash, row.height, toSigned(row.unlockTime), row.globalIndexes);
    this.hashes.add(HASH_KINDS.transaction, row.hash, row.id);
  }

  putTransactionBody(id: number, body: Buffer): void {
    this.transactionBody.run(id, body);
  }

  /** Gives the output the next global index of its amount and returns it. */
  putOutput(amount: bigint, key: Buffer, transactionId: number, position: number): number {
    const known = this.amounts.get(amount) ?? this.lookUp(amount);
    this.output.run(known.id, known.count, key, transactionId, position);
    return known.count++;
  }

  private lookUp(amount: bigint): Amount {
    if (this.amounts.size >= REMEMBERED_AMOUNTS) this.amounts.clear();
    const stored = toSigned(amount);
    const id = this.amount.get(stored)?.[0] ?? Number(this.newAmount.run(stored).lastInsertRowid);
    const entry = { id, count: (this.lastOutput.get(id)?.[0] ?? -1) + 1 };
    this.amounts.set(amount, entry);
    return entry;
  }
}
