import { networkOf } from '@wrkz/core-types';
import { validatePrefix } from '../src/prefix';
import { keyInput, makePrefix } from './support/helper';

/* The largest accepted values of a prefix. */

const KEY = Buffer.alloc(32, 7);
const MAX_UINT64 = (1n << 64n) - 1n;
const outputs = (...amounts: bigint[]) => amounts.map((amount) => ({ amount, key: KEY }));
const price = (bytes: Buffer, maxDifficulty = 10n ** 15n) =>
  validatePrefix(bytes, { network: networkOf('mainnet'), height: undefined, maxDifficulty });

test('accepts 90 outputs and a ring of 128, and counts inputs and outputs', () => {
  const prefix = makePrefix({
    inputs: [keyInput(1000n, 128), keyInput(1n)],
    outputs: outputs(...Array.from({ length: 90 }, () => 1n)),
  });
  expect(price(prefix)).toMatchObject({ prefix, inputs: 2, outputs: 90 });
});

test('accepts sums of 2^64 - 1', () => {
  expect(price(makePrefix({ inputs: [keyInput(MAX_UINT64)], outputs: outputs(5n) }))).toMatchObject({ inputs: 1 });
  const all = makePrefix({ inputs: [keyInput(MAX_UINT64)], outputs: outputs(MAX_UINT64) });
  expect(() => price(all)).toThrow(expect.objectContaining({ code: 'zeroFee' }));
});

test('accepts exactly the highest difficulty', () => {
  const { difficulty } = price(makePrefix());
  expect(price(makePrefix(), difficulty).difficulty).toBe(difficulty);
  expect(() => price(makePrefix(), difficulty - 1n)).toThrow(expect.objectContaining({ code: 'tooDifficult' }));
});

test('decodes 9 bytes; 8 are too short', () => {
  expect(() => price(Buffer.alloc(9, 0xff))).toThrow(expect.objectContaining({ code: 'notAPrefix' }));
  expect(() => price(Buffer.alloc(8, 0xff))).toThrow(expect.objectContaining({ code: 'tooShort' }));
});
