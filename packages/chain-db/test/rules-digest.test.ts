import { createHash } from 'node:crypto';
import { SqliteConnection } from '@wrkz/sqlite';
import {
  type ChainDb,
  CorruptDatabase,
  databaseFile,
  openChainDb,
  rulesDigest,
  rulesDigestAt,
  verifyChain,
} from '../src';
import { ChainReader } from '../src/reader/reader';
import { chainA } from './support/chain-a';
import { makeCoinbaseChain } from './support/coinbase-chain';
import { cleanUp, openHere, writerOf } from './support/directories';
import { pagesByTable, withFlippedBit } from './support/flips';
import { makeChain } from './support/maker';
import { pruneTo } from './support/modes';
import { flip, noPeer, repair } from './support/repairs';
import { contents } from './support/tables';
import { PAGE_SIZE } from '../src/schema';

afterEach(cleanUp);

/** More than two intervals of stored digests. */
const BLOCKS = 251;

function filled(options: Parameters<typeof openHere>[0] = {}, blocks = BLOCKS): ChainDb {
  const db = openHere(options);
  writerOf(db).append(chainA().slice(0, blocks));
  return db;
}

/** Stores all due digests, one in each step. @returns the number of steps */
function storeDigests(db: ChainDb): number {
  for (let steps = 1; ; steps++) if (writerOf(db).digestStep(0) > db.reader.height()) return steps;
}

const at = ({ reader }: ChainDb, height: number): string => rulesDigestAt(reader, height)!.digest.toString('hex');

test('digests follow from the documented format', () => {
  const amounts = [7, 5, 7, 5];
  const transaction = { amounts, inputs: 4, unlockTime: 9n };
  const chain = [chainA()[0]!, ...makeChain([{ salt: 1, transactions: [transaction, { ...transaction, inputs: 3 }] }])];
  const db = openHere();
  writerOf(db).append(chain);
  const number = (value: number | bigint): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return bytes;
  };
  let expected = createHash('sha256').update('chain rules 2').digest();
  for (const { facts, block, transactions } of chain) {
    const all = [block.coinbase.transaction, ...transactions.map((one) => one.transaction)];
    const images = all
      .flatMap(({ inputs }) => inputs.flatMap((input) => (input.type === 'key' ? [input.keyImage] : [])))
      .sort((a, b) => a.compare(b));
    const outputs = all
      .flatMap((one) => one.outputs.map((output) => ({ ...output, unlockTime: one.unlockTime })))
      .sort((a, b) => Number(a.amount - b.amount));
    const { timestamp, size, generatedTransactions, difficulty, cumulativeDifficulty, generatedCoins } = facts;
    const numbers = [timestamp, size, generatedTransactions, difficulty, cumulativeDifficulty, generatedCoins];
    const parts = [
      ...[expected, facts.hash, ...numbers.map(number), number(images.length), ...images, number(outputs.length)],
      ...outputs.flatMap(({ amount, key, unlockTime }) => [number(amount), number(unlockTime), key]),
    ];
    expected = createHash('sha256').update(Buffer.concat(parts)).digest();
    expect(at(db, facts.height)).toBe(expected.toString('hex'));
  }
});

test('a request reads at most 1,000 blocks above a stored digest, and can be cancelled every 100 blocks', () => {
  const db = openHere();
  writerOf(db).append(makeCoinbaseChain(1_100));
  const onStep = jest.fn();
  expect(rulesDigestAt(db.reader, 1_001, onStep)).toBeUndefined();
  expect(onStep).not.toHaveBeenCalled();
  expect(rulesDigestAt(db.reader, 1_000, onStep)?.height).toBe(1_000);
  expect(onStep).toHaveBeenCalledTimes(11);
  const cancelled = new Error('cancelled');
  onStep.mockImplementation(() => {
    throw cancelled;
  });
  expect(() => rulesDigestAt(db.reader, 1_000, onStep)).toThrow(cancelled);
  storeDigests(db);
  expect(rulesDigestAt(db.reader, 1_001)?.height).toBe(1_001);
});

test('a digest is the same from genesis, from a stored one, and in a chain that ends there', () => {
  const db = filled();
  const heights = [0, 1, 99, 100, 101, 200, 250];
  const before = heights.map((height) => at(db, height));
  expect(new Set(before).size).toBe(heights.length);
  expect(storeDigests(db)).toBe(3);
  expect(db.reader.storedRulesDigest(BLOCKS)).toEqual(rulesDigestAt(db.reader, 200));
  expect(heights.map((height) => at(db, height))).toEqual(before);
  expect(rulesDigest(db.reader)).toBe(at(db, 250));
  expect(rulesDigest(filled({}, 102).reader)).toBe(before[4]);
});

test('full, pruned and lite databases have the same digests', async () => {
  const full = filled();
  const pruned = filled();
  pruneTo(pruned, 240);
  const lite = filled({ lite: 150 });
  for (const db of [full, pruned, lite]) storeDigests(db);
  for (const height of [0, 120, 149, 150, 151, 250]) {
    expect([at(pruned, height), at(lite, height)]).toEqual([at(full, height), at(full, height)]);
  }
  for (const db of [full, pruned, lite]) expect((await verifyChain(db)).problems).toEqual([]);
});

test('a rewind removes the digests above, and the next pass stores them again', () => {
  const db = filled();
  storeDigests(db);
  const before = [at(db, 200), at(db, 250)];
  writerOf(db).rewindTo(150);
  expect(db.reader.storedRulesDigest(BLOCKS)?.height).toBe(100);
  writerOf(db).append(chainA().slice(151, BLOCKS));
  expect(storeDigests(db)).toBe(1);
  expect(db.reader.storedRulesDigest(BLOCKS)?.height).toBe(200);
  expect([at(db, 200), at(db, 250)]).toEqual(before);
});

test('another chain has another digest from the fork on', () => {
  const db = filled();
  const other = filled({}, 100);
  expect(at(other, 99)).toBe(at(db, 99));
  writerOf(other).switchBranch(98, chainA().slice(99, 101), false);
  expect(at(other, 100)).toBe(at(db, 100));
});

test('the pass continues where a closed database stopped, also with new blocks', () => {
  const db = filled({}, 150);
  expect(storeDigests(db)).toBe(2);
  db.close();
  const again = openHere({ directory: db.directory });
  expect(again.reader.storedRulesDigest(BLOCKS)?.height).toBe(100);
  writerOf(again).append(chainA().slice(150, BLOCKS));
  expect(writerOf(again).digestStep()).toBe(300);
  expect(at(again, 200)).toBe(at(filled(), 200));
});

test('a step that failed between two amounts is repeated from its first block', () => {
  const db = filled();
  writerOf(db).digestStep(0);
  const { outputsUpTo } = ChainReader.prototype;
  const read = jest.spyOn(ChainReader.prototype, 'outputsUpTo');
  read.mockImplementation(function (this: ChainReader, ...args) {
    if (read.mock.calls.length > 2) throw new CorruptDatabase('an invented error of the disk');
    return outputsUpTo.apply(this, args);
  });
  expect(() => writerOf(db).digestStep(0)).toThrow('invented');
  read.mockRestore();
  storeDigests(db);
  expect(at(db, 200)).toBe(at(filled(), 200));
});

test('a digest that could not be stored is stored by the next step', () => {
  const db = filled();
  writerOf(db).digestStep(0);
  const connection = new SqliteConnection(databaseFile(db.directory));
  connection.exec("INSERT INTO rules_digests VALUES (100, x'00')");
  expect(() => writerOf(db).digestStep(0)).toThrow(CorruptDatabase);
  connection.exec('DELETE FROM rules_digests WHERE height = 100');
  connection.close();
  expect(storeDigests(db)).toBe(2);
  expect(contents(db)['rules_digests']).toHaveLength(3);
});

test('a changed stored digest is found by the verification', async () => {
  const db = filled();
  storeDigests(db);
  const connection = new SqliteConnection(databaseFile(db.directory));
  connection.exec("UPDATE rules_digests SET digest = x'00' WHERE height = 100");
  connection.exec("INSERT INTO rules_digests VALUES (150, x'01')");
  connection.close();
  const { problems, rulesDigest: found } = await verifyChain(db);
  expect(problems.join('\n')).toMatch(/^rules digest 100: digest is 00, expected .*\nrules_digests: number of rows/);
  expect(found).toBe(at(filled(), 250));
});

test('a row of another block is damage and not a digest', () => {
  const db = filled();
  const connection = new SqliteConnection(databaseFile(db.directory));
  connection.exec('UPDATE key_images SET height = 5 WHERE id = (SELECT max(id) FROM key_images WHERE height <= 200)');
  connection.close();
  const reader = openChainDb({ directory: db.directory, network: 'devnet', readonly: true, besideOwn: true });
  expect(() => rulesDigest(reader.reader)).toThrow(/rows of block 5 are among those of/);
  reader.close();
});

test.each(['key_images', 'outputs', 'transactions', 'rules_digests'])(
  'a damaged page of %s is an error of the step that reads it, and the writer accepts further blocks',
  (table) => {
    const db = filled({}, 101);
    storeDigests(db);
    writerOf(db).append(chainA().slice(101, BLOCKS));
    const { directory } = db;
    db.close();
    const [page = 0] = pagesByTable(directory).get(table) ?? [];
    withFlippedBit(directory, page, PAGE_SIZE * 8 - 1, () => {
      const damaged = openHere({ directory });
      expect(() => storeDigests(damaged)).toThrow(CorruptDatabase);
      expect(writerOf(damaged).failed).toBeUndefined();
      damaged.close();
    });
    const again = openHere({ directory });
    storeDigests(again);
    expect(at(again, 200)).toBe(at(filled(), 200));
  },
);

test.each(['pruned', 'lite'] as const)(
  'a damaged page of digests of a %s database is repaired without blocks',
  async (mode) => {
    const options = mode === 'lite' ? { lite: 150 } : {};
    const db = filled(options);
    storeDigests(db);
    if (mode === 'pruned') pruneTo(db, 240);
    const { directory } = db;
    db.close();
    flip(directory, (pagesByTable(directory).get('rules_digests')?.[0] ?? 0) * PAGE_SIZE * 8 - 333);
    expect(await repair(directory, noPeer)).toMatchObject({ outcome: 'pages repaired', pages: 1, fetched: 0 });
    const again = openHere({ directory, ...options });
    expect(again.reader.storedRulesDigest(BLOCKS)?.height).toBe(0);
    expect(storeDigests(again)).toBe(2);
    expect(at(again, 200)).toBe(at(filled(), 200));
  },
);
