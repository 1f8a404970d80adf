import type { HashIndex } from './hash-index/hash-index';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase, MissingRow } from './errors';
import { HASH_KINDS } from './hash-index/schema';
import { createHash } from 'node:crypto';
import { findRow, type HashSource } from './hashed-rows';
import { findWalletExtra, lowerBound } from '@wrkz/core-types';

/**
 * Uses of plain payment ids in chain order: each row says that transaction `transaction_id` carries `payment_id`, and that it
 * is use number `use` of it, counted from 0. Ids are dense from 0; among them transaction ids rise. So writing is appending,
 * a rewind a delete by range, and nothing has to be written anew when an id is used again.
 *
 * They are found through the hash look-ups, by payment id and number of the use ({@link useHash}): how often an id was used is a
 * search for the last number, and any part of its uses can be read without those before it.
 */
export const PAYMENT_ID_SCHEMA = `
CREATE TABLE payment_ids (
  id INTEGER PRIMARY KEY,
  payment_id BLOB NOT NULL,
  use INTEGER NOT NULL,
  transaction_id INTEGER NOT NULL
) STRICT;
`;

export const PAYMENT_ID_TABLES = ['payment_ids'] as const;

const PLAIN_BYTES = 32;

/**
 * The plain payment id in a transaction's extra, as wallets read it (docs/protocol/transactions.md#wallet-reader-of-extra); a
 * view of `extra`. Short ones are encrypted to their receiver, each time in other bytes, and are none.
 */
export function plainPaymentId(extra: Buffer): Buffer | undefined {
  const { paymentId, paymentIdSize } = findWalletExtra(extra);
  return paymentIdSize === PLAIN_BYTES ? extra.subarray(paymentId, paymentId + PLAIN_BYTES) : undefined;
}

/**
 * What the look-ups have for one use of a payment id, 32 bytes. Each use has a hash of its own, so that an id that a million
 * transactions carry is a million entries like any others, and not one long list under one fingerprint.
 *
 * Files hold entries that follow from it, so it never changes.
 */
export function useHash(paymentId: Uint8Array, use: number): Buffer {
  const number = Buffer.allocUnsafe(4);
  number.writeUInt32LE(use);
  return createHash('sha256').update(paymentId).update(number).digest();
}

/** One use of a plain payment id: `use` counts those of this id from 0, in chain order. */
export interface PaymentIdUse {
  readonly paymentId: Buffer;
  readonly use: number;
  readonly transactionId: number;
}

type UseRow = readonly [id: number, paymentId: Buffer, use: number, transactionId: number];

/** Queries of payment ids. The caller holds the transaction. */
export class PaymentIdQueries {
  private readonly rowAt: SqliteStatement<[number], UseRow>;
  private readonly highest: SqliteStatement<[], [number]>;
  private readonly between: SqliteStatement<[number, number], UseRow>;

  /** @param source the look-up of a reader, or the writer's, which knows what is not written yet */
  constructor(
    connection: SqliteConnection,
    private readonly source: HashSource,
  ) {
    const row = 'SELECT id, payment_id, use, transaction_id FROM payment_ids';
    this.rowAt = connection.prepare<[number], UseRow>(`${row} WHERE id = ?`).raw(true);
    this.highest = connection.prepare<[], [number]>('SELECT coalesce(max(id), -1) FROM payment_ids').raw(true);
    this.between = connection
      .prepare<[number, number], UseRow>(`${row} WHERE id >= ? AND id < ? ORDER BY id`)
      .raw(true);
  }

  /** Rows, whatever ids they are of. */
  count(): number {
    return (this.highest.get()?.[0] ?? -1) + 1;
  }

  /** How many transactions carry this id: doubles until no use has the number, then halves. @throws CorruptDatabase */
  uses(paymentId: Buffer): number {
    let low = -1;
    let high = 0;
    while (this.use(paymentId, high) !== undefined) [low, high] = [high, high * 2 + 1];
    return lowerBound(low + 1, high, (use) => this.use(paymentId, use) !== undefined);
  }

  /** The transactions of the uses `start` to `end` - 1, which must be there. @throws CorruptDatabase */
  transactionIds(paymentId: Buffer, start: number, end: number): number[] {
    return Array.from({ length: end - start }, (_, i) => {
      const found = this.use(paymentId, start + i);
      if (found !== undefined) return found.transactionId;
      throw new CorruptDatabase(`use ${start + i} of payment id ${paymentId.toString('hex')} is missing`);
    });
  }

  /** @throws CorruptDatabase, where the look-up or a row is damaged */
  use(paymentId: Buffer, use: number): PaymentIdUse | undefined {
    let row: PaymentIdUse | undefined;
    const hash = useHash(paymentId, use);
    const id = findRow(this.source, HASH_KINDS.paymentId, hash, (at) => hashOf((row = this.at(at))));
    return id === undefined ? undefined : row;
  }

  /** Those of the transactions with ids [first, end), in chain order. @throws MissingRow */
  range(first: number, end: number): PaymentIdUse[] {
    const [from, past] = [this.firstOf(first), this.firstOf(end)];
    const rows = this.between.all(from, past);
    return Array.from({ length: past - from }, (_, i) => {
      const row = rows[i];
      if (row?.[0] !== from + i) throw new MissingRow('payment_ids', from + i);
      return useOf(row);
    });
  }

  /** The lowest row of this transaction or one behind it. */
  firstOf(transactionId: number): number {
    return lowerBound(0, this.count(), (id) => this.at(id).transactionId < transactionId);
  }

  private at(id: number): PaymentIdUse {
    const row = this.rowAt.get(id);
    if (row === undefined) throw new MissingRow('payment_ids', id);
    return useOf(row);
  }
}

function hashOf({ paymentId, use }: PaymentIdUse): Buffer {
  return useHash(paymentId, use);
}

function useOf([, paymentId, use, transactionId]: UseRow): PaymentIdUse {
  return { paymentId, use, transactionId };
}

/** Ids whose number of uses is remembered before the memory is dropped: some megabytes. */
const REMEMBERED_IDS = 20_000;

/** Puts and removes uses of payment ids. The caller holds the transaction and flushes the look-ups at its end. */
export class PaymentIdStore {
  private readonly queries: PaymentIdQueries;
  private readonly insert: SqliteStatement<[number, Buffer, number, number]>;
  private readonly deleteFrom: SqliteStatement<[number]>;
  /** The id of the next row; undefined until it was looked up. */
  private next: number | undefined;
  /** Uses of the ids that were met. */
  private readonly uses = new Map<string, number>();

  constructor(
    connection: SqliteConnection,
    private readonly hashes: HashIndex,
  ) {
    this.queries = new PaymentIdQueries(connection, hashes);
    this.insert = connection.prepare(
      'INSERT INTO payment_ids (id, payment_id, use, transaction_id) VALUES (?, ?, ?, ?)',
    );
    this.deleteFrom = connection.prepare('DELETE FROM payment_ids WHERE id >= ?');
  }

  /** Forgets what was counted: the table has changed in another way, or was rolled back. */
  reset(): void {
    this.next = undefined;
    this.uses.clear();
  }

  /** One more use of an id. Transactions are put in chain order. @throws CorruptDatabase */
  put(paymentId: Buffer, transactionId: number): void {
    const key = paymentId.toString('latin1');
    const use = this.uses.get(key) ?? this.queries.uses(paymentId);
    const id = (this.next ??= this.queries.count());
    this.insert.run(id, paymentId, use, transactionId);
    this.hashes.add(HASH_KINDS.paymentId, useHash(paymentId, use), id);
    this.next = id + 1;
    if (this.uses.size >= REMEMBERED_IDS) this.uses.clear();
    this.uses.set(key, use + 1);
  }

  /** Takes out the uses by transaction `transactionId` and all behind it. @returns them, in chain order */
  removeFrom(transactionId: number): PaymentIdUse[] {
    const first = this.queries.firstOf(transactionId);
    const gone = this.queries.range(transactionId, Infinity);
    gone.forEach(({ paymentId, use }, i) =>
      this.hashes.remove(HASH_KINDS.paymentId, useHash(paymentId, use), first + i),
    );
    this.deleteFrom.run(first);
    this.reset();
    return gone;
  }
}
