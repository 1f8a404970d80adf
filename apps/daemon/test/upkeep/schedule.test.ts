import { readConfig } from '../../src/config/config';
import { startCompaction } from '../../src/upkeep/compaction/start';
import { isDue, LookInterval, type ScheduleFacts } from '../../src/upkeep/compaction/schedule';

import { exercises } from '../support/exercises';
import { temporaryDirectory } from '../support/temporary';

exercises('auto-compaction-min-gap-blocks', 'auto-compaction-min-free-bytes');

const due: ScheduleFacts = {
  running: false,
  free: 100,
  leastFree: 100,
  gap: 720,
  count: 1720,
  lastCount: 1000,
  since: 30 * 60_000,
};

test.each<[string, Partial<ScheduleFacts>, boolean]>([
  ['all is met', {}, true],
  ['one runs', { running: true }, false],
  ['too little is free', { free: 99 }, false],
  ['no schedule', { gap: 0 }, false],
  ['a block too few', { count: 1719 }, false],
  ['a rewind went below the last one', { count: 900 }, false],
  ['a moment too early', { since: 30 * 60_000 - 1 }, false],
])('a compaction of the schedule: %s', (_name, facts, wanted) => expect(isDue({ ...due, ...facts })).toBe(wanted));

test('looks are seldom after three at the top, and often again 20 blocks behind', () => {
  const interval = new LookInterval();
  const minutes = [500, 2, 1, 0, 5, 19, 20, 1, 3, 1, 0, 2].map((behind) => interval.next(behind) / 60_000);
  expect(minutes).toEqual([1, 1, 1, 30, 30, 30, 1, 1, 1, 1, 1, 30]);
});

describe('a node of an hour', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** @returns steps that were made, at the start and after the hour */
  async function hour(...args: string[]): Promise<number[]> {
    const directory = temporaryDirectory();
    const config = readConfig(['--network', 'devnet', '--data-dir', directory, ...args]);
    let height = 100;
    let steps = 0;
    const stopping = new AbortController();
    const { compaction, close } = startCompaction({
      config,
      directory,
      chain: {
        tip: () => ({ height }) as never,
        compactStep: () => Promise.resolve({ done: (steps += 1) > 0, freedPages: 0 }),
        repairPage: () => Promise.resolve(false),
        cutLog: () => Promise.resolve(true),
        hold: () => Promise.resolve(),
        release: () => Promise.resolve(),
      },
      networkHeight: () => height + 500,
      notice: () => undefined,
      logger: { info: () => undefined, warning: () => undefined },
      stopping: stopping.signal,
      now: () => Date.now(),
    });
    await compaction.wait();
    const seen = [steps];
    for (let minute = 0; minute < 60; minute++) {
      height += 1;
      await jest.advanceTimersByTimeAsync(60_000);
    }
    await compaction.wait();
    await close();
    return [...seen, steps];
  }

  const often = ['--auto-compaction-min-gap-blocks', '40', '--auto-compaction-min-free-bytes', '0'];

  test.each<[string, string[], number[]]>([
    ['compacts at its start, and when the blocks are many', often, [1, 2]],
    ['not at its start when that is not wanted', [...often, '--skip-boot-compaction'], [0, 1]],
    ['only at its start as a rule, for its blocks are few', [], [1, 1]],
    ['never by the schedule without a gap', ['--auto-compaction-min-gap-blocks', '0'], [1, 1]],
    ['not while too little is free', [...often.slice(0, 3), '1000000000000000'], [1, 1]],
  ])('%s', async (_name, args, wanted) => expect(await hour(...args)).toEqual(wanted));
});
