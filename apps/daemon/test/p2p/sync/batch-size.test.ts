import { BatchHistory, BatchSize } from '../../../src/p2p/sync/batch-size';

test('a batch grows with fast responses, shrinks with slow ones, and stays below its bytes', () => {
  const batch = new BatchSize({
    syncBatchMin: 120,
    syncBatchMax: 600,
    blockSyncSize: 600,
    blockSyncBytes: 16 * 1024 * 1024,
  });
  expect(batch.count).toBe(120);
  const counts = [];
  for (const milliseconds of [100, 100, 100, 100, 5_000, 11_000, 11_000, 11_000]) {
    batch.note(100, 100_000, milliseconds);
    counts.push(batch.count);
  }
  expect(counts).toEqual([240, 480, 600, 600, 600, 300, 150, 120]);
  for (let round = 0; round < 20; round += 1) batch.note(100, 100 * 500_000, 5_000);
  expect(batch.count).toBe(33);
  for (let round = 0; round < 40; round += 1) batch.note(1, 40_000_000, 5_000);
  expect(batch.count).toBe(1);
});

test('a batch is halved by a failure, also below the minimum and for later peers, and grows again', () => {
  const options = { syncBatchMin: 120, syncBatchMax: 600, blockSyncSize: 600, blockSyncBytes: 16 * 1024 * 1024 };
  const history = new BatchHistory(options);
  const batch = new BatchSize(options, history);
  const counts = [];
  for (let failure = 0; failure < 8; failure += 1) {
    batch.failed();
    counts.push(batch.count);
  }
  expect(counts).toEqual([60, 30, 15, 7, 3, 1, 1, 1]);
  expect(new BatchSize(options, history).count).toBe(1);
  // A slow response does not increase the batch.
  batch.note(1, 2_000, 11_000);
  expect(batch.count).toBe(1);
  for (let round = 0; round < 3; round += 1) batch.note(1, 2_000, 100);
  expect(batch.count).toBe(8);
  expect(new BatchSize(options, history).count).toBe(8);
  for (let round = 0; round < 10; round += 1) batch.note(1, 2_000, 100);
  expect(batch.count).toBe(600);
  expect(new BatchSize(options, history).count).toBe(120);
});

test('a batch stays below the write buffer of the reference node with any option', () => {
  const batch = new BatchSize({
    syncBatchMin: 120,
    syncBatchMax: 600,
    blockSyncSize: 600,
    blockSyncBytes: 1024 * 1024 * 1024,
  });
  batch.note(120, 120 * 2_000, 100);
  expect(batch.count).toBe(240);
  // Blocks that have become larger count at once.
  batch.note(240, 240 * 500_000, 100);
  expect(batch.count * 500_000).toBeLessThan(32_000_000 * 0.8);
});
