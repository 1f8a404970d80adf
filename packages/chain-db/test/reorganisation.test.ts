import type { VerifiedBlock } from '@wrkz/consensus';
import { verifyChain, WrongLink } from '../src';
import { chainA } from './support/chain-a';
import { cleanUp, openHere, writerOf } from './support/directories';
import { makeChain, type BlockPlan } from './support/maker';
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

test('a rewind of chain A leaves what a database that never had the blocks holds', async () => {
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
}, 30_000);

test('a switch keeps the old branch as alternatives and takes the new one out of them', async () => {
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

test('alternatives outlive a restart', () => {
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

test('alternatives without a root go: on a rewind below their fork, and with a dropped parent', () => {
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

test('an alternative needs a parent and is not on the main chain; twice is once', () => {
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
