import { lowerBound } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase, MissingRow } from '../errors';
import { findRow, type HashSource } from '../hashed-rows';
import { HASH_KINDS } from '../hash-index/schema';
import { useHash } from './use-hash';

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
