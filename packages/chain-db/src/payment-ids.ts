import type { HashIndex } from './hash-index/hash-index';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { DenseRows } from './dense-rows';
import { CorruptDatabase } from './errors';
import { HASH_KINDS } from './hash-index/schema';
import { createHash } from 'node:crypto';
import { findRow, type HashSource } from './hashed-rows';
import { findWalletExtra, lowerBound } from '@wrkz/core-types';

/*
 * Uses of plain payment ids in chain order. A row has the transaction, the payment id, and the number of the use, counted from 0.
 * Row ids are dense from 0 and ascend with the transaction id, so writing appends and a rewind deletes a range.
 *
 * The LSM index finds a row by payment id and number of the use ({@link useHash}). The number of uses is found by binary search,
 * and any range of uses can be read directly.
 */

const PLAIN_BYTES = 32;

/**
 * The plain payment id of a transaction, as wallets read it (docs/protocol/transactions.md#wallet-reader-of-extra); a view of
 * `extra`. Short payment ids are encrypted and not indexed.
 */
export function plainPaymentId(extra: Buffer): Buffer | undefined {
  const { paymentId, paymentIdSize } = findWalletExtra(extra);
  return paymentIdSize === PLAIN_BYTES ? extra.subarray(paymentId, paymentId + PLAIN_BYTES) : undefined;
}

/**
 * Key of one use in the index, 32 bytes. Each use has its own hash, so that an id with a million uses is not a list of a million
 * entries under one fingerprint.
 *
 * Existing files depend on it: it must never change.
 */
export function useHash(paymentId: Uint8Array, use: number): Buffer {
  const number = Buffer.allocUnsafe(4);
  number.writeUInt32LE(use);
  return createHash('sha256').update(paymentId).update(number).digest();
}

/** A use of a plain payment id; `use` counts from 0 in chain order. */
export interface PaymentIdUse {
  readonly paymentId: Buffer;
  readonly use: number;
  readonly transactionId: number;
}

type UseRow = readonly [id: number, paymentId: Buffer, use: number, transactionId: number];

/** Queries of payment ids. The caller holds the transaction. */
export class PaymentIdQueries {
  private readonly rows: DenseRows<UseRow>;

  /** @param source the lookup of a reader or of the writer */
  constructor(
    connection: SqliteConnection,
    private readonly source: HashSource,
  ) {
    this.rows = new DenseRows(connection, 'payment_ids', 'payment_id, use, transaction_id');
  }

  /** Number of rows of all ids. */
  count(): number {
    return this.rows.count();
  }

  /** Number of transactions with this id, by exponential and binary search. @throws CorruptDatabase */
  uses(paymentId: Buffer): number {
    let low = -1;
    let high = 0;
    while (this.use(paymentId, high) !== undefined) [low, high] = [high, high * 2 + 1];
    return lowerBound(low + 1, high, (use) => this.use(paymentId, use) !== undefined);
  }

  /** The transactions of uses `start` to `end` - 1, which must exist. @throws CorruptDatabase */
  transactionIds(paymentId: Buffer, start: number, end: number): number[] {
    return Array.from({ length: end - start }, (_, i) => {
      const found = this.use(paymentId, start + i);
      if (found !== undefined) return found.transactionId;
      throw new CorruptDatabase(`use ${start + i} of payment id ${paymentId.toString('hex')} is missing`);
    });
  }

  /** @throws CorruptDatabase if the index or a row is damaged */
  use(paymentId: Buffer, use: number): PaymentIdUse | undefined {
    let row: PaymentIdUse | undefined;
    const hash = useHash(paymentId, use);
    const id = findRow(this.source, HASH_KINDS.paymentId, hash, (at) => hashOf((row = useOf(this.rows.at(at)))));
    return id === undefined ? undefined : row;
  }

  /** Uses by the transactions with ids [first, end), in chain order. @throws MissingRow */
  range(first: number, end: number): PaymentIdUse[] {
    return this.rows.between(this.firstOf(first), this.firstOf(end)).map(useOf);
  }

  /** The first row of this or a later transaction. */
  firstOf(transactionId: number): number {
    return this.rows.firstNot(([, , , at]) => at < transactionId);
  }
}

function hashOf({ paymentId, use }: PaymentIdUse): Buffer {
  return useHash(paymentId, use);
}

function useOf([, paymentId, use, transactionId]: UseRow): PaymentIdUse {
  return { paymentId, use, transactionId };
}

/** Max cached counts of uses, some megabytes. A full cache is cleared. */
const REMEMBERED_IDS = 20_000;

/** Adds and removes uses of payment ids. The caller holds the transaction, and flushes the index at its end. */
export class PaymentIdStore {
  private readonly queries: PaymentIdQueries;
  private readonly insert: SqliteStatement<[number, Buffer, number, number]>;
  private readonly deleteFrom: SqliteStatement<[number]>;
  /** Id of the next row; undefined: not read yet. */
  private next: number | undefined;
  /** Cached number of uses by id. */
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

  /** Clears cached counts after a rollback or another change of the table. */
  reset(): void {
    this.next = undefined;
    this.uses.clear();
  }

  /** Adds a use. Transactions are added in chain order. @throws CorruptDatabase */
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

  /** Removes the uses by transaction `transactionId` and all later ones. @returns the removed uses in chain order */
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
