import { SqliteConnection } from '@wrkz/sqlite';
import { CorruptDatabase, databaseFile, plainPaymentId, verifyChain, type ChainDb } from '../src';
import { HASH_KINDS } from '../src/hash-index/schema';
import { chainA } from './support/chain-a';
import { cleanUp, openHere, writerOf } from './support/directories';
import { editEntries, loseEntry } from './support/entries';
import { inventedId, makeChain } from './support/maker';
import { SMALL_RUNS } from './support/small-runs';
import { fingerprint } from './support/tables';

afterEach(cleanUp);

const genesis = chainA().slice(0, 1);
const plan = (salt: number, ...ids: number[]) => ({
  salt,
  transactions: ids.map((paymentId) => ({ amounts: [7], inputs: 1, paymentId })),
});

/** `count` blocks, each with a transaction with id 0 and one with a unique id, in a database with short runs. */
function many(count: number): ChainDb {
  const db = openHere({ hashIndex: SMALL_RUNS });
  const plans = Array.from({ length: count }, (_, i) => plan(i, 0, i + 10));
  writerOf(db).append([...genesis, ...makeChain(plans)]);
  return db;
}

function tamper(db: ChainDb, ...sql: string[]): void {
  change(db, (connection) => {
    for (const one of sql) connection.exec(one);
  });
}

function change({ directory }: ChainDb, work: (connection: SqliteConnection) => void): void {
  const connection = new SqliteConnection(databaseFile(directory));
  try {
    work(connection);
  } finally {
    connection.close();
  }
}

test('finds the ids of chain A, each with all its transactions, in chain order', () => {
  const carriers = new Map<string, Buffer[]>();
  for (const { block, transactions } of chainA()) {
    for (const { transaction, hash } of [block.coinbase, ...transactions]) {
      const id = plainPaymentId(transaction.extra)?.toString('hex');
      if (id !== undefined) carriers.set(id, [...(carriers.get(id) ?? []), hash]);
    }
  }
  expect(carriers.size).toBeGreaterThan(10);
  expect(Math.max(...[...carriers.values()].map(({ length }) => length))).toBeGreaterThan(1);
  const db = openHere();
  writerOf(db).append(chainA());
  for (const [id, hashes] of carriers) {
    const paymentId = Buffer.from(id, 'hex');
    expect(db.reader.paymentIdUses(paymentId)).toBe(hashes.length);
    expect(db.reader.transactionsByPaymentId(paymentId, 0, hashes.length)).toEqual(hashes);
    expect(db.reader.transactionsByPaymentId(paymentId, 1, hashes.length)).toEqual(hashes.slice(1));
  }
  expect(db.reader.paymentIdUses(inventedId(0))).toBe(0);
});

test('counts any number of uses: below, at and above powers of two, before and after a restart', () => {
  const plans = Array.from({ length: 19 }, (_, i) => plan(i, 0, 1));
  let db = openHere({ hashIndex: SMALL_RUNS });
  writerOf(db).append(genesis);
  makeChain(plans).forEach((block, i) => {
    writerOf(db).append([block]);
    expect(db.reader.paymentIdUses(inventedId(0))).toBe(i + 1);
    if (i % 5 !== 0) return;
    const { directory } = db;
    db.close();
    db = openHere({ directory, hashIndex: SMALL_RUNS });
  });
  expect(db.reader.transactionsByPaymentId(inventedId(1), 0, 19)).toHaveLength(19);
});

test('a block that a switch removes removes its uses, and their numbers are assigned again', async () => {
  const trunk = makeChain([plan(1, 0), plan(2, 0, 1)]);
  const left = makeChain([plan(3, 0, 2), plan(4, 0)], [...genesis, ...trunk]);
  const right = makeChain([plan(5, 1, 0), plan(6, 3), plan(7, 0)], [...genesis, ...trunk]);
  const db = openHere();
  writerOf(db).append([...genesis, ...trunk, ...left]);
  expect(db.reader.paymentIdUses(inventedId(0))).toBe(4);
  writerOf(db).switchBranch(2, right, true);
  expect([0, 1, 2, 3].map((id) => db.reader.paymentIdUses(inventedId(id)))).toEqual([4, 2, 0, 1]);
  const twin = openHere();
  writerOf(twin).append([...genesis, ...trunk, ...right]);
  expect(fingerprint(db)).toEqual(fingerprint(twin));
  expect((await verifyChain(db)).problems).toEqual([]);
});

test('a rejected batch leaves no rows', async () => {
  const trunk = makeChain([plan(1, 0)]);
  const [next, above] = makeChain([plan(2, 0), plan(3, 0)], [...genesis, ...trunk]);
  const db = openHere();
  writerOf(db).append([...genesis, ...trunk]);
  expect(() => writerOf(db).append([next!, next!])).toThrow();
  writerOf(db).append([next!, above!]);
  expect(db.reader.paymentIdUses(inventedId(0))).toBe(3);
  expect((await verifyChain(db)).problems).toEqual([]);
});

describe('damage', () => {
  test('a lost use between others is damage, never a shorter list', () => {
    const db = many(8);
    tamper(db, 'UPDATE payment_ids SET use = 700 WHERE id = 4', 'DELETE FROM payment_ids WHERE id = 6');
    change(db, (connection) => editEntries(connection, HASH_KINDS.paymentId, () => undefined));
    expect(() => db.reader.transactionsByPaymentId(inventedId(0), 0, 8)).toThrow(CorruptDatabase);
  });

  test.each([
    ['a row of an id that no transaction carries', 'INSERT INTO payment_ids VALUES (12, zeroblob(32), 0, 3)'],
    ['a row too few', 'DELETE FROM payment_ids WHERE id = 11'],
    ['another number', 'UPDATE payment_ids SET use = use + 1 WHERE id = 10'],
    ['another id', 'UPDATE payment_ids SET payment_id = randomblob(32) WHERE id = 10'],
  ])('%s is found by verify', async (_, sql) => {
    const db = openHere();
    writerOf(db).append([...genesis, ...makeChain(Array.from({ length: 6 }, (_one, i) => plan(i, 0, i + 10)))]);
    expect((await verifyChain(db)).problems).toEqual([]);
    tamper(db, sql);
    expect((await verifyChain(db)).problems.join('\n')).toMatch(/payment/);
  });

  test('a lost entry is found by verify', async () => {
    const db = openHere();
    writerOf(db).append([...genesis, ...makeChain([plan(1, 0, 10)])]);
    change(db, (connection) => loseEntry(connection, HASH_KINDS.paymentId, 1));
    expect((await verifyChain(db)).problems.join('\n')).toMatch(/payment/);
  });
});
