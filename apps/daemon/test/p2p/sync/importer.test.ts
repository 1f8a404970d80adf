import { setImmediate } from 'node:timers/promises';
import { type ReasonCode, REASONS } from '@wrkz/consensus';
import type { AddBlockResult } from '../../../src/chain/results';
import { ChainPlan } from '../../../src/p2p/sync/chain-plan';
import { Importer } from '../../../src/p2p/sync/importer';
import { sha256, TestLogger, toyBlock } from '../fakes';

const hashes = [0, 1, 2].map((number) => sha256(Buffer.from([number])));
const [anchor = Buffer.alloc(32), ...announced] = hashes;
const raw = toyBlock(anchor, 0);
const resultOf = (code: ReasonCode): AddBlockResult => ({ code, message: REASONS[code].text, hash: anchor });

/** An importer that has handed two batches of one block to the chain. */
function start() {
  const plan = new ChainPlan();
  const pending: PendingBatch[] = [];
  const on = { onProgress: jest.fn(), onRefused: jest.fn(), onFailure: jest.fn() };
  const addBlocks = (): Promise<AddBlockResult[]> =>
    new Promise((resolve, reject) => pending.push({ resolve, reject }));
  const importer = new Importer({ plan, chain: { addBlocks }, logger: new TestLogger(), ...on });
  plan.announce(1, anchor, announced);
  for (const entry of plan.request(1, 2)) {
    plan.receive(entry, 1, raw, 10);
    importer.run();
  }
  return { plan, pending, on };
}

interface PendingBatch {
  readonly resolve: (results: AddBlockResult[]) => void;
  readonly reject: (error: Error) => void;
}

test('ignores the result of a batch that follows a rejected block', async () => {
  const { plan, pending, on } = start();
  const [first, second] = plan.listOf(1);
  pending[0]?.resolve([resultOf('TIMESTAMP_TOO_FAR_IN_FUTURE')]);
  await setImmediate();
  pending[1]?.resolve([resultOf('REJECTED_AS_ORPHANED')]);
  await setImmediate();
  expect(on.onRefused.mock.calls).toEqual([[first, resultOf('TIMESTAMP_TOO_FAR_IN_FUTURE')]]);
  expect(second?.state).toBe('received');
});

test('reports no failure of a batch that the plan has dropped', async () => {
  const { plan, pending, on } = start();
  plan.clear();
  for (const { reject } of pending) reject(new Error('closed'));
  await setImmediate();
  expect(on.onFailure).not.toHaveBeenCalled();
  expect(on.onProgress).toHaveBeenCalledTimes(2);
});
