import { fromHex, isHash64, toHex } from '../src';

test('hex is unchanged after encoding and decoding in either case', () => {
  expect(fromHex('00FfaB')).toEqual(Buffer.from([0, 255, 171]));
  expect(toHex(new Uint8Array([0, 255, 171]))).toBe('00ffab');
  expect(fromHex('')).toEqual(Buffer.alloc(0));
  expect(fromHex('ab', 1)).toEqual(Buffer.from([171]));
});

test.each(['a', 'zz', '0x00', 'ab ', 'abzzab', 'ａｂ'])('"%s" is not hex', (text) => {
  expect(fromHex(text)).toBeUndefined();
});

test('a wrong size is rejected', () => {
  expect(fromHex('abab', 1)).toBeUndefined();
  expect(fromHex('', 1)).toBeUndefined();
});

test('a hash has 64 characters', () => {
  expect(isHash64('aB'.repeat(32))).toBe(true);
  for (const text of ['', 'ab', 'ag'.repeat(32), `${'ab'.repeat(32)}\n`]) expect(isHash64(text)).toBe(false);
});
