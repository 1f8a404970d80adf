import { decodeTransactionPrefix } from '@wrkz/core-types';
import type { BatchedMigration, MigrationBatch, MigrationCursor, SqliteConnection } from '@wrkz/sqlite';
import { HashIndex } from '../hash-index/hash-index';
import { HashLookup } from '../hash-index/lookup';
import { sameHashIn } from '../hash-index/same-hash';
import { PaymentIdStore, plainPaymentId } from '../payment-ids';
import { TransactionQueries } from '../reader/transactions';

const THIRD_SCHEMA = `
CREATE TABLE payment_ids (
  id INTEGER PRIMARY KEY,
  payment_id BLOB NOT NULL,
  use INTEGER NOT NULL,
  transaction_id INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
`;

/** Transactions that a batch looks through: some milliseconds, as many kilobytes of prefixes. */
const BATCH_TRANSACTIONS = 1_000;

/**
 * The third schema: an index of the plain payment ids. The first batch makes the table; each further one looks through the
 * prefixes of some transactions, in chain order, and appends the ids that it finds.
 *
 * The cursor is the id of the next transaction to look at.
 */
export const paymentIds: BatchedMigration = { version: 3, name: 'payment-ids', batch };

function batch(connection: SqliteConnection, cursor: MigrationCursor | undefined): MigrationBatch {
  const count = 'SELECT coalesce(max(id), -1) + 1 FROM transactions';
  const total = connection.prepare<[], [number]>(count).raw(true).get()?.[0] ?? 0;
  const first = Number(cursor ?? 0);
  if (cursor === undefined) connection.exec(THIRD_SCHEMA);
  else index(connection, first, Math.min(first + BATCH_TRANSACTIONS, total));
  const next = cursor === undefined ? 0 : Math.min(first + BATCH_TRANSACTIONS, total);
  return { next: next < total ? next : undefined, done: next, total };
}

/** @throws DamagedRow */
function index(connection: SqliteConnection, first: number, end: number): void {
  const hashes = new HashIndex(connection, sameHashIn(connection));
  const store = new PaymentIdStore(connection, hashes);
  const { prefixes } = new TransactionQueries(connection, new HashLookup(connection)).scan({ first, end });
  prefixes.forEach((prefix, i) => {
    const paymentId = plainPaymentId(decodeTransactionPrefix(prefix).extra);
    if (paymentId !== undefined) store.put(paymentId, first + i);
  });
  hashes.flush();
  while (hashes.isMergeDue) hashes.merge();
}
