import type { BlockFacts } from '@wrkz/consensus';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { Codec } from '../codec';
import type { HashIndex } from '../hash-index/hash-index';
import { HASH_KINDS } from '../hash-index/schema';
import { toSigned } from '../integers';
import { KeyImageStore } from '../key-images';
import { PaymentIdStore } from '../payment-ids';
import { BlockQueries } from '../reader/blocks';
import { OutputQueries } from '../reader/outputs';
import {
  blockChecksum,
  bodyChecksum,
  outputChecksum,
  prefixChecksum,
  signaturesChecksum,
  stampChecksum,
  transactionChecksum,
  type OutputColumns,
} from '../rows/checksums';
import { FACTS_COLUMNS, factsValues } from '../rows/facts';

type Value = number | bigint | Buffer;

/** What the writer remembers of an amount inside one change: its id and how many outputs it has. */
interface Amount {
  readonly id: number;
  count: number;
}

/** Amounts remembered before the memory is dropped; the real chain has some hundreds. */
const REMEMBERED_AMOUNTS = 50_000;

/** A transaction as its row has it. `globalIndexes` are packed, `prefix` is as serialized. */
export interface NewTransaction {
  readonly id: number;
  readonly hash: Buffer;
  readonly height: number;
  readonly globalIndexes: Buffer;
  readonly prefix: Buffer;
}

/** The statements that put rows into the main chain's tables, and the counting of outputs by amount. */
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
    this.block = insert('blocks', `${FACTS_COLUMNS}, timestamp_lag, checksum, stamp_checksum`);
    this.body = insert('block_bodies', 'height, codec, body, checksum');
    this.transaction = insert(
      'transactions',
      'id, hash, height, global_indexes, checksum, codec, prefix_checksum, prefix',
    );
    this.signatures = insert('signatures', 'id, codec, signatures, checksum');
    this.output = insert('outputs', 'amount_id, global_index, key, height, unlock_time, position, checksum');
    this.keyImages = new KeyImageStore(connection, hashes);
    this.paymentIds = new PaymentIdStore(connection, hashes);
    // The highest id plus one, so that a rewind gives ids back and the file does not tell that it happened.
    this.newAmount = connection.prepare<[bigint]>('INSERT INTO amounts (amount) VALUES (?)');
    this.blocks = new BlockQueries(connection, hashes);
    this.outputs = new OutputQueries(connection);
  }

  /** Forgets what was counted: the tables have changed in another way, or were rolled back. */
  reset(): void {
    this.amounts.clear();
    this.keyImages.reset();
    this.paymentIds.reset();
  }

  /** The next key image follows those that are there. */
  beginAppend(): void {
    this.keyImages.reset();
  }

  putBlock(facts: BlockFacts): void {
    const latest = facts.height === 0 ? facts.timestamp : this.blocks.latestTimestamp(facts.height - 1);
    const lag = Math.max(0, latest - facts.timestamp);
    const stampSum = stampChecksum({ ...facts, timestampLag: lag });
    this.block.run(...factsValues(facts), lag, blockChecksum(facts, lag), stampSum);
    this.hashes.add(HASH_KINDS.block, facts.hash, facts.height);
  }

  putBlockBody(height: number, body: Buffer): void {
    this.body.run(height, Codec.plain, body, bodyChecksum(height, Codec.plain, body));
  }

  putTransaction({ id, hash, height, globalIndexes, prefix }: NewTransaction): void {
    const checksum = transactionChecksum(id, hash, height, globalIndexes);
    const prefixSum = prefixChecksum(id, hash, Codec.plain, prefix);
    this.transaction.run(id, hash, height, globalIndexes, checksum, Codec.plain, prefixSum, prefix);
    this.hashes.add(HASH_KINDS.transaction, hash, id);
  }

  putSignatures(id: number, signatures: Buffer): void {
    this.signatures.run(id, Codec.plain, signatures, signaturesChecksum(id, Codec.plain, signatures));
  }

  /** Gives the output the next global index of its amount and returns it. `unlockTime` is the signed form. */
  putOutput(amount: bigint, unlockTime: bigint, output: OutputColumns): number {
    const known = this.amounts.get(amount) ?? this.lookUp(amount);
    const { key, height, position } = output;
    const checksum = outputChecksum(amount, known.count, output);
    this.output.run(known.id, known.count, key, height, unlockTime, position, checksum);
    return known.count++;
  }

  private lookUp(amount: bigint): Amount {
    if (this.amounts.size >= REMEMBERED_AMOUNTS) this.amounts.clear();
    const id = this.outputs.amountId(amount);
    const entry =
      id === undefined
        ? { id: Number(this.newAmount.run(toSigned(amount)).lastInsertRowid), count: 0 }
        : { id, count: this.outputs.count(amount) };
    this.amounts.set(amount, entry);
    return entry;
  }
}
