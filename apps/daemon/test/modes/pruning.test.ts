import { networkOf } from '@wrkz/core-types';
import { readConfig } from '../../src';
import { Pruning } from '../../src/chain/pruning';
import { freeBytes } from '../../src/upkeep/disk-space';
import { engineOptions } from '../../src/wiring/storage';
import { exercises } from '../support/exercises';

exercises('auto-prune-min-gap-blocks', 'auto-prune-min-free-bytes');

/** A schedule with its own disk, and a writer that needs `steps` steps for a pass. */
function bench(...args: string[]) {
  const disk = { free: Infinity };
  const { prune } = engineOptions(readConfig(['--network=devnet', '--prune', ...args]), '/nowhere');
  if (prune === undefined) throw new Error('not pruned');
  const pruning = new Pruning(prune, () => disk.free);
  let floor = 0;
  const requested: number[] = [];
  const lengths: (number | undefined)[] = [];
  const writer = {
    pruneStep: (target: number, milliseconds?: number) => {
      requested.push(target);
      lengths.push(milliseconds);
      floor = Math.min(target, floor + 50);
      return { floor, done: floor === target, freedPages: 3 };
    },
  };
  /** The targets of the pruning steps that a chain of this length causes. */
  const at = (count: number): number[] => {
    requested.length = 0;
    pruning.look(count, floor);
    while (pruning.isUnderWay) pruning.step(writer);
    return [...requested];
  };
  return { at, disk, pruning, writer, rules: prune, lengths, floor: () => floor };
}

test('derives the pruning rules from options and network; a full or lite node has none', () => {
  const setup = (...args: string[]) => engineOptions(readConfig(args), '/nowhere');
  expect(setup('--prune', '--network=devnet').prune).toEqual({
    depth: 400,
    minGap: 120,
    minFreeBytes: 4_294_967_296,
    minDiskFreeBytes: expect.any(Number) as number,
  });
  const args = ['--auto-prune-min-gap-blocks=0', '--auto-prune-min-free-bytes=7', '--prune-depth=20000'];
  expect(setup('--prune', ...args)).toMatchObject({
    prune: { depth: 20_000, minGap: 0, minFreeBytes: 7, minDiskFreeBytes: expect.any(Number) as number },
    lite: undefined,
  });
  expect(setup()).toMatchObject({ prune: undefined, lite: undefined });
  expect(setup('--lite', '--lite-height=9')).toMatchObject({ prune: undefined, lite: 9 });
  expect(networkOf('devnet').pruneDepth).toBe(400);
});

test('runs a pass at the start, then one per interval', () => {
  const { at, floor } = bench('--auto-prune-min-gap-blocks=20');
  expect(at(500)).toEqual([100, 100]);
  expect(at(519)).toEqual([]);
  expect(at(520)).toEqual([120]);
  expect(at(539)).toEqual([]);
  expect(at(1000)).toHaveLength(10);
  expect(floor()).toBe(600);
  expect(at(700)).toEqual([]);
  expect(at(1021)).toEqual([621]);
});

test('without a schedule runs only the pass at the start, unless space is low', () => {
  const { at, disk } = bench('--auto-prune-min-gap-blocks=0', '--auto-prune-min-free-bytes=1000');
  expect(at(410)).toEqual([10]);
  expect(at(5000)).toEqual([]);
  disk.free = 1000;
  expect(at(5000)).toEqual([]);
  disk.free = 999;
  expect(at(500)).toEqual([100, 100]);
  expect(at(500)).toEqual([]);
  expect(at(501)).toEqual([101]);
});

test('a pass reports its result, and deletes nothing from a chain shorter than the depth', () => {
  const { pruning, writer, disk } = bench('--auto-prune-min-gap-blocks=0');
  pruning.look(300, 0);
  expect(pruning.step(writer)).toEqual({ floor: 0, blocks: 0, freedPages: 3, forced: false });
  disk.free = 0;
  pruning.look(460, 0);
  expect(pruning.step(writer)).toBeUndefined();
  expect(pruning.step(writer)).toEqual({ floor: 60, blocks: 60, freedPages: 6, forced: true });
  expect(pruning.step(writer)).toBeUndefined();
});

test('uses the smallest steps when space is low, and waits without any', () => {
  const { pruning, writer, disk, rules, lengths } = bench('--auto-prune-min-gap-blocks=0');
  expect(pruning.canStep).toBe(false);
  pruning.look(600, 0);
  pruning.step(writer);
  expect([pruning.canStep, pruning.isTight]).toEqual([true, false]);
  disk.free = rules.minDiskFreeBytes - 1;
  expect([pruning.canStep, pruning.isTight]).toEqual([true, true]);
  pruning.step(writer);
  expect(lengths).toEqual([undefined, 0]);
  disk.free = 1024 * 1024;
  expect(pruning.canStep).toBe(true);
  disk.free -= 1;
  expect([pruning.canStep, pruning.isUnderWay]).toEqual([false, true]);
});

test('treats a disk whose free space is unknown as unlimited', () => {
  expect(freeBytes('/nowhere/at/all')).toBe(Infinity);
  expect(freeBytes('/')).toBeGreaterThanOrEqual(0);
});
