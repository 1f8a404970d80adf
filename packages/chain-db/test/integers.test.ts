import fc from 'fast-check';
import { packIndexes, unpackIndexes } from '../src/integers';
import { sample, shuffledIndexes } from '../src/reader/outputs';

const index = fc.oneof(
  fc.integer({ min: 0, max: 0xffffffff }),
  fc.constantFrom(0, 127, 128, 16_383, 16_384, 0xffffffff),
);

test('global indexes are unchanged after packing and unpacking', () => {
  fc.assert(fc.property(fc.array(index), (indexes) => expect(unpackIndexes(packIndexes(indexes))).toEqual(indexes)));
});

test('rejects packed bytes that end inside a group or exceed 32 bits', () => {
  expect(unpackIndexes(Buffer.from([0x80]))).toBeUndefined();
  expect(unpackIndexes(Buffer.from([0x01, 0xff]))).toBeUndefined();
  expect(unpackIndexes(Buffer.from([0x80, 0x80, 0x80, 0x80, 0x10]))).toBeUndefined();
  expect(unpackIndexes(Buffer.alloc(20, 0xff))).toBeUndefined();
  expect(unpackIndexes(Buffer.alloc(0))).toEqual([]);
});

test('a shuffle returns every index once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300 }), (count) => {
      const all = [...shuffledIndexes(count)];
      expect(new Set(all).size).toBe(count);
      expect(all.length).toBe(count);
      expect(all.every((one) => one >= 0 && one < count)).toBe(true);
    }),
  );
});

test('a sample is uniform', () => {
  const counts = new Array<number>(20).fill(0);
  const rounds = 20_000;
  for (let i = 0; i < rounds; i++) {
    for (const picked of sample(20, 5, (one) => one)) counts[picked] = (counts[picked] ?? 0) + 1;
  }
  // Each has probability 1/4; six standard deviations are about 370.
  for (const count of counts) expect(Math.abs(count - rounds / 4)).toBeLessThan(370);
});

test('a sample ends if every candidate is rejected', () => {
  let looks = 0;
  const none = sample(50_000_000, 10, () => {
    looks++;
    return undefined;
  });
  expect(none).toEqual([]);
  expect(looks).toBeLessThan(10_000);
  expect(sample(10, 0, (one) => one)).toEqual([]);
});
