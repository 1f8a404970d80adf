import { damageIn, openChainDb } from '../src';
import { questionsAbout } from './support/answers';
import { chainA } from './support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { askAll, pagesByTable, withFlippedBit } from './support/flips';
import { makeChain } from './support/maker';
import { databaseFile } from '../src/connection';
import { PAGE_SIZE, TABLES } from '../src/schema';

afterAll(cleanUp);

/** Bits flipped in each page of a table; the slow test flips more bits of a longer chain. */
const FLIPS = 6;

const plan = (salt: number) => ({
  salt,
  transactions: [
    { amounts: [7, 900], inputs: 2, unlockTime: 60n },
    { amounts: [7], inputs: 1, paymentId: salt % 3 },
  ],
});
const genesis = chainA().slice(0, 1);
const blocks = [
  ...genesis,
  ...makeChain(
    Array.from({ length: 25 }, (_, i) => plan(i)),
    genesis,
  ),
];
const alternatives = makeChain([plan(50), plan(51)], blocks.slice(0, 24));
const directory = freshDirectory();
const db = openHere({ directory });
writerOf(db).append(blocks);
for (const block of alternatives) writerOf(db).putAlternative(block);
writerOf(db).digestStep();
const questions = questionsAbout(blocks, alternatives);
const right = questions.map(({ request }) => request(db.reader));
db.close();
const pages = pagesByTable(directory);

test('the damaged pages cover every table', () => {
  expect([...pages.keys()]).toEqual(expect.arrayContaining([...TABLES]));
});

test('an intact database returns everything', () => {
  expect(askAll(directory, questions, right)).toEqual({ damaged: 0, wrong: [] });
});

// Bits of the cells, at the end of a page, and of the header and the cell pointers, at its start.
test.each([...pages].filter(([name]) => name !== 'sqlite_schema'))(
  'a flipped bit in %s leads to a named error or the correct result',
  (name, own) => {
    let damaged = 0;
    let seed = name.length;
    const random = (limit: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return Math.floor((seed / 2 ** 32) * limit);
    };
    for (const page of own) {
      for (let i = 0; i < FLIPS; i++) {
        const bit = i % 4 === 0 ? random(256) : PAGE_SIZE * 8 - 1 - random(name === 'signatures' ? 60_000 : 8_000);
        const responses = withFlippedBit(directory, page, bit, () => askAll(directory, questions, right));
        expect({ name, page, bit, wrong: responses.wrong }).toEqual({ name, page, bit, wrong: [] });
        damaged += responses.damaged;
      }
    }
    // Amounts are read from their index, and the table reveals its lost entries; pages of other tables may have no rows.
    if (TABLES.some((table) => table === name && table !== 'amounts')) expect(damaged).toBeGreaterThan(0);
  },
);

test('the error contains the file, the page, its table and its blocks', () => {
  const [page] = pages.get('signatures') ?? [];
  const result = withFlippedBit(directory, page as number, PAGE_SIZE * 8 - 1_000, () => {
    const opened = openChainDb({ directory, network: 'devnet', readonly: true });
    try {
      return opened.reader.rawBlocks(0, Infinity);
    } catch (error) {
      return error;
    } finally {
      opened.close();
    }
  });
  expect(damageIn(result)).toMatchObject({
    name: 'CorruptDatabase',
    message: `the chain database is damaged: ${databaseFile(directory)}: page ${String(page)} of signatures (blocks 0 to 25) does not fit its checksum`,
    remedy: expect.stringContaining('--verify') as string,
  });
});
