import { VerifiedBlock } from '@wrkz/consensus';
import { FileVanished, SqliteConnection } from '@wrkz/sqlite';
import {
  CorruptDatabase,
  databaseFile,
  KeyImageSpent,
  RefusedChange,
  verifyChain,
  WriterFailed,
  WrongLink,
} from '../src';
import { rmSync } from 'node:fs';
import { chainA } from './support/chain-a';
import { cleanUp, openHere, writerOf } from './support/directories';
import { makeChain } from './support/maker';
import { contents, fingerprint } from './support/tables';

afterEach(cleanUp);

test('accepts only verified blocks', () => {
  const db = openHere();
  const [genesis, first] = chainA() as [VerifiedBlock, VerifiedBlock];
  writerOf(db).append([genesis]);
  const { block, transactions, facts, fees, checkpointed } = first;
  const copy = { block, transactions, facts, fees, checkpointed } as unknown as VerifiedBlock;
  expect(() => writerOf(db).append([copy])).toThrow(TypeError);
  expect(() => writerOf(db).putAlternative(copy)).toThrow(TypeError);
  expect(db.reader.height()).toBe(0);
});

test('each block must follow the previous one, starting with genesis; a gap rolls back the batch', () => {
  const db = openHere();
  const blocks = chainA();
  expect(() => writerOf(db).append(blocks.slice(1, 3))).toThrow(WrongLink);
  expect(db.reader.height()).toBe(-1);
  writerOf(db).append(blocks.slice(0, 100));
  const before = contents(db);
  expect(() => writerOf(db).append(blocks.slice(101, 103))).toThrow(WrongLink);
  expect(() => writerOf(db).append(blocks.slice(99, 103))).toThrow(WrongLink);
  expect(() => writerOf(db).append([...blocks.slice(100, 110), ...blocks.slice(111, 112)])).toThrow(WrongLink);
  expect(contents(db)).toEqual(before);
  writerOf(db).append([]);
  writerOf(db).append(blocks.slice(100, 110));
  expect(db.reader.height()).toBe(109);
  const twin = openHere();
  writerOf(twin).append(blocks.slice(0, 110));
  expect(contents(db)).toEqual(contents(twin));
  expect(() => writerOf(db).rewindTo(110)).toThrow(RangeError);
  expect(() => writerOf(db).rewindTo(-1)).toThrow(RangeError);
  expect(writerOf(db).rewindTo(109)).toEqual([]);
});

test('rejects a block that spends an image again, of the chain or of the batch, and rolls back the batch', () => {
  const db = openHere();
  const plan = (salt: number, imagesOf?: string) => ({
    salt,
    transactions: [{ amounts: [7], inputs: 1, ...(imagesOf === undefined ? {} : { imagesOf }) }],
  });
  const [genesis] = chainA();
  if (genesis === undefined) throw new Error('genesis is missing');
  const main = makeChain([plan(1), plan(2), plan(3)], [genesis]);
  const again = makeChain([plan(4, '1/1/0'), plan(5)], [genesis, ...main]);
  const twice = makeChain([plan(6), plan(7, '4/6/0')], [genesis, ...main]);
  writerOf(db).append([genesis, ...main]);
  const before = contents(db);
  for (const [blocks, where] of [
    [again, /block 4 spends the key image [0-9a-f]{64}, which block 1 spent$/],
    [twice, /block 5 spends the key image [0-9a-f]{64}, which block 4 spent$/],
  ] as const) {
    expect(() => writerOf(db).append(blocks)).toThrow(KeyImageSpent);
    expect(() => writerOf(db).append(blocks)).toThrow(where);
  }
  expect(() =>
    writerOf(db).switchBranch(2, makeChain([plan(8, '1/1/0')], [genesis, ...main.slice(0, 2)]), true),
  ).toThrow(/block 3 spends the key image [0-9a-f]{64}, which block 1 spent$/);
  // Key images that only the replaced blocks spent are unspent on the new branch.
  writerOf(db).append(makeChain([plan(9)], [genesis, ...main]));
  writerOf(db).rewindTo(3);
  expect(contents(db)).toEqual(before);
  expect(writerOf(db).failed).toBeUndefined();
  writerOf(db).switchBranch(2, makeChain([plan(10, '3/3/0'), plan(11)], [genesis, ...main.slice(0, 2)]), false);
  expect(db.reader.height()).toBe(4);
});

test('rejects a block with wrong cumulative values, or with other transactions than it lists', () => {
  const db = openHere();
  const [genesis] = chainA() as [VerifiedBlock];
  const [block] = makeChain([{ salt: 1, transactions: [1, 2].map((inputs) => ({ amounts: [7], inputs })) }], [genesis]);
  if (block === undefined) throw new Error('the block is missing');
  const { facts, transactions } = block;
  const changed = (parts: Partial<Pick<VerifiedBlock, 'facts' | 'transactions'>>): VerifiedBlock =>
    Object.create(VerifiedBlock.prototype, {
      block: { value: block.block },
      transactions: { value: parts.transactions ?? transactions },
      facts: { value: parts.facts ?? facts },
    }) as VerifiedBlock;
  writerOf(db).append([genesis]);
  const before = contents(db);
  for (const bad of [
    changed({ facts: { ...facts, cumulativeDifficulty: facts.cumulativeDifficulty + 1n } }),
    changed({ facts: { ...facts, generatedTransactions: facts.generatedTransactions + 1 } }),
    changed({ transactions: [...transactions].reverse() }),
  ]) {
    expect(() => writerOf(db).append([bad])).toThrow(RefusedChange);
    expect(contents(db)).toEqual(before);
  }
  writerOf(db).append([changed({})]);
  expect(db.reader.height()).toBe(1);
});

/** Rows with the keys of the next block's rows. */
test.each([
  ['block_bodies', 'INSERT INTO block_bodies SELECT 300, codec, body FROM block_bodies WHERE height = 7'],
  ['transactions', 'UPDATE transactions SET id = id + 1 WHERE id = (SELECT max(id) FROM transactions)'],
])('a conflicting row in %s is damage, not an invalid block', (_, sql) => {
  const db = openHere();
  const blocks = chainA();
  writerOf(db).append(blocks.slice(0, 300));
  const connection = new SqliteConnection(databaseFile(db.directory));
  connection.exec(sql);
  connection.close();
  expect(() => writerOf(db).append(blocks.slice(300, 301))).toThrow(CorruptDatabase);
  const after = new SqliteConnection(databaseFile(db.directory));
  expect(after.prepare('SELECT max(height) FROM blocks').raw(true).get()).toEqual([299]);
  after.close();
});

test('a missing output is damage, an index beyond the last one is not', () => {
  const db = openHere();
  writerOf(db).append(chainA().slice(0, 300));
  const view = db.reader.viewAt(299);
  const [amount, count] = [100n, db.reader.outputCount(100n)];
  expect(count).toBeGreaterThan(3);
  expect(view.output(amount, count)).toBeUndefined();
  const connection = new SqliteConnection(databaseFile(db.directory));
  connection
    .prepare('DELETE FROM outputs WHERE amount_id = (SELECT id FROM amounts WHERE amount = ?) AND global_index = 1')
    .run(amount);
  connection.close();
  expect(() => view.output(amount, 1)).toThrow(CorruptDatabase);
  expect(view.output(amount, 2)).toBeDefined();
});

test('the next change fails the writer if the folder was deleted while the database is open', () => {
  const db = openHere();
  const blocks = chainA();
  writerOf(db).append(blocks.slice(0, 10));
  db.checkInPlace();
  rmSync(db.directory, { recursive: true });
  expect(() => db.checkInPlace()).toThrow(FileVanished);
  expect(() => writerOf(db).append(blocks.slice(10, 20))).toThrow(WriterFailed);
  expect(writerOf(db).failed?.message).toMatch(
    /can no longer be written: .*chain\.sqlite of the open chain database was removed or moved/,
  );
  expect(() => writerOf(db).rewindTo(3)).toThrow(WriterFailed);
});

test('a full disk closes the writer; the file has the previous state and can be opened again', async () => {
  const db = openHere();
  const blocks = chainA();
  writerOf(db).append(blocks.slice(0, 300));
  const before = fingerprint(db);
  // A limit on the size of the file causes the same error as a full disk.
  const connection = Reflect.get(writerOf(db), 'connection') as SqliteConnection;
  const pages = connection.pragma('page_count', { simple: true }) as number;
  connection.pragma(`max_page_count = ${pages + 20}`);
  expect(() => writerOf(db).append(blocks.slice(300))).toThrow(WriterFailed);
  expect(connection.open).toBe(false);
  expect(() => writerOf(db).append(blocks.slice(300, 301))).toThrow(WriterFailed);
  expect(() => writerOf(db).rewindTo(10)).toThrow(WriterFailed);
  expect(writerOf(db).failed?.message).toMatch(
    /can no longer be written: the disk is full: cannot write the chain database .*--data-dir$/,
  );
  expect(fingerprint(db)).toEqual(before);
  expect(db.reader.height()).toBe(299);
  db.close();

  const again = openHere({ directory: db.directory });
  expect((await verifyChain(again)).problems).toEqual([]);
  writerOf(again).append(blocks.slice(300));
  expect(again.reader.height()).toBe(720);
});

test('a reader sees one state within a snapshot, and the writer does not wait for it', () => {
  const db = openHere();
  const blocks = chainA();
  writerOf(db).append(blocks.slice(0, 100));
  const view = db.reader.viewAt(99);
  const other = db.openReader();
  db.reader.snapshot(() => {
    expect(db.reader.tip().height).toBe(99);
    writerOf(db).append(blocks.slice(100, 200));
    writerOf(db).rewindTo(150);
    expect(db.reader.tip().height).toBe(99);
    expect(db.reader.facts(100)).toBeUndefined();
    expect(db.reader.snapshot(() => db.reader.height())).toBe(99);
    expect(other.height()).toBe(150);
  });
  expect(db.reader.height()).toBe(150);
  expect(view.height).toBe(99);
  expect(() => view.facts(100)).toThrow(RangeError);
  expect(() => db.reader.snapshot(() => Promise.resolve(1))).toThrow(TypeError);
  expect(() =>
    db.reader.snapshot(() => {
      throw new Error('mine');
    }),
  ).toThrow('mine');
  expect(db.reader.height()).toBe(150);
});

test('closing during a long read loses nothing', () => {
  const db = openHere();
  const blocks = chainA();
  writerOf(db).append(blocks.slice(0, 100));
  const other = openHere({ directory: db.directory, readonly: true });
  other.reader.snapshot(() => {
    expect(other.reader.height()).toBe(99);
    writerOf(db).append(blocks.slice(100, 300));
    db.close();
    expect(other.reader.height()).toBe(99);
  });
  expect(other.reader.height()).toBe(299);
  expect(openHere({ directory: db.directory }).reader.height()).toBe(299);
});
