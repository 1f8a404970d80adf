import type { BlockFacts } from '@wrkz/consensus';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { Codec } from '../block-bytes';
import type { HashIndex } from '../hash-index/hash-index';
import { HASH_KINDS } from '../hash-index/schema';
import { KeyImageStore } from '../key-images';
import { PaymentIdStore } from '../payment-ids';
import { BlockQueries } from '../reader/blocks';
import { OutputQueries } from '../reader/outputs';
import { FACTS_COLUMNS, factsValues } from '../block-row';

type Value = number | bigint | Buffer;

/** Cached id of an amount and its number of outputs. */
interface Amount {
  readonly id: number;
  count: number;
}

/** Max cached amounts; mainnet has some hundreds. A full cache is cleared. */
const REMEMBERED_AMOUNTS = 50_000;

/** A row of a transaction: `globalIndexes` are packed, `prefix` is serialized. */
export interface NewTransaction {
  readonly id: number;
  readonly hash: Buffer;
  readonly height: number;
  readonly globalIndexes: Buffer;
  readonly prefix: Buffer;
}

/** An output of the block at `height`, with its position in its transaction. */
export interface NewOutput {
  readonly key: Buffer;
  readonly height: number;
  readonly position: number;
}

/** Inserts rows into the tables of the main chain, and assigns global indexes. */
export class Store {
  private readonly block: SqliteStatement<Value[]>;
  private readonly body: SqliteStatement<Value[]>;
  private readonly transaction: SqliteStatement<Value[]>;
  private readonly signatures: SqliteStatement<Value[]>;
  private readonly output: SqliteStatement<Value[]>;
  private readonly blocks: BlockQueries;
  private readonly outputs: OutputQueries;
  private readonly newAmount: SqliteStatement<[bigint]>;
  private readonly amounts = new Map<bigint, Amount>();
  readonly keyImages: KeyImageStore;
  readonly paymentIds: PaymentIdStore;

  constructor(
    connection: SqliteConnection,
    private readonly hashes: HashIndex,
  ) {
    const insert = (table: string, columns: string): SqliteStatement<Value[]> =>
      connection.prepare<Value[]>(`INSERT INTO ${table} (${columns}) VALUES (${columns.replace(/\w+/g, '?')})`);
    this.block = insert('blocks', `${FACTS_COLUMNS}, timestamp_lag`);
    this.body = insert('block_bodies', 'height, codec, body');
    this.transaction = insert('transactions', 'id, hash, height, global_indexes, codec, prefix');
    this.signatures = insert('signatures', 'id, codec, signatures');
    this.output = insert('outputs', 'amount_id, global_index, key, height, unlock_time, position');
    this.keyImages = new KeyImageStore(connection, hashes);
    this.paymentIds = new PaymentIdStore(connection, hashes);
    // Max id + 1, not AUTOINCREMENT: after a rewind the file is the same as before the removed blocks.
    this.newAmount = connection.prepare<[bigint]>('INSERT INTO amounts (amount) VALUES (?)');
    this.blocks = new BlockQueries(connection, hashes);
    this.outputs = new OutputQueries(connection);
  }

  /** Clears cached counts after a rollback or another change of the tables. */
  reset(): void {
    this.amounts.clear();
    this.keyImages.reset();
    this.paymentIds.reset();
  }

  putBlock(facts: BlockFacts): void {
    const latest = facts.height === 0 ? facts.timestamp : this.blocks.latestTimestamp(facts.height - 1);
    const lag = Math.max(0, latest - facts.timestamp);
    this.block.run(...factsValues(facts), lag);
    this.hashes.add(HASH_KINDS.block, facts.hash, facts.height);
  }

  putBlockBody(height: number, body: Buffer): void {
    this.body.run(height, Codec.plain, body);
  }

  putTransaction({ id, hash, height, globalIndexes, prefix }: NewTransaction): void {
    this.transaction.run(id, hash, height, globalIndexes, Codec.plain, prefix);
    this.hashes.add(HASH_KINDS.transaction, hash, id);
  }

  putSignatures(id: number, signatures: Buffer): void {
    this.signatures.run(id, Codec.plain, signatures);
  }

  /** Inserts an output. @returns its global index @param unlockTime as signed 64 bits */
  putOutput(amount: bigint, unlockTime: bigint, output: NewOutput): number {
    const known = this.amounts.get(amount) ?? this.lookUp(amount);
    const { key, height, position } = output;
    this.output.run(known.id, known.count, key, height, unlockTime, position);
    return known.count++;
  }

  private lookUp(amount: bigint): Amount {
    if (this.amounts.size >= REMEMBERED_AMOUNTS) this.amounts.clear();
    const id = this.outputs.amountId(amount);
    const entry =
      id === undefined
        ? { id: Number(this.newAmount.run(BigInt.asIntN(64, amount)).lastInsertRowid), count: 0 }
        : { id, count: this.outputs.count(amount) };
    this.amounts.set(amount, entry);
    return entry;
  }
}
