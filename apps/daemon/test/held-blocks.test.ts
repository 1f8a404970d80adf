import { ChainWriter } from '@wrkz/chain-db';
import { Checkpoints } from '@wrkz/consensus';
import { networkOf } from '@wrkz/core-types';
import { chainA, chainAHeaders, Forge, TestWallet } from '@wrkz/testing';
import { type HeldBlock, HeldBlocks } from '../src/chain/held-blocks';
import { HOLD_TIME } from '../src/chain/limits';
import { isAccepted } from '../src/chain/results';
import { ChainStopped } from '../src/chain/service';
import { MAIN } from './support/codes';
import { digestOf, engineBench, NOW } from './support/engine';
import { temporaryDirectory } from './support/temporary';

/*
 * Several verified batches are committed together while the caller reports that more follow
 * (docs/protocol/storage.md#several-batches-a-commit).
 */

const blocks = chainA().slice(1);
// Inside the checkpoint zone nothing costs work, so that these tests are about committing alone.
const checkpoints = new Checkpoints(new Map([[720, Buffer.from(chainAHeaders()[720]!.hash, 'hex')]]));

const bench = (options: { directory?: string } = {}) => engineBench('devnet', { checkpoints, ...options });

/** Calls of 20 blocks each from `start` to `end`, all but the last with more to follow. */
function row(engine: ReturnType<typeof bench>['engine'], start: number, end: number, more = false) {
  const calls = [];
  for (let at = start; at < end; at += 20) {
    calls.push(engine.addBlocks(blocks.slice(at, Math.min(end, at + 20)), 'sync', more || at + 20 < end));
  }
  return calls;
}

let appends: jest.SpyInstance;
beforeEach(() => (appends = jest.spyOn(ChainWriter.prototype, 'append')));
afterEach(() => appends.mockRestore());

const committed = (): number[] => appends.mock.calls.map(([batch]) => (batch as unknown[]).length).filter((n) => n > 1);

it('commits a long series in few steps, each twice as long; events equal those of single batches', async () => {
  const held = bench();
  const responses = await Promise.all(row(held.engine, 0, 720));
  expect(responses.flat().map(({ code }) => code)).toEqual(blocks.map(() => MAIN));
  const steps = committed();
  expect(steps.reduce((sum, one) => sum + one, 0)).toBe(720);

  appends.mockClear();
  const single = bench();
  for (let at = 0; at < 720; at += 20) await single.engine.addBlocks(blocks.slice(at, at + 20), 'sync');
  expect(steps.length).toBeLessThan(committed().length / 4);
  let height = 0;
  for (const event of held.commits()) {
    expect(event.forkHeight).toBe(height);
    expect(event.added.map((one) => one.height)).toEqual(event.added.map((_, i) => height + 1 + i));
    height += event.added.length;
    expect(event.tip.height).toBe(height);
    const alike = single.commits().find(({ tip }) => tip.height === height);
    if (alike !== undefined) expect(event.tip).toEqual(alike.tip);
  }
  expect(height).toBe(720);
  expect(held.commits().flatMap(({ added }) => added)).toEqual(single.commits().flatMap(({ added }) => added));
  expect(held.engine.tip()).toEqual(single.engine.tip());
  expect(await held.digest()).toBe(await single.digest());
});

it('emits block events only after the commit, and resolves calls after their events', async () => {
  const { engine, reader, digest } = bench();
  await Promise.all(row(engine, 0, 200));
  engine.on('commit', (event) => expect(reader.height()).toBeGreaterThanOrEqual(event.tip.height));
  const calls = row(engine, 200, 400, true);
  const reported: number[] = [];
  engine.on('commit', ({ tip }) => reported.push(tip.height));
  calls.forEach((call, i) => void call.then(() => expect(reported.at(-1)).toBeGreaterThanOrEqual(220 + 20 * i)));
  await engine.addBlocks(blocks.slice(400, 401), 'sync');
  await Promise.all(calls);
  expect(engine.tip().height).toBe(401);
  await digest();
});

it('commits held blocks within seconds although no block follows', async () => {
  const { engine, digest } = bench();
  await Promise.all(row(engine, 0, 100, true));
  expect(engine.tip().height).toBe(100);
  await digest();
});

it('commits the blocks before a rejected block, resolves later calls, and continues the chain', async () => {
  const { engine, digest } = bench();
  const bad = { ...blocks[130]!, transactions: [Buffer.alloc(50)] };
  const calls = [...row(engine, 0, 120, true), engine.addBlocks([...blocks.slice(120, 130), bad], 'sync', true)];
  const after = engine.addBlocks(blocks.slice(131, 140), 'sync', true);
  for (const results of await Promise.all(calls.slice(0, -1))) expect(results.every(isAccepted)).toBe(true);
  const results = await calls.at(-1)!;
  expect(results).toHaveLength(11);
  expect(results.map(isAccepted)).toEqual([...Array<boolean>(10).fill(true), false]);
  expect(await after).toMatchObject([{ code: 'REJECTED_AS_ORPHANED' }]);
  expect(engine.tip().height).toBe(130);
  await engine.addBlocks(blocks.slice(130, 140), 'sync');
  expect(engine.tip().height).toBe(140);
  await digest();
});

it('lets a rewind, a known block and a side block see all earlier held blocks', async () => {
  const { engine, digest } = bench();
  const held = row(engine, 0, 200, true);
  const known = engine.addBlocks([blocks[150]!], 'relay', true);
  await Promise.all(held);
  expect(await known).toMatchObject([{ code: 'ALREADY_EXISTS', height: 151 }]);
  const more = row(engine, 200, 300, true);
  const rewound = engine.rewindTo(250);
  await Promise.all([...more, rewound]);
  expect(engine.tip().height).toBe(250);
  await Promise.all(row(engine, 250, 400));
  expect(engine.tip().height).toBe(400);
  await digest();
});

it('commits verified blocks at a stop; unchecked ones are dropped and reported as such', async () => {
  const directory = temporaryDirectory();
  const { engine, reader } = bench({ directory });
  await Promise.all(row(engine, 0, 100));
  const calls = row(engine, 100, 200, true);
  const { held } = engine as unknown as { held: { isEmpty: boolean } };
  while (held.isEmpty) await new Promise((go) => setImmediate(go));
  const height = reader.height();
  await engine.stop();
  const ends = await Promise.allSettled(calls);
  const stored = ends.filter(({ status }) => status === 'fulfilled').length;
  expect(stored).toBeGreaterThan(0);
  for (const end of ends) {
    if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(ChainStopped);
  }
  const again = bench({ directory });
  expect(again.engine.tip().height).toBeGreaterThanOrEqual(100 + 20 * stored);
  expect(again.engine.tip().height).toBeGreaterThan(height);
  await again.digest();
});

it('commits held blocks at a stop while no other work is under way', async () => {
  const directory = temporaryDirectory();
  const { engine } = bench({ directory });
  await Promise.all(row(engine, 0, 100));
  const calls = row(engine, 100, 200, true);
  const { held } = engine as unknown as { held: { isEmpty: boolean } };
  while (held.isEmpty || (engine as unknown as { working: unknown }).working !== undefined) {
    await new Promise((go) => setImmediate(go));
  }
  await engine.stop();
  expect((await Promise.all(calls)).flat().every(isAccepted)).toBe(true);
  const again = bench({ directory });
  expect(again.engine.tip().height).toBe(200);
  await again.digest();
});

it('loses held blocks in a kill and leaves a consistent chain without them', async () => {
  const directory = temporaryDirectory();
  const { engine } = bench({ directory });
  await Promise.all(row(engine, 0, 100));
  void Promise.allSettled(row(engine, 100, 140, true));
  await expect(digestOf(directory, 'devnet')).resolves.toMatch(/^[0-9a-f]{64}$/);
  await engine.stop();
});

it('rejects only the block that repeats a key image of held blocks in the checkpoint zone', async () => {
  const zone = new Checkpoints(new Map([[200, Buffer.alloc(32, 7)]]));
  const { engine, reader, digest } = engineBench('simnet', { checkpoints: zone });
  const testWallet = new TestWallet('held');
  const options = { network: networkOf('simnet'), timestamp: NOW - 1_000_000, receiver: testWallet, checkpoints: zone };
  const forge = new Forge(reader.viewAt(0), options);
  const first = await forge.many(50);
  await engine.addBlocks(first, 'sync');
  const indexes = reader.globalIndexes(5).map((one) => one.indexes);
  const output = testWallet.find(first[4]!, 5, indexes).at(-1)!;
  const dishonest = new Forge(reader.viewAt(50), options);
  // A miner that ignores the first spend.
  Object.assign(dishonest.view, { keyImageHeight: () => undefined });
  const spends = await dishonest.next([testWallet.spend(output, { fee: 10n })]);
  const between = await dishonest.many(3);
  const again = await dishonest.next([testWallet.spend(output, { fee: 20n })]);
  const calls = [[spends], between, [again], await dishonest.many(2)].map((one) => engine.addBlocks(one, 'sync', true));
  const results = await Promise.all(calls);
  expect(
    results
      .slice(0, 2)
      .flat()
      .map(({ code }) => code),
  ).toEqual([MAIN, MAIN, MAIN, MAIN]);
  expect(results[2]).toMatchObject([{ code: 'INPUT_KEYIMAGE_ALREADY_SPENT' }]);
  expect(results[3]).toMatchObject([{ code: 'REJECTED_AS_ORPHANED' }]);
  expect(engine.tip().height).toBe(54);
  await digest();
});

it('starts the flush timer at the oldest batch, and ends the series at a call without successors', () => {
  let now = 0;
  const held = new HeldBlocks(() => now);
  const add = (count: number, more = true): void => {
    const block = { transactions: [], block: { bytes: Buffer.alloc(100) } };
    held.add(Array.from({ length: count }, () => ({ task: { more }, block }) as unknown as HeldBlock));
  };
  add(3);
  expect(held.isDue).toBe(true);
  held.take();
  add(1);
  now = 1000;
  add(1);
  expect(held.timeLeft).toBe(HOLD_TIME - 1000);
  expect(held.isDue).toBe(false);
  now = HOLD_TIME;
  expect(held.isDue).toBe(true);
  held.take();
  add(1);
  expect(held.isDue).toBe(false);
  add(1, false);
  held.take();
  add(1);
  expect(held.isDue).toBe(true);
});
