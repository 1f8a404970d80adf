import { CorruptDatabase, KeyImageSpent } from '../src';
import type { ChainReader } from '../src/reader/reader';
import { explainConflict } from '../src/writer/conflict';
import { chainA } from './support/chain-a';

/* Who is to blame when the tables refuse blocks: a block only for an image that a block below it really spends. */

const from = 300;
const blocks = chainA().slice(from, 400);
const spending = blocks.flatMap(({ transactions, facts: { height } }) =>
  transactions.flatMap(({ transaction: { inputs } }) =>
    inputs.flatMap((input) => (input.type === 'key' ? [{ image: input.keyImage, height }] : [])),
  ),
);
const [first] = spending as [{ image: Buffer; height: number }];

/** A chain that says of the first image that it was spent at this height, which is true or is not. */
const saying = (height: number, isTrue: boolean): ChainReader =>
  ({
    keyImageHeight: (image: Buffer) => (image.equals(first.image) ? height : undefined),
    spends: () => isTrue,
  }) as never;

const damage = new CorruptDatabase('what is stored contradicts a new block (why)');

test('an image that a block below really spends is the fault of the block', () => {
  const expected = new KeyImageSpent(first.image, first.height, from - 1);
  expect(explainConflict(saying(from - 1, true), blocks, 'why')).toEqual(expected);
});

test('an entry that says so of a block that does not spend it is damage', () => {
  expect(explainConflict(saying(from - 1, false), blocks, 'why')).toEqual(damage);
});

test('an image that the replaced branch spends may be spent by the one that replaces it', () => {
  expect(explainConflict(saying(from, true), blocks, 'why')).toEqual(damage);
});
