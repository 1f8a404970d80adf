import type { VerifiedBlock } from '@wrkz/consensus';
import { SqliteConnection } from '@wrkz/sqlite';
import {
  BelowFloor,
  type ChainDb,
  type ChainReader,
  databaseFile,
  LiteDatabase,
  LiteHeightDiffers,
  NotALiteDatabase,
  openChainDb,
  plainPaymentId,
  RefusedChange,
  rulesDigest,
  UnreadableLiteMark,
} from '../src';
import { writeMeta } from '../src/modes/floors';
import { chainA } from './support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { makeChain } from './support/maker';
import { expectSame } from './support/same';
import { contents } from './support/tables';

afterAll(cleanUp);

const LITE = 300;
const LITE_TEXT = `This node is a lite node and stores no transaction data below height ${LITE}`;

function filled(lite?: number, count = chainA().length): ChainDb {
  const db = openHere({ lite });
  for (let i = 0; i < count; i += 150) writerOf(db).append(chainA().slice(i, Math.min(i + 150, count)));
  return db;
}

function edit(directory: string, change: (connection: SqliteConnection) => void): void {
  const connection = new SqliteConnection(databaseFile(directory));
  try {
    change(connection);
  } finally {
    connection.close();
  }
}

const transactionsOf = ({ block, transactions }: VerifiedBlock) => [block.coinbase, ...transactions];

describe('a lite database of chain A', () => {
  let lite: ChainDb;
  let full: ChainDb;
  beforeAll(() => {
    lite = filled(LITE);
    full = filled();
  });

  test('has the rules tables of a full database, and nothing else below its height', () => {
    const [own, all] = [contents(lite), contents(full)];
    for (const table of ['blocks', 'amounts', 'outputs', 'key_images'])
      expect([table, own[table]]).toEqual([table, all[table]]);
    const first = full.reader.blockStamps(LITE - 1, LITE)[0]!.generatedTransactions;
    const from = (lowest: number) => (row: string) => row.startsWith('0|') || Number(row.split('|')[0]) >= lowest;
    expect(own['block_bodies']).toEqual(all['block_bodies']!.filter(from(LITE)));
    expect(own['transactions']).toEqual(all['transactions']!.filter(from(first)));
    expect(own['signatures']).toEqual(all['signatures']!.filter(from(first)));
    expect(lite.reader.floors()).toEqual({ bodies: LITE, records: LITE, lite: LITE });
    expect(rulesDigest(lite.reader)).toBe(rulesDigest(full.reader));
  });

  test('returns the data for rules, wallets and peers at every height', () => {
    const blocks = chainA();
    expectSame(lite.reader.factsRange(0, Infinity), full.reader.factsRange(0, Infinity));
    expectSame(lite.reader.hashes(0, Infinity), full.reader.hashes(0, Infinity));
    expectSame(lite.reader.keyImagesBetween(0, Infinity), full.reader.keyImagesBetween(0, Infinity));
    expect(lite.reader.transactionCount()).toBe(full.reader.transactionCount());
    const looks = ({ reader }: ChainDb) =>
      blocks.map(({ facts }) => [reader.heightOf(facts.hash), reader.firstHeightFrom(facts.timestamp)]);
    expectSame(looks(lite), looks(full));
    for (const amount of full.reader.amounts()) {
      const count = full.reader.outputCount(amount);
      expect(lite.reader.outputCount(amount, 200)).toBe(full.reader.outputCount(amount, 200));
      expectSame(lite.reader.outputsBetween(amount, 0, count), full.reader.outputsBetween(amount, 0, count));
    }
    const view = lite.reader.viewAt(720);
    const spent = full.reader.keyImagesBetween(0, LITE);
    expect(spent.length).toBeGreaterThan(10);
    expect(spent.map(({ image, height }) => view.keyImageHeight(image) === height)).toEqual(spent.map(() => true));
  });

  test('returns bytes, transactions, indexes and payment ids from its height on, and genesis', () => {
    const { reader } = lite;
    const expectBelowFloor = (work: () => unknown, height: number): void => {
      expect(work).toThrow(new BelowFloor(height, LITE, 'lite'));
      expect(work).toThrow(LITE_TEXT);
    };
    for (const height of [1, 100, LITE - 1]) {
      expectBelowFloor(() => reader.rawBlock(height), height);
      expectBelowFloor(() => reader.scanBlocks(height, height + 1), height);
      expectBelowFloor(() => reader.transactionHashes(height), height);
      expectBelowFloor(() => reader.globalIndexes(height), height);
      expectBelowFloor(() => reader.paymentIdsBetween(height, Infinity), height);
    }
    expectBelowFloor(() => reader.rawBlocks(0, 10), 1);
    expectBelowFloor(() => reader.globalIndexesRange(-5, 400), 1);
    expectBelowFloor(() => reader.rawBlocks(250, 320), 250);
    expect(() => reader.scanTransactions(5, 9)).toThrow(LITE_TEXT);
    expect(() => reader.scanTransactions(0, 2)).toThrow(LITE_TEXT);
    for (const [start, end] of [
      [0, 1],
      [LITE, 721],
      [700, Infinity],
      [721, 800],
    ] as const) {
      expectSame(reader.rawBlocks(start, end), full.reader.rawBlocks(start, end));
      expectSame(reader.scanBlocks(start, end), full.reader.scanBlocks(start, end));
      expectSame(reader.globalIndexesRange(start, end), full.reader.globalIndexesRange(start, end));
    }
    expectSame(reader.scanTransactions(0, 1), full.reader.scanTransactions(0, 1));
    const { length } = full.reader.scanBlocks(0, LITE).hashes;
    expectSame(reader.scanTransactions(length, length + 5), full.reader.scanTransactions(length, length + 5));
    const requested = chainA().map((block) => ({ block, hashes: transactionsOf(block).map(({ hash }) => hash) }));
    const responsesOf = (from: ChainReader, hash: Buffer) => [
      from.transactionHeight(hash),
      from.outputIndexes(hash),
      from.transaction(hash),
    ];
    const unknown = [undefined, undefined, undefined];
    expectSame(
      requested.map(({ hashes }) => hashes.map((hash) => responsesOf(reader, hash))),
      requested.map(({ block, hashes }) => {
        const isKept = block.facts.height === 0 || block.facts.height >= LITE;
        return hashes.map((hash) => (isKept ? responsesOf(full.reader, hash) : unknown));
      }),
    );
  });

  test('is not rewound below its height; above it, a rewind and the same blocks restore the same state', () => {
    const before = contents(lite);
    const refusal = new BelowFloor(LITE - 1, LITE, 'lite');
    expect(() => writerOf(lite).rewindTo(LITE - 2)).toThrow(refusal);
    expect(() => writerOf(lite).switchBranch(LITE - 2, chainA().slice(LITE - 1), true)).toThrow(refusal);
    expect(() => writerOf(lite).pruneStep(500)).toThrow(RefusedChange);
    expect(contents(lite)).toEqual(before);
    for (const height of [600, LITE, LITE - 1]) {
      writerOf(lite).rewindTo(height);
      const twin = filled(LITE, height + 1);
      expect(contents(lite)).toEqual(contents(twin));
    }
    writerOf(lite).append(chainA().slice(LITE));
    expect(contents(lite)).toEqual(before);
  });
});

test('payment ids are counted from the height on', () => {
  const genesis = chainA().slice(0, 1);
  const plan = (salt: number) => ({ salt, transactions: [{ amounts: [7], inputs: 1, paymentId: 1 }] });
  const chain = [
    ...genesis,
    ...makeChain(
      Array.from({ length: 9 }, (_, i) => plan(i)),
      genesis,
    ),
  ];
  const db = openHere({ lite: 6 });
  writerOf(db).append(chain);
  const carriers = chain.slice(6).map(({ transactions }) => transactions[0]!);
  const paymentId = plainPaymentId(carriers[0]!.transaction.extra)!;
  expect(db.reader.paymentIdUses(paymentId)).toBe(4);
  expect(db.reader.transactionsByPaymentId(paymentId, 0, 4)).toEqual(carriers.map(({ hash }) => hash));
  expect(db.reader.paymentIdsBetween(6, 10)).toHaveLength(4);
  expect(db.reader.paymentIdsBetween(0, 1)).toEqual([]);
  writerOf(db).rewindTo(5);
  expect(db.reader.paymentIdUses(paymentId)).toBe(0);
});

test('rejects every rewind until it reaches its height, and the next start continues', () => {
  const db = filled(LITE, 120);
  expect(() => writerOf(db).rewindTo(118)).toThrow(BelowFloor);
  expect(writerOf(db).rewindTo(119)).toEqual([]);
  expect(db.reader.height()).toBe(119);
  expect(rulesDigest(db.reader)).toBe(rulesDigest(filled(undefined, 120).reader));
  db.close();
  const again = openHere({ directory: db.directory, lite: LITE });
  writerOf(again).append(chainA().slice(120));
  expect(contents(again)).toEqual(contents(filled(LITE)));
});

describe('mode of a database', () => {
  const textOf = (work: () => unknown): string => {
    try {
      work();
      return 'nothing was thrown';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const open = (directory: string, lite?: number, readonly = false) =>
    openChainDb({ directory, network: 'devnet', lite, readonly }).close();

  test('is enforced by later opens', () => {
    const db = filled(LITE, 30);
    const before = contents(db);
    db.close();
    const { directory } = db;
    expect(() => open(directory)).toThrow(LiteDatabase);
    expect(textOf(() => open(directory))).toBe(
      'This database was built as a lite node from height 300, so it does not hold the block data a full node serves. ' +
        'Restart with --lite --lite-height 300, or delete the data directory to sync a full node from scratch.',
    );
    for (const readonly of [false, true]) {
      expect(() => open(directory, 301, readonly)).toThrow(LiteHeightDiffers);
      expect(textOf(() => open(directory, 301, readonly))).toBe(
        'This database was built as a lite node from height 300, not 301. The stored height cannot be changed - blocks below ' +
          'it were never written. Restart with --lite-height 300, or delete the data directory to rebuild at a different height.',
      );
    }
    open(directory, LITE, true);
    open(directory, undefined, true);
    expect(contents(openHere({ directory, lite: LITE }))).toEqual(before);
  });

  test('a full database never becomes a lite one', () => {
    const db = filled(undefined, 30);
    const before = contents(db);
    db.close();
    const { directory } = db;
    expect(() => open(directory, LITE)).toThrow(NotALiteDatabase);
    expect(textOf(() => open(directory, LITE))).toBe(
      '--lite can only be chosen for a new database. This one already holds a chain that was synced in full, and nothing here ' +
        'will delete it for you. Point --data-dir at an empty directory, or remove this one yourself, to build a lite node.',
    );
    expect(contents(openHere({ directory }))).toEqual(before);
  });

  test.each<[string, (connection: SqliteConnection) => void]>([
    ['no height', (connection) => writeMeta(connection, 'lite_node_profile', 'lite:')],
    ['another text', (connection) => writeMeta(connection, 'lite_node_profile', 'light:300')],
    ['lost', (connection) => connection.exec("DELETE FROM meta WHERE key = 'lite_node_profile'")],
  ])('an unreadable mark is an error: %s', (_, damage) => {
    const db = filled(LITE, 330);
    db.close();
    edit(db.directory, damage);
    for (const [lite, readonly] of [
      [undefined, false],
      [LITE, false],
      [LITE, true],
    ] as const) {
      expect(() => open(db.directory, lite, readonly)).toThrow(UnreadableLiteMark);
      expect(textOf(() => open(db.directory, lite, readonly))).toBe(
        'The lite-node marker in this database is unreadable. Refusing to start rather than guess how it was built. Remove ' +
          'the data directory to rebuild.',
      );
    }
  });

  test.each([0, -1, 1.5, NaN, 1e12])('%p is not a lite height', (lite) => {
    expect(() => openHere({ directory: freshDirectory(), lite })).toThrow(RangeError);
  });
});
