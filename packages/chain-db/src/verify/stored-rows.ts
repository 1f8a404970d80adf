import type { PaymentIdUse } from '../payment-ids';
import type { BlockFacts } from '@wrkz/consensus';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { FACTS_HALVES, factsOf, joined, type FactsRow } from '../block-row';
import { decodeBlob } from '../block-bytes';
import { HASH_KINDS, type HashKind } from '../hash-index/schema';
import { HashLookup, type RunDirectory } from '../hash-index/lookup';
import { unpackIndexes } from '../integers';
import type { StoredOutput } from '../reader/outputs';
import { useHash } from '../payment-ids';

export interface StoredBlock {
  readonly facts: BlockFacts;
  readonly timestampLag: number;
}

export interface StoredTransactionRow {
  readonly id: number;
  readonly hash: Buffer;
  readonly height: number;
  /** undefined when the packed bytes are invalid. */
  readonly globalIndexes: readonly number[] | undefined;
  readonly prefix: Buffer;
}

const ROWS_AT_A_TIME = 16;

type BlobRow = [key: number, codec: number, bytes: Buffer];
type TransactionColumns = [id: number, hash: Buffer, height: number, packed: Buffer, codec: number, prefix: Buffer];
type OutputColumns = [key: Buffer, height: number, unlockLow: number, unlockHigh: number, position: number];

/** The rows of the tables for `verify`, which assumes nothing about them: a missing row is undefined, not an error. */
export class StoredRows {
  private readonly lookup: HashLookup;
  private readonly statements = new Map<string, SqliteStatement<unknown[], unknown>>();

  /** @param directory the filters of the state that the connection reads; without them lookups take longer */
  constructor(
    private readonly connection: SqliteConnection,
    directory?: RunDirectory,
  ) {
    this.lookup = new HashLookup(connection, () => directory);
  }

  block(height: number): StoredBlock | undefined {
    const row = this.get<readonly [...FactsRow, lag: number]>(
      `SELECT ${FACTS_HALVES}, timestamp_lag FROM blocks WHERE height = ?`,
      height,
    );
    return row && { facts: factsOf(row as unknown as FactsRow), timestampLag: row[13] };
  }

  heightOf(hash: Buffer): number | undefined {
    return this.find(HASH_KINDS.block, hash, 'SELECT hash FROM blocks WHERE height = ?');
  }

  body(height: number): Buffer | undefined {
    const row = this.get<BlobRow>('SELECT height, codec, body FROM block_bodies WHERE height = ?', height);
    return row && decodeBlob(row[1], row[2], 'block_bodies', height);
  }

  transactions(first: number, end: number): StoredTransactionRow[] {
    return this.all<TransactionColumns>(
      'SELECT id, hash, height, global_indexes, codec, prefix FROM transactions WHERE id >= ? AND id < ? ORDER BY id',
      first,
      end,
    ).map(([id, hash, height, packed, codec, prefix]) => ({
      id,
      hash,
      height,
      globalIndexes: unpackIndexes(packed),
      prefix: decodeBlob(codec, prefix, 'transactions', id),
    }));
  }

  /** The rows from `first` on whose height is `height`. */
  transactionsOf(height: number, first: number): StoredTransactionRow[] {
    const rows: StoredTransactionRow[] = [];
    for (;;) {
      const start = first + rows.length;
      const batch = this.transactions(start, start + ROWS_AT_A_TIME);
      const end = batch.findIndex((row, i) => row.height !== height || row.id !== start + i);
      rows.push(...(end < 0 ? batch : batch.slice(0, end)));
      if (end >= 0 || batch.length < ROWS_AT_A_TIME) return rows;
    }
  }

  transactionId(hash: Buffer): number | undefined {
    return this.find(HASH_KINDS.transaction, hash, 'SELECT hash FROM transactions WHERE id = ?');
  }

  signatures(first: number, end: number): Map<number, Buffer> {
    const sql = 'SELECT id, codec, signatures FROM signatures WHERE id >= ? AND id < ? ORDER BY id';
    return new Map(
      this.all<BlobRow>(sql, first, end).map(([id, codec, bytes]) => [id, decodeBlob(codec, bytes, 'signatures', id)]),
    );
  }

  output(amount: bigint, globalIndex: number): StoredOutput | undefined {
    const row = this.get<OutputColumns>(
      `SELECT key, height, unlock_time & 4294967295, (unlock_time >> 32) & 4294967295, position FROM outputs
       WHERE amount_id = (SELECT id FROM amounts WHERE amount = ?) AND global_index = ?`,
      BigInt.asIntN(64, amount),
      globalIndex,
    );
    if (row === undefined) return undefined;
    const [key, height, unlockLow, unlockHigh, position] = row;
    return { key, height, unlockTime: joined(unlockLow, unlockHigh), position };
  }

  /** The stored height of a key image. */
  spentHeight(image: Buffer): number | undefined {
    const id = this.find(HASH_KINDS.keyImage, image, 'SELECT image FROM key_images WHERE id = ?');
    return id === undefined ? undefined : this.get<[number]>('SELECT height FROM key_images WHERE id = ?', id)?.[0];
  }

  paymentId(id: number): PaymentIdUse | undefined {
    const row = this.get<[Buffer, number, number]>(
      'SELECT payment_id, use, transaction_id FROM payment_ids WHERE id = ?',
      id,
    );
    return row && { paymentId: row[0], use: row[1], transactionId: row[2] };
  }

  /** The row of a use of a payment id. */
  paymentIdRow(paymentId: Buffer, use: number): number | undefined {
    return this.lookup.candidates(HASH_KINDS.paymentId, useHash(paymentId, use)).find((id) => {
      const row = this.paymentId(id);
      return row?.use === use && row.paymentId.equals(paymentId);
    });
  }

  /** Ids of the alternative blocks. */
  alternativeHashes(): Buffer[] {
    return this.all<[Buffer]>('SELECT hash FROM alternatives NOT INDEXED ORDER BY height, id').map(([hash]) => hash);
  }

  private find(kind: HashKind, hash: Buffer, hashOfRow: string): number | undefined {
    return this.lookup.candidates(kind, hash).find((id) => this.get<[Buffer]>(hashOfRow, id)?.[0].equals(hash));
  }

  private get<Row>(sql: string, ...values: readonly (number | bigint)[]): Row | undefined {
    return this.prepared(sql).get(...values) as Row | undefined;
  }

  private all<Row>(sql: string, ...values: readonly number[]): Row[] {
    return this.prepared(sql).all(...values) as Row[];
  }

  private prepared(sql: string): SqliteStatement<unknown[], unknown> {
    let statement = this.statements.get(sql);
    if (statement === undefined) this.statements.set(sql, (statement = this.connection.prepare(sql).raw(true)));
    return statement;
  }
}
