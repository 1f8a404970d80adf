/**
 * Bytes that the index of payment ids writes per id, at growing numbers of ids: in its present form (rows and an LSM index),
 * and as a B-tree keyed by payment id, for comparison. Bytes are those of the write-ahead log.
 *
 *   npm run bench -- payment-ids [--ids 1000000] [--a-block 6]
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { HashIndex } from '../packages/chain-db/src/hash-index/hash-index';
import { sameHashIn } from '../packages/chain-db/src/hashed-rows';
import { PaymentIdStore } from '../packages/chain-db/src/payment-ids';
import { MIGRATIONS } from '../packages/chain-db/src/schema';
import { SqliteConnection } from '../packages/sqlite/src';

const { values } = parseArgs({
  options: { ids: { type: 'string', default: '1000000' }, 'a-block': { type: 'string', default: '6' } },
});
const IDS = Number(values.ids);
const A_BLOCK = Number(values['a-block']);
/** Blocks per commit: one, as at the tip, or many, as in a synchronization. */
const WAYS = [
  { name: 'a block a commit', ids: A_BLOCK, commits: 100 },
  { name: '2,000 ids a commit', ids: 2_000, commits: 10 },
] as const;
/** Ids per commit between two measurements. */
const BATCH = 20_000;

interface Index {
  put(paymentId: Buffer, transactionId: number): void;
  flush(): void;
}

const idOf = (number: number): Buffer => createHash('sha256').update(`id ${number}`).digest();
const shown = (value: number): string => Math.round(value).toLocaleString('en-US');

function measure(name: string, make: (connection: SqliteConnection) => Index): void {
  const directory = mkdtempSync(join(tmpdir(), 'bench-payment-ids-'));
  const file = join(directory, 'ids.sqlite');
  const connection = new SqliteConnection(file);
  connection.pragma('page_size = 8192');
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  connection.pragma('wal_autocheckpoint = 0');
  const index = make(connection);
  let next = 0;
  const commit = (count: number): void => {
    connection.exec('BEGIN');
    for (let i = 0; i < count; i++, next++) index.put(idOf(next), next);
    index.flush();
    connection.exec('COMMIT');
  };
  try {
    for (let target = 10_000; target <= IDS; target *= 10) {
      while (next < target) commit(Math.min(BATCH, target - next));
      for (const way of WAYS) {
        connection.pragma('wal_checkpoint(TRUNCATE)');
        const start = performance.now();
        for (let i = 0; i < way.commits; i++) commit(way.ids);
        const ids = way.commits * way.ids;
        const microseconds = ((performance.now() - start) * 1000) / ids;
        const bytes = statSync(`${file}-wal`).size / ids;
        console.log(
          `${name}, ${shown(target)} ids, ${way.name}: ${shown(bytes)} bytes an id, ${shown(microseconds)} us`,
        );
      }
    }
    connection.pragma('wal_checkpoint(TRUNCATE)');
    console.log(`${name}: ${(statSync(file).size / next).toFixed(1)} bytes an id on disk`);
  } finally {
    connection.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

measure('appended', (connection) => {
  for (const migration of MIGRATIONS) migration(connection);
  const hashes = new HashIndex(connection, sameHashIn(connection));
  const store = new PaymentIdStore(connection, hashes);
  return {
    put: (paymentId, transactionId) => store.put(paymentId, transactionId),
    flush: () => {
      hashes.flush();
    },
  };
});

measure('a tree by id', (connection) => {
  connection.exec(
    'CREATE TABLE ids (payment_id BLOB, transaction_id INTEGER, PRIMARY KEY (payment_id, transaction_id)) WITHOUT ROWID',
  );
  const insert = connection.prepare<[Buffer, number]>('INSERT INTO ids VALUES (?, ?)');
  return { put: (paymentId, transactionId) => void insert.run(paymentId, transactionId), flush: () => undefined };
});
