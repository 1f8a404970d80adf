import { Checkpoints } from '@wrkz/consensus';

const hash = (byte: number): Buffer => Buffer.alloc(32, byte);

test('every index up to the highest checkpoint is in the zone', () => {
  const points = Checkpoints.fromCsv(
    `0,${hash(1).toString('hex')}\n  \n 200 , ${hash(2).toString('hex').toUpperCase()}\r\n`,
  );
  expect([points.size, points.highest]).toEqual([2, 200]);
  expect([points.covers(1), points.covers(200), points.covers(201)]).toEqual([true, true, false]);
  expect([points.agrees(200, hash(2)), points.agrees(200, hash(3)), points.agrees(100, hash(3))]).toEqual([
    true,
    false,
    true,
  ]);
  expect(points.at(200)).toEqual(hash(2));
  expect([...points.entries()]).toEqual([
    [0, hash(1)],
    [200, hash(2)],
  ]);
});

test('without checkpoints there is no zone', () => {
  expect(Checkpoints.none.covers(0)).toBe(false);
  expect(Checkpoints.none.agrees(0, hash(0))).toBe(true);
});

test.each([
  ['a short hash', '1,abcd'],
  ['a missing index', `,${'ab'.repeat(32)}`],
  ['text before the index', `x1,${'ab'.repeat(32)}`],
  ['text after the hash', `1,${'ab'.repeat(32)} x`],
  ['one index with two hashes', `1,${'ab'.repeat(32)}\n1,${'cd'.repeat(32)}`],
])('%s is rejected with its line number', (_, text) => {
  expect(() => Checkpoints.fromCsv(text)).toThrow(/checkpoint line [12]/);
});

test('finds the last checkpoint up to a height', () => {
  const points = new Checkpoints(new Map([20, 5, 10].map((height) => [height, Buffer.alloc(32)])));
  expect([0, 4, 5, 9, 10, 19, 20, 99].map((height) => points.lastUpTo(height))).toEqual([0, 0, 5, 5, 10, 10, 20, 20]);
  expect(Checkpoints.none.lastUpTo(7)).toBe(0);
});
