import { EventEmitter } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { BelowFloor, rulesDigest } from '@wrkz/chain-db';
import { networkOf } from '@wrkz/core-types';
import { createMemoryLogger, createMetrics } from '@wrkz/service-kit';
import { Forge } from '@wrkz/testing';
import { P2pChain } from '../../src/wiring/p2p-ports';
import { topicMessages } from '../../src/events/topics';
import type { PrunePass } from '../../src/chain/pruning';
import { ChainState } from '../../src/chain/state';
import type { RefusedSwitch } from '../../src/chain/side-branches';
import { DamageWatch } from '../../src/damage/damage-watch';
import { StorageLog } from '../../src/progress/chain-log';
import { type EngineBench, engineBench, NOW } from '../support/engine';

/* The engine of a lite and of a pruned node: accepted, dropped and refused blocks. */

const network = networkOf('simnet');
const LITE = 20;
const GIB = 2 ** 30;
const benches: EngineBench[] = [];
afterEach(() => Promise.all(benches.splice(0).map(({ engine }) => engine.stop())));

function bench(options: Parameters<typeof engineBench>[1] = {}): EngineBench {
  const made = engineBench('simnet', options);
  benches.push(made);
  return made;
}

const forge = (from: EngineBench, fork: number, name: string): Forge =>
  new Forge(from.reader.viewAt(fork), {
    network,
    timestamp: NOW - 1_000_000 + fork * 60,
    extraNonce: Buffer.from(name),
  });

const codes = async (on: EngineBench, blocks: Parameters<EngineBench['engine']['addBlocks']>[0]): Promise<string[]> =>
  (await on.engine.addBlocks(blocks, 'sync')).map(({ code }) => code);

const portOf = (on: EngineBench, storage: ConstructorParameters<typeof P2pChain>[4]): P2pChain =>
  new P2pChain(on.engine, on.reader, {} as never, new DamageWatch(createMemoryLogger()), storage);

describe('a lite node', () => {
  test('applies the same rules as a full one, and switches to a heavier branch down to its lite height', async () => {
    const [full, lite] = [bench(), bench({ lite: LITE })];
    const blocks = await forge(full, 0, 'main').many(30);
    for (const one of [full, lite]) await codes(one, blocks);
    expect(rulesDigest(lite.reader)).toBe(rulesDigest(full.reader));
    const side = await forge(full, LITE - 1, 'side').many(12);
    for (const one of [full, lite]) expect((await codes(one, side)).at(-1)).toBe('ADDED_TO_ALTERNATIVE_AND_SWITCHED');
    expect(rulesDigest(lite.reader)).toBe(rulesDigest(full.reader));
    expect(lite.engine.tip().height).toBe(31);
  });

  test('rejects a branch that forks below the lite height: logged, counted, and the stored chain stays', async () => {
    const [full, lite] = [bench(), bench({ lite: LITE })];
    const blocks = await forge(full, 0, 'main').many(30);
    for (const one of [full, lite]) await codes(one, blocks);
    const reported: RefusedSwitch[] = [];
    lite.engine.on('refusedSwitch', (refused) => reported.push(refused));
    const before = rulesDigest(lite.reader);
    const side = await forge(full, LITE - 2, 'side').many(13);
    const responses = await codes(lite, side);
    expect(responses).toEqual([...Array<string>(12).fill('ADDED_TO_ALTERNATIVE'), 'REJECTED_AS_ORPHANED']);
    const [refused] = reported;
    expect(reported).toEqual([
      {
        fork: LITE - 2,
        height: 31,
        hash: refused?.hash,
        cumulativeDifficulty: refused?.cumulativeDifficulty,
        remedy: 'start the node once with --resync',
        reason: `This node is a lite node and stores no transaction data below height ${LITE}`,
      },
    ]);
    expect(rulesDigest(lite.reader)).toBe(before);
    await expect(lite.engine.rewindTo(LITE - 2)).rejects.toThrow(BelowFloor);
    expect(rulesDigest(lite.reader)).toBe(before);
    await lite.engine.rewindTo(LITE - 1);
    expect(lite.engine.tip().height).toBe(LITE - 1);
  });

  test('advertises the height from which it serves blocks, and serves none below', async () => {
    const lite = bench({ lite: LITE });
    await codes(lite, await forge(lite, 0, 'main').many(30));
    const port = portOf(lite, { kind: 'lite', height: LITE });
    expect(port.availability()).toEqual({ lite: LITE });
    const served = (height: number) => port.rawBlock(port.hashAt(height)!) !== undefined;
    expect([0, 1, LITE - 1, LITE, 30].map(served)).toEqual([true, false, false, true, true]);
    expect(port.hashes(0, 31)).toHaveLength(31);
  });
});

describe('a pruned node', () => {
  const prune = { depth: 10, minGap: 5, minFreeBytes: 0, minDiskFreeBytes: 0 };
  const passOf = ({ engine }: EngineBench): Promise<PrunePass> =>
    new Promise((resolve) => void engine.once('pruned', resolve));

  test('prunes blocks below its window on schedule, and advertises its served blocks relative to its tip', async () => {
    const pruned = bench({ prune });
    const line = forge(pruned, 0, 'main');
    const first = passOf(pruned);
    await codes(pruned, await line.many(30));
    const { floor } = await first;
    expect([floor, pruned.reader.floors().bodies]).toEqual([21, 21]);
    await codes(pruned, await line.many(4));
    const port = portOf(pruned, { kind: 'pruned', depth: 10 });
    expect([pruned.reader.floors().bodies, port.availability()]).toEqual([21, { pruned: 25 }]);
    const second = passOf(pruned);
    await codes(pruned, await line.many(1));
    expect(await second).toMatchObject({ floor: 26, blocks: 5, forced: false });
    expect(port.rawBlock(port.hashAt(25)!)).toBeUndefined();
    expect(port.rawBlock(port.hashAt(26)!)).toBeDefined();
    expect(portOf(pruned, { kind: 'full' }).availability()).toEqual({ pruned: 26 });
  });

  test('prunes at the start the remains of an earlier run, and stops in the middle on request', async () => {
    const before = bench();
    await codes(before, await forge(before, 0, 'main').many(200));
    const digest = rulesDigest(before.reader);
    await before.engine.stop();
    const stopped = bench({ directory: before.directory, prune });
    await stopped.engine.stop();
    const again = bench({ directory: before.directory, prune });
    const pass = passOf(again);
    expect((await pass).floor).toBe(191);
    expect(rulesDigest(again.reader)).toBe(digest);
  });

  test('a pass continues when the log, which a reader has used, can be cut: its space may be what a step needs', async () => {
    const before = bench();
    await codes(before, await forge(before, 0, 'main').many(200));
    await before.engine.stop();
    const log = join(before.directory, 'chain.sqlite-wal');
    // A reader uses the log after the first step.
    const cutLog = jest.spyOn(ChainState.prototype, 'cutLog').mockReturnValueOnce(false);
    const again = bench({
      directory: before.directory,
      prune: { ...prune, minDiskFreeBytes: 4 * GIB },
      freeBytes: () => (cutLog.mock.calls.length > 0 && statSync(log).size > 0 ? 0 : GIB),
    });
    expect((await passOf(again)).floor).toBe(191);
    cutLog.mockRestore();
  });

  test('rejects a reorganisation that needs a pruned body', async () => {
    const [full, pruned] = [bench(), bench({ prune })];
    const blocks = await forge(full, 0, 'main').many(30);
    const pass = passOf(pruned);
    for (const one of [full, pruned]) await codes(one, blocks);
    await pass;
    const side = await forge(full, 15, 'side').many(16);
    expect((await codes(pruned, side)).at(-1)).toBe('REJECTED_AS_ORPHANED');
    expect(pruned.engine.tip().height).toBe(30);
  });
});

test('logs each pruning pass, and a refused branch once, and counts all of them', async () => {
  const chain = new EventEmitter();
  const logger = createMemoryLogger();
  const published: RefusedSwitch[] = [];
  const log = new StorageLog(chain as unknown as ConstructorParameters<typeof StorageLog>[0], logger, (branch) =>
    published.push(branch),
  );
  const metrics = createMetrics('wrkz_');
  log.publish(metrics);
  const refused = {
    fork: 18,
    height: 31,
    hash: Buffer.alloc(32, 7),
    cumulativeDifficulty: 5n,
    reason: 'why',
    remedy: 'act',
  };
  chain.emit('refusedSwitch', refused);
  chain.emit('refusedSwitch', refused);
  chain.emit('pruned', { floor: 5, blocks: 5, freedPages: 2, forced: true });
  expect(logger.linesOf('warning')).toHaveLength(1);
  expect(logger.linesOf('warning')[0]).toContain('it forks from our chain at block 18. why.');
  expect(logger.linesOf('warning')[0]).toContain('If the network follows it, act');
  expect(published).toEqual([refused]);
  expect(log.refusedBranch).toBe(refused);
  chain.emit('commit', { kind: 'switch', forkHeight: 19 });
  expect(log.refusedBranch).toBe(refused);
  chain.emit('commit', { kind: 'switch', forkHeight: 18 });
  expect(log.refusedBranch).toBeUndefined();
  expect(logger.linesOf('info')[0]).toContain(
    'pruned 5 blocks, because space is short: bodies are stored from block 5 on',
  );
  expect(await metrics.registry.metrics()).toContain('wrkz_refused_reorganisations_total 2');
  log.close();
  expect(chain.eventNames()).toEqual([]);
});

test('publishes a block below the lite height without its transactions', () => {
  const block = {
    kind: 'block',
    height: 9,
    hash: Buffer.alloc(32),
    previousHash: Buffer.alloc(32),
    timestamp: 0,
    transactionHashes: [],
  } as unknown as Parameters<typeof topicMessages>[0];
  expect(topicMessages(block, 10).map(({ topic }) => topic)).toEqual(['hashblock']);
  expect(topicMessages(block, 9).map(({ topic }) => topic)).toEqual(['hashblock', 'chain_main']);
});
