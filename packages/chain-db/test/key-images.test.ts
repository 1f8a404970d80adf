import { genesisBlock, VerifiedBlock } from '@wrkz/consensus';
import { SqliteConnection } from '@wrkz/sqlite';
import { CorruptDatabase, KeyImageSpent, databaseFile, verifyChain, type ChainDb } from '../src';
import { chainA, devnet } from './support/chain-a';
import { cleanUp, openHere, writerOf } from './support/directories';
import { makeChain } from './support/maker';
import { SHORT_RUNS } from './support/small-runs';
import { fingerprint } from './support/tables';

afterEach(cleanUp);

const spending = (salt: number) => ({ salt, transactions: [{ amounts: [5], inputs: 3 }] });

/** A block with the transactions of another one, as a dishonest peer may send it. */
function withTransactionsOf(block: VerifiedBlock, other: VerifiedBlock): VerifiedBlock {
  return Object.create(VerifiedBlock.prototype, {
    block: { value: block.block },
    transactions: { value: other.transactions },
    facts: { value: block.facts },
  }) as VerifiedBlock;
}

function imagesOf({ transactions }: VerifiedBlock): Buffer[] {
  return transactions.flatMap(({ transaction }) =>
    transaction.inputs.flatMap((input) => (input.type === 'key' ? [input.keyImage] : [])),
  );
}

function expectImages(db: ChainDb, blocks: readonly VerifiedBlock[]): void {
  for (const block of blocks) {
    const { height } = block.facts;
    for (const image of imagesOf(block)) expect(db.reader.keyImageHeight(image)).toBe(height);
    expect(db.reader.keyImagesBetween(height, height + 1)).toEqual(imagesOf(block).map((image) => ({ image, height })));
  }
}

test('rejects an image that the same change, a recent block or an old run has spent, and changes nothing', () => {
  const db = openHere({ hashIndex: SHORT_RUNS });
  const genesis = genesisBlock(devnet);
  const blocks = makeChain(Array.from({ length: 20 }, (_, i) => spending(i)));
  const [tip] = blocks.slice(-1) as [VerifiedBlock];
  const below = blocks.slice(0, -1);
  const last = below.at(-1) as VerifiedBlock;
  expect(() => writerOf(db).append([genesis, ...below, withTransactionsOf(tip, last)])).toThrow(KeyImageSpent);
  expect(db.reader.height()).toBe(-1);
  for (const block of [genesis, ...below]) writerOf(db).append([block]);
  const before = fingerprint(db);
  for (const again of below) {
    const error = new KeyImageSpent(imagesOf(again)[0] as Buffer, tip.facts.height, again.facts.height);
    expect(() => writerOf(db).append([withTransactionsOf(tip, again)])).toThrow(error);
  }
  expect(fingerprint(db)).toEqual(before);
  writerOf(db).append([tip]);
  expectImages(db, blocks);
});

test('an image that a rewind removed can be spent again, in any run of the index', async () => {
  const db = openHere({ hashIndex: SHORT_RUNS });
  const blocks = chainA();
  for (let height = 0; height < 400; height += 10) writerOf(db).append(blocks.slice(height, height + 10));
  expectImages(db, blocks.slice(0, 400));
  writerOf(db).rewindTo(150);
  for (const block of blocks.slice(151, 400)) {
    for (const image of imagesOf(block)) expect(db.reader.keyImageHeight(image)).toBeUndefined();
  }
  expect(db.reader.keyImagesBetween(151, Infinity)).toEqual([]);
  writerOf(db).append(blocks.slice(151, 400));
  expectImages(db, blocks.slice(0, 400));
  expect((await verifyChain(db)).problems).toEqual([]);
});

test('pages freed by merges are reused: appends and rewinds do not grow the file', () => {
  const db = openHere({ hashIndex: SHORT_RUNS });
  const blocks = chainA();
  const pages = (): number => {
    const connection = new SqliteConnection(databaseFile(db.directory), { readonly: true });
    const count = connection.pragma('page_count', { simple: true }) as number;
    connection.close();
    return count;
  };
  const up = (from: number): void => {
    for (let height = from; height < 600; height += 10) writerOf(db).append(blocks.slice(height, height + 10));
  };
  up(0);
  const first = pages();
  for (let round = 0; round < 4; round++) {
    writerOf(db).rewindTo(299);
    up(300);
  }
  expect(pages()).toBeLessThan(first * 1.1);
});

test('a damaged row, height or entry is an error, not an unspent key image', () => {
  const db = openHere();
  const blocks = chainA().slice(0, 300);
  writerOf(db).append(blocks);
  const spent = blocks.flatMap(imagesOf);
  const tamper = (sql: string): void => {
    const connection = new SqliteConnection(databaseFile(db.directory));
    connection.exec(sql);
    connection.close();
  };
  const lookAll = () => spent.map((image) => db.reader.keyImageHeight(image));
  expect(lookAll()).not.toContain(undefined);
  tamper('UPDATE key_images SET image = zeroblob(32) WHERE id = 3');
  expect(lookAll).toThrow(CorruptDatabase);
  tamper(
    `UPDATE key_images SET image = x'${(spent[3] as Buffer).toString('hex')}', height = height + 4096 WHERE id = 3`,
  );
  expect(lookAll).toThrow(CorruptDatabase);
  tamper('UPDATE key_images SET height = height - 4096 WHERE id = 3; DELETE FROM key_images WHERE id = 5');
  expect(lookAll).toThrow(CorruptDatabase);
});
