import { ChainProgress } from '../../src/ledger/chain-progress';

const EMPTY = { height: 0, recentHashes: [], checkpointHashes: [] };

test.each([
  ['an empty wallet', EMPTY, false],
  ['a wallet with the first block', { ...EMPTY, recentHashes: ['a'] }, true],
  ['a file without hashes', { ...EMPTY, height: 7 }, true],
])('%s has started: %s %s', (_what, progress, hasStarted) => {
  expect(new ChainProgress(progress).hasStarted).toBe(hasStarted);
});

test('of the hashes in a file the first 50 distinct ones are used', () => {
  const recentHashes = Array.from({ length: 60 }, (_, i) => `r${i}`);
  const read = new ChainProgress({ height: 99, recentHashes: ['r0', ...recentHashes], checkpointHashes: ['c', 'c'] });
  expect(read.content()).toEqual({ height: 99, recentHashes: recentHashes.slice(0, 50), checkpointHashes: ['c'] });
});

test('a hash becomes the newest one when it is marked again', () => {
  const progress = new ChainProgress(EMPTY);
  for (const [height, hash] of [
    [1, 'a'],
    [2, 'b'],
    [3, 'a'],
  ] as const)
    progress.advance(height, hash);
  expect(progress.content()).toEqual({ height: 3, recentHashes: ['a', 'b'], checkpointHashes: [] });
});

test('a block that passes a multiple of 5,000 becomes a checkpoint once', () => {
  const progress = new ChainProgress({ height: 4_990, recentHashes: [], checkpointHashes: ['of a file'] });
  for (const height of [4_999, 5_003, 5_004, 15_000]) progress.advance(height, `h${height}`);
  expect(progress.content().checkpointHashes).toEqual(['h15000', 'h5003', 'of a file']);
  progress.rewind(15_000);
  expect(progress.content().checkpointHashes).toEqual(['h5003', 'of a file']);
  progress.rewind(1);
  expect(progress.content()).toEqual({ ...EMPTY, checkpointHashes: ['of a file'] });
  progress.advance(5_000, 'of a file');
  expect(progress.content().checkpointHashes).toEqual(['of a file']);
  progress.clear();
  expect(progress.content()).toStrictEqual(EMPTY);
});
