import { type NodeCalls, NodeFailure } from '@wrkz/client';
import { IndexFinder, requestIndexesAgain } from '../../src/sync/index-finder';
import type { SyncLedger } from '../../src/ledger/ledger';
import type { UnindexedOutput } from '../../src/ledger/model';

const at = (blockHeight: number): UnindexedOutput => ({
  blockHeight,
  parentTransactionHash: `of block ${String(blockHeight)}`,
  outputIndex: 0,
});

test('requests new ranges before it retries the others', async () => {
  const requested: number[] = [];
  const outputs: UnindexedOutput[] = [at(3)];
  const node = {
    globalIndexes: (start: number) => {
      requested.push(start);
      // Found during the first request.
      if (requested.length === 1) outputs.push(at(25));
      return Promise.resolve(new Map());
    },
  } as unknown as NodeCalls;
  const ledger = { setGlobalIndexes: () => undefined, unindexedOutputs: () => outputs } as unknown as SyncLedger;
  const finder = new IndexFinder(ledger, () => undefined);
  const { signal } = new AbortController();
  await finder.step(node, signal);
  expect(finder.hasUntried).toBe(true);
  await finder.step(node, signal);
  expect(requested).toEqual([0, 20]);
  expect([finder.hasUntried, finder.isDone]).toEqual([false, false]);
  await finder.step(node, signal);
  expect(requested).toEqual([0, 20, 0, 20]);
});

test('stops requesting the index of an output after three responses without it, until a rewind', async () => {
  const requested: number[] = [];
  const node = {
    globalIndexes: (start: number) => {
      requested.push(start);
      return Promise.resolve(new Map());
    },
  };
  const warnings: string[] = [];
  const ledger = { setGlobalIndexes: () => undefined, unindexedOutputs: () => [at(3)] } as unknown as SyncLedger;
  const finder = new IndexFinder(ledger, (text) => warnings.push(text));
  const { signal } = new AbortController();
  for (let i = 0; i < 5; i++) await finder.step(node as unknown as NodeCalls, signal);
  expect(requested).toEqual([0, 0, 0]);
  expect(warnings).toEqual([expect.stringContaining('no global index of 1 own outputs')]);
  expect(finder.isDone).toBe(true);
  finder.reset();
  expect(finder.isDone).toBe(false);
});

test('discards the indexes of a request during which the ledger was rewound', async () => {
  const stored: unknown[] = [];
  const ledger = { setGlobalIndexes: (one: unknown) => stored.push(one), unindexedOutputs: () => [at(3)] };
  const finder = new IndexFinder(ledger as unknown as SyncLedger, () => undefined);
  const node = {
    globalIndexes: () => {
      finder.reset();
      return Promise.resolve(new Map([['of block 3', [7]]]));
    },
  };
  await finder.step(node as unknown as NodeCalls, new AbortController().signal);
  expect(stored).toEqual([]);
});

test('after a refused send all nodes are queried at once; the reports of those that know all indexes keep the order', async () => {
  const output = at(3);
  const right = new Map([[output.parentTransactionHash, [7]]]);
  let respond = (): void => undefined;
  const queried = new Promise<void>((resolve) => (respond = resolve));
  const nodeOf = (globalIndexes: () => Promise<unknown>): NodeCalls => ({ globalIndexes }) as unknown as NodeCalls;
  // Responds only after the last node was queried.
  const slow = nodeOf(() => queried.then(() => right));
  const failing = nodeOf(() => Promise.reject(new NodeFailure('timeout', 'no response')));
  const ignorant = nodeOf(() => Promise.resolve(new Map()));
  const last = nodeOf(() => {
    respond();
    return Promise.resolve(right);
  });
  const { signal } = new AbortController();
  const reports = await requestIndexesAgain([slow, failing, ignorant, last], [output], signal);
  expect(reports.map(({ node }) => node)).toEqual([slow, last]);
  expect(reports[0]?.indexes.get(output.parentTransactionHash)).toEqual([7]);
});
