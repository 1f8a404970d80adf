import { encodeRow, RowSealer } from '../../src/wallet-db/seal';
import { VIEW_KEY } from './support/filled';

const place = { table: 'labels', id: Buffer.alloc(16), sequence: 1 };

test('a truncated row is not authentic', () => {
  const sealer = new RowSealer(VIEW_KEY);
  const sealed = sealer.seal(place, 'rent');
  expect(sealer.isAuthentic(place, sealed)).toBe(true);
  expect(sealer.isAuthentic(place, sealed.subarray(0, -1))).toBe(false);
  // AES-GCM would accept a tag of four bytes, which can be guessed.
  expect(() => sealer.unseal(place, sealed.subarray(0, 16))).toThrow('authentication tag');
});

test.each([
  ['text', '"text"'],
  ['~text', '"~s~text"'],
  [5n, '"~n5"'],
  [Buffer.from('b'), '"~bYg=="'],
  [new Map([[1, 2]]), '{"~m":[[1,2]]}'],
])('%p is encoded as %s', (value, encoded) => {
  expect(encodeRow(value)).toBe(encoded);
});
