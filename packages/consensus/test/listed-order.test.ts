import type { ParsedBlock, ParsedTransaction } from '@wrkz/core-types';
import { inListedOrder } from '../src/block';

/* The order of delivered transactions before 600,000 (docs/protocol/blocks.md#transaction-list). Letters name transactions. */

const transaction = (name: string): ParsedTransaction => ({ name, hash: Buffer.alloc(32, name) }) as never;
const listing = (names: string): ParsedBlock =>
  ({ block: { transactionHashes: [...names].map((name) => Buffer.alloc(32, name)) } }) as never;

/** The names of the resulting transactions, in order. */
function ordered(listed: string, delivered: string): string {
  const result = inListedOrder(listing(listed), [...delivered].map(transaction));
  return result.map((one) => (one as unknown as { name: string }).name).join('');
}

test.each([
  ['', '', ''],
  ['abc', 'abc', 'abc'],
  ['abc', 'cab', 'abc'],
  ['abcd', 'dcba', 'abcd'],
])('for a block that lists %j the delivery %j is sorted to %j', (listed, delivered, expected) => {
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
])('for a block that lists %j the invalid delivery %j is unchanged', (listed, delivered) => {
  expect(ordered(listed, delivered)).toBe(delivered);
});
