import type { NodeCalls } from '@wrkz/client';
import { IndexFinder } from '../../src/sync/index-finder';
import type { SyncLedger, UnindexedOutput } from '../../src/ledger/ledger';

test('tries of a range lie apart: what was asked for is passed over while something was not', async () => {
  const asked: number[] = [];
  const node = {
    globalIndexes: (start: number) => {
      asked.push(start);
      // Found while the first one is asked for.
      if (asked.length === 1) finder.add([at(25)]);
      return Promise.resolve(new Map());
    },
  } as unknown as NodeCalls;
  const finder = new IndexFinder({ setGlobalIndexes: () => undefined } as unknown as SyncLedger, () => undefined);
  const at = (blockHeight: number): UnindexedOutput => ({ blockHeight, transactionHash: 'a', outputIndex: 0 });
  const { signal } = new AbortController();
  finder.add([at(3)]);
  await finder.step(node, signal);
  expect(finder.hasUntried).toBe(true);
  await finder.step(node, signal);
  expect(asked).toEqual([0, 20]);
  expect([finder.hasUntried, finder.isDone]).toEqual([false, false]);
  await finder.step(node, signal);
  expect(asked).toEqual([0, 20, 0, 20]);
});
