import type { ParsedBlock, ParsedTransaction } from '@wrkz/core-types';
import { inListedOrder } from '../src/listed-order';

/* What delivered transactions become before 600,000 (docs/protocol/blocks.md#transaction-list). Letters stand for them. */

const transaction = (name: string): ParsedTransaction => ({ name, hash: Buffer.alloc(32, name) }) as never;
const listing = (names: string): ParsedBlock =>
  ({ block: { transactionHashes: [...names].map((name) => Buffer.alloc(32, name)) } }) as never;

/** The names of what consensus goes on with. */
function ordered(listed: string, delivered: string): string {
  const result = inListedOrder(listing(listed), [...delivered].map(transaction));
  return result.map((one) => (one as unknown as { name: string }).name).join('');
}

test.each([
  ['', '', ''],
  ['abc', 'abc', 'abc'],
  ['abc', 'cab', 'abc'],
  ['abcd', 'dcba', 'abcd'],
])('sorts for a block that lists %j the delivery %j to %j', (listed, delivered, expected) => {
  expect(ordered(listed, delivered)).toBe(expected);
});

test.each([
  ['ab', 'bac'],
  ['abc', 'ba'],
  ['ab', 'bc'],
  ['ab', 'bb'],
  ['aa', 'ab'],
  ['aa', 'ba'],
  ['aab', 'bba'],
  ['aab', 'abb'],
])('leaves for a block that lists %j the invalid delivery %j unchanged', (listed, delivered) => {
  expect(ordered(listed, delivered)).toBe(delivered);
});
