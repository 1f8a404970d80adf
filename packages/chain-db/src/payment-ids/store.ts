import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import type { HashIndex } from '../hash-index/hash-index';
import { HASH_KINDS } from '../hash-index/schema';
import { PaymentIdQueries, type PaymentIdUse } from './queries';
import { useHash } from './use-hash';

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
