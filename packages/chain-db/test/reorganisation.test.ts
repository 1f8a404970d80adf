import type { VerifiedBlock } from '@wrkz/consensus';
import { SqliteConnection } from '@wrkz/sqlite';
import fc from 'fast-check';
import {
  type ChainReader,
  commitCounter,
  CorruptDatabase,
  databaseFile,
  openChainDb,
  verifyChain,
  WrongLink,
} from '../src';
import { HashIndex } from '../src/hash-index/hash-index';
import { HASH_KINDS } from '../src/hash-index/schema';
import { useHash } from '../src/payment-ids';
import { chainA } from './support/chain-a';
import { cleanUp, openHere, writerOf } from './support/directories';
import { inventedId, makeChain, type BlockPlan } from './support/maker';
import { apply, step } from './support/steps';
import { contents, fingerprint } from './support/tables';

afterEach(cleanUp);

const plans = (count: number, salt: number): BlockPlan[] =>
  Array.from({ length: count }, (_, i) => ({
    salt: salt + i,
    transactions: [{ amounts: [5, 500, salt], inputs: 2 }],
  }));

const hashes = (blocks: readonly VerifiedBlock[]): string[] => blocks.map(({ facts }) => facts.hash.toString('hex'));

/** A common trunk of 6 blocks (genesis included) and two branches on it. */
function fork(left: number, right: number): { trunk: VerifiedBlock[]; left: VerifiedBlock[]; right: VerifiedBlock[] } {
  const genesis = chainA().slice(0, 1);
  const trunk = [...genesis, ...makeChain(plans(5, 10), genesis)];
  return { trunk, left: makeChain(plans(left, 100), trunk), right: makeChain(plans(right, 200), trunk) };
}

test('after a rewind of chain A the state is as if the blocks had never been stored', async () => {
  const blocks = chainA();
  const db = openHere();
  writerOf(db).append(blocks);
  for (const height of [719, 44]) {
    const removed = writerOf(db).rewindTo(height);
    const wanted = blocks.slice(height + 1, height + 1 + removed.length);
    expect(removed.map(({ raw }) => raw?.block.toString('hex'))).toEqual(
      wanted.map(({ block }) => block.bytes.toString('hex')),
    );
    const twin = openHere();
    writerOf(twin).append(blocks.slice(0, height + 1));
    expect(fingerprint(db)).toEqual(fingerprint(twin));
    expect((await verifyChain(db)).digest).toBe((await verifyChain(twin)).digest);
  }
  writerOf(db).append(blocks.slice(45));
  const twin = openHere();
  writerOf(twin).append(blocks);
  expect(fingerprint(db)).toEqual(fingerprint(twin));
});

test('a switch stores the old branch as alternatives and removes the new one from them', async () => {
  const { trunk, left, right } = fork(3, 4);
  const db = openHere();
  writerOf(db).append([...trunk, ...left]);
  for (const block of right.slice(0, 3)) writerOf(db).putAlternative(block);
  expect(db.reader.alternatives().map(({ facts }) => facts)).toEqual(right.slice(0, 3).map(({ facts }) => facts));

  const removed = writerOf(db).switchBranch(5, right, true);
  expect(removed.map(({ facts }) => facts)).toEqual(left.map(({ facts }) => facts));
  expect(db.reader.tip()).toEqual(right[3]?.facts);
  expect(db.reader.alternatives().map(({ facts }) => facts.hash.toString('hex'))).toEqual(hashes(left));
  for (const { block, transactions, facts } of left) {
    expect(db.reader.alternative(facts.hash)).toEqual({
      facts,
      parent: block.block.previousHash,
      raw: { block: block.bytes, transactions: transactions.map(({ bytes }) => bytes) },
    });
    expect(db.reader.hasBlock(facts.hash)).toBe(true);
    expect(db.reader.heightOf(facts.hash)).toBeUndefined();
  }
  expect((await verifyChain(db)).problems).toEqual([]);

  const twin = openHere();
  writerOf(twin).append([...trunk, ...right]);
  expect((await verifyChain(db)).digest).toBe((await verifyChain(twin)).digest);

  writerOf(db).switchBranch(5, [...left, ...makeChain(plans(2, 300), [...trunk, ...left])], true);
  expect(db.reader.height()).toBe(10);
  expect(db.reader.alternativeCount()).toBe(4);
});

test('the cached tip of each reader is that of a new reader after any appends, rewinds and switches', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.array(fc.boolean()), (steps, inSnapshot) => {
      const commits = commitCounter();
      const db = openHere({ commits });
      let chain = chainA().slice(0, 1);
      writerOf(db).append(chain);
      const readOnly = { directory: db.directory, network: 'devnet', readonly: true } as const;
      const others = [openChainDb(readOnly), openChainDb({ ...readOnly, commits })];
      const readers = [db.reader, db.openReader(), ...others.map(({ reader }) => reader)];
      const tips = (): unknown[] => readers.map((reader) => [reader.height(), reader.tip()]);
      const expected = (): unknown[] => readers.map(() => [chain.length - 1, chain.at(-1)?.facts]);
      expect(tips()).toEqual(expected());
      steps.forEach((next, i) => {
        if (inSnapshot[i] === true) {
          // A reader with an open snapshot continues to see the old tip.
          const before = expected()[0];
          const reader = readers[i % readers.length] as ChainReader;
          reader.snapshot(() => {
            const isRead = next.kind !== 'append' && reader.tip() !== undefined;
            chain = apply(db, chain, next);
            const state = [reader.height(), reader.tip()];
            if (isRead) expect(state).toEqual(before);
            expect(reader.hashAt(reader.height())).toEqual(reader.tip().hash);
          });
        } else chain = apply(db, chain, next);
        expect(tips()).toEqual(expected());
        const fresh = db.openReader();
        expect([fresh.height(), fresh.tip()]).toEqual(expected()[0]);
      });
      others.forEach((other) => other.close());
      cleanUp();
      return Promise.resolve();
    }),
    { numRuns: 40 },
  );
});

test('a result that was computed during a commit is not cached', () => {
  const commits = commitCounter();
  const db = openHere({ commits });
  writerOf(db).append(chainA().slice(0, 1));
  const other = openChainDb({ directory: db.directory, network: 'devnet', readonly: true, commits });
  const { reader } = other;
  const during = reader.cached('blocks', () => {
    const height = reader.height();
    writerOf(db).append(chainA().slice(1, 2));
    return [height, reader.height()];
  });
  expect(during).toEqual([0, 1]);
  expect(reader.cached('blocks', () => 'computed again')).toBe('computed again');
  other.close();
});

test('alternatives persist after a restart', () => {
  const { trunk, left, right } = fork(2, 2);
  const db = openHere();
  writerOf(db).append([...trunk, ...left]);
  for (const block of right) writerOf(db).putAlternative(block);
  db.close();
  const again = openHere({ directory: db.directory });
  expect(again.reader.alternatives().map(({ facts }) => facts)).toEqual(right.map(({ facts }) => facts));
});

test('a switch that fails changes nothing', () => {
  const { trunk, left, right } = fork(3, 4);
  const db = openHere();
  writerOf(db).append([...trunk, ...left]);
  const before = contents(db, true);
  expect(() => writerOf(db).switchBranch(5, [right[0]!, right[2]!], true)).toThrow(WrongLink);
  expect(() => writerOf(db).switchBranch(9, right, true)).toThrow(RangeError);
  expect(contents(db, true)).toEqual(before);
  writerOf(db).append(makeChain(plans(1, 400), [...trunk, ...left]));
});

test('removes alternatives without a root: on a rewind below their fork, and with a dropped parent', () => {
  const { trunk, left, right } = fork(3, 4);
  const db = openHere();
  writerOf(db).append([...trunk, ...left]);
  for (const block of right) writerOf(db).putAlternative(block);
  writerOf(db).rewindTo(6);
  expect(db.reader.alternativeCount()).toBe(4);
  writerOf(db).dropAlternatives([right[2]!.facts.hash, Buffer.alloc(32, 1)]);
  expect(db.reader.alternatives().map(({ facts }) => facts.height)).toEqual([6, 7]);
  writerOf(db).rewindTo(4);
  expect(db.reader.alternativeCount()).toBe(0);
});

test('an alternative needs a parent, must not be on the main chain, and is stored once', () => {
  const { trunk, left, right } = fork(3, 4);
  const db = openHere();
  writerOf(db).append([...trunk, ...left]);
  expect(() => writerOf(db).putAlternative(right[1]!)).toThrow(WrongLink);
  expect(() => writerOf(db).putAlternative(left[1]!)).toThrow(WrongLink);
  writerOf(db).putAlternative(right[0]!);
  writerOf(db).putAlternative(right[0]!);
  expect(db.reader.alternativeCount()).toBe(1);
  writerOf(db).rewindTo(5);
  writerOf(db).append(right);
  expect(db.reader.alternativeCount()).toBe(0);
});

describe('a rewind of a block whose rows do not match its transactions', () => {
  const genesis = chainA().slice(0, 1);
  const blocks = [
    ...genesis,
    ...makeChain(
      [1, 2, 3].map((salt) => ({ salt, transactions: [{ amounts: [5, 500], inputs: 2, paymentId: salt }] })),
      genesis,
    ),
  ];
  const LAST_OUTPUT = 'FROM outputs WHERE height = 3 AND amount_id = (SELECT id FROM amounts WHERE amount = 5)';
  const { keyImage, paymentId } = HASH_KINDS;
  const OTHER = Buffer.alloc(32, 9);

  function changeIndex(connection: SqliteConnection, work: (index: HashIndex) => void): void {
    const index = new HashIndex(connection, () => true);
    work(index);
    index.flush();
  }

  test.each<[string, (connection: SqliteConnection) => void]>([
    ['an output is missing', (connection) => connection.exec(`DELETE ${LAST_OUTPUT}`)],
    [
      'there is another output',
      (connection) =>
        connection.exec(
          `INSERT INTO outputs SELECT amount_id, max(global_index) + 1, key, height, unlock_time, position ${LAST_OUTPUT}`,
        ),
    ],
    ['a key image is missing', (connection) => connection.exec('DELETE FROM key_images WHERE id = 5')],
    ['a payment id is missing', (connection) => connection.exec('DELETE FROM payment_ids WHERE id = 2')],
    [
      'there is another key image',
      (connection) => {
        changeIndex(connection, (index) => index.add(keyImage, OTHER, 6));
        connection.prepare('INSERT INTO key_images VALUES (6, ?, 3)').run(OTHER);
      },
    ],
    [
      'a key image differs',
      (connection) => {
        const image = connection.prepare<[], [Buffer]>('SELECT image FROM key_images WHERE id = 5').raw(true).get();
        changeIndex(connection, (index) => {
          index.remove(keyImage, image?.[0] ?? OTHER, 5);
          index.add(keyImage, OTHER, 5);
        });
        connection.prepare('UPDATE key_images SET image = ? WHERE id = 5').run(OTHER);
      },
    ],
    [
      'there is another payment id',
      (connection) => {
        changeIndex(connection, (index) => index.add(paymentId, useHash(OTHER, 0), 3));
        connection.prepare('INSERT INTO payment_ids VALUES (3, ?, 0, 6)').run(OTHER);
      },
    ],
    [
      'a payment id differs',
      (connection) => {
        changeIndex(connection, (index) => {
          index.remove(paymentId, useHash(inventedId(3), 0), 2);
          index.add(paymentId, useHash(OTHER, 0), 2);
        });
        connection.prepare('UPDATE payment_ids SET payment_id = ? WHERE id = 2').run(OTHER);
      },
    ],
  ])('fails and changes nothing: %s', (_, tamper) => {
    const fresh = openHere();
    writerOf(fresh).append(blocks);
    fresh.close();
    const { directory } = fresh;
    const connection = new SqliteConnection(databaseFile(directory));
    tamper(connection);
    connection.close();
    const db = openHere({ directory });
    const before = contents(db);
    expect(() => writerOf(db).rewindTo(2)).toThrow(CorruptDatabase);
    expect(contents(db)).toEqual(before);
    expect(db.reader.height()).toBe(3);
  });
});
