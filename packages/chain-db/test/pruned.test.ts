import { decodeTransactionPrefix, parseExtraWallet } from '@wrkz/core-types';
import { SqliteConnection } from '@wrkz/sqlite';
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { BelowFloor, CorruptDatabase, databaseFile, type ChainDb, verifyChain } from '../src';
import { chainA } from './support/chain-a';
import { runProgram } from './support/child';
import { cleanUp, openHere, writerOf } from './support/directories';
import { pruneTo } from './support/modes';
import { contents } from './support/tables';

afterEach(cleanUp);

function edit(db: ChainDb, change: (connection: SqliteConnection) => void): void {
  const connection = new SqliteConnection(databaseFile(db.directory));
  try {
    change(connection);
  } finally {
    connection.close();
  }
}

function chainAFilled(): ChainDb {
  const db = openHere();
  writerOf(db).append(chainA());
  return db;
}

test('a scan returns the wallet data of each block', () => {
  const { reader } = chainAFilled();
  const blocks = chainA();
  const { blocks: stamps, offsets, hashes, prefixes } = reader.scanBlocks(0, Infinity);
  expect(stamps.map(({ height, hash, timestamp }) => ({ height, hash, timestamp }))).toEqual(
    blocks.map(({ facts: { height, hash, timestamp } }) => ({ height, hash, timestamp })),
  );
  const all = blocks.flatMap(({ block, transactions }) => [block.coinbase, ...transactions]);
  expect(hashes).toEqual(all.map(({ hash }) => hash));
  expect(prefixes).toEqual(all.map(({ prefixBytes }) => prefixBytes));
  expect(offsets).toEqual(
    blocks.reduce((sums, { transactions }) => [...sums, sums[sums.length - 1]! + 1 + transactions.length], [0]),
  );
  const part = reader.scanBlocks(700, 703);
  expect(part.prefixes).toEqual(prefixes.slice(offsets[700], offsets[703]));
  expect(part.offsets).toEqual(offsets.slice(700, 704).map((offset) => offset - offsets[700]!));
  expect(reader.scanBlocks(721, 730)).toEqual({ blocks: [], offsets: [0], hashes: [], prefixes: [] });
  expect(reader.blockStamps(-5, 2)).toEqual(stamps.slice(0, 2));
});

test('the floor is at most the height above the tip', () => {
  const db = openHere();
  writerOf(db).append(chainA().slice(0, 11));
  expect(() => writerOf(db).pruneStep(12)).toThrow(RangeError);
  pruneTo(db, 11);
  expect(db.reader.floors().bodies).toBe(11);
});

test('without bodies and signatures all other data is returned, and space is freed', () => {
  const db = chainAFilled();
  const { reader } = db;
  const scan = reader.scanBlocks(0, Infinity);
  const images = reader.keyImagesBetween(0, Infinity);
  const indexes = reader.globalIndexesRange(0, Infinity);
  edit(db, (connection) => connection.pragma('wal_checkpoint(TRUNCATE)'));
  const before = statSync(databaseFile(db.directory)).size;
  pruneTo(db, 600);
  expect(statSync(databaseFile(db.directory)).size).toBeLessThan(before * 0.75);

  expect(reader.scanBlocks(0, Infinity)).toEqual(scan);
  expect(reader.keyImagesBetween(0, Infinity)).toEqual(images);
  expect(reader.globalIndexesRange(0, Infinity)).toEqual(indexes);
  const extra = decodeTransactionPrefix(scan.prefixes[400]!).extra;
  expect(parseExtraWallet(extra).publicKey).not.toEqual(Buffer.alloc(32));
  expect(reader.rawBlocks(600, 721)).toHaveLength(121);
  expect(reader.rawBlock(0)?.block).toEqual(chainA()[0]!.block.bytes);
  expect(() => reader.rawBlock(599)).toThrow(new BelowFloor(599, 600));
  const spending = chainA()
    .slice(0, 600)
    .flatMap(({ transactions }) => transactions)
    .pop()!;
  expect(() => reader.transaction(spending.hash)).toThrow(BelowFloor);
  // A coinbase has no signatures: its prefix is the whole transaction.
  expect(reader.transaction(scan.hashes[0]!)?.bytes).toEqual(scan.prefixes[0]);
});

test('a rewind stops at the floor; above it the state is as if the blocks had never been stored', () => {
  const db = chainAFilled();
  pruneTo(db, 600);
  const before = contents(db);
  expect(() => writerOf(db).rewindTo(598)).toThrow(new BelowFloor(599, 600));
  expect(() => writerOf(db).switchBranch(598, chainA().slice(599), true)).toThrow(BelowFloor);
  expect(contents(db)).toEqual(before);

  const removed = writerOf(db).rewindTo(599);
  expect(removed.map(({ raw }) => raw?.block)).toEqual(
    chainA()
      .slice(600)
      .map(({ block }) => block.bytes),
  );
  const twin = openHere();
  writerOf(twin).append(chainA().slice(0, 600));
  pruneTo(twin, 600);
  const [own, wanted] = [contents(db), contents(twin)];
  for (const table of Object.keys(own)) expect([table, own[table]]).toEqual([table, wanted[table]]);

  writerOf(db).append(chainA().slice(600));
  expect(contents(db)).toEqual(before);
});

test('an unknown encoding is reported', () => {
  const db = openHere();
  writerOf(db).append(chainA().slice(0, 3));
  edit(db, (connection) => connection.exec('UPDATE transactions SET codec = 9 WHERE id = 1'));
  expect(() => db.reader.scanBlocks(1, 2)).toThrow(CorruptDatabase);
  expect(() => db.reader.scanBlocks(1, 2)).toThrow('row 1 of transactions has the unknown encoding 9');
  expect(db.reader.scanBlocks(2, 3).prefixes).toHaveLength(1);
});

test('a query of another process that began before still returns every body; the log is truncated afterwards', async () => {
  const db = chainAFilled();
  expect(db.cutLog()).toBe(true);
  const sum = createHash('sha256');
  for (const { block, transactions } of db.reader.rawBlocks(0, 600)) {
    for (const bytes of [block, ...transactions]) sum.update(bytes);
  }
  const long = runProgram('read-long.ts', db.directory, '600');
  expect(await long.line()).toBe('reading');
  pruneTo(db, 600);
  expect(() => db.reader.rawBlocks(1, 2)).toThrow(BelowFloor);
  const log = `${databaseFile(db.directory)}-wal`;
  expect(db.cutLog()).toBe(false);
  expect(statSync(log).size).toBeGreaterThan(0);
  long.process.stdin?.write('.');
  expect(await long.line()).toBe(sum.digest('hex'));
  expect(await long.ended).toBe(0);
  expect(db.cutLog()).toBe(true);
  expect(statSync(log, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  expect((await verifyChain(db)).problems).toEqual([]);
});
