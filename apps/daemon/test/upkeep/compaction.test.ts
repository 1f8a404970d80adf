import type { ChainUpkeep } from '../../src/chain/service';
import { readConfig } from '../../src/config/config';
import { compactDb } from '../../src/console/commands/database';
import type { ConsoleContext } from '../../src/console/command';
import { Compaction, type CompactionDependencies } from '../../src/upkeep/compaction';
import { exercises } from '../support/exercises';

exercises('auto-compaction-min-gap-blocks', 'auto-compaction-min-free-bytes');

/* The compaction with a chain writer that the test replaces. */

interface Bench {
  readonly compaction: Compaction;
  /** Calls to the chain writer. */
  readonly calls: string[];
  readonly lines: string[];
  /** The output of `compact_db <words>`. */
  say(words: string): Promise<string>;
}

/** @param slices after which no free page is left */
function bench(
  slices: number,
  replaced: Partial<CompactionDependencies & ChainUpkeep> = {},
  args: string[] = [],
): Bench {
  const calls: string[] = [];
  const lines: string[] = [];
  const note = (call: string): Promise<void> => Promise.resolve(void calls.push(call));
  const compaction = new Compaction(readConfig(['--network', 'devnet', ...args]).options, {
    chain: {
      tip: () => ({ height: 100 }),
      compactStep: () => note('slice').then(() => ({ done: calls.length >= slices, freedPages: 2 })),
      cutLog: () => note('checkpoint').then(() => true),
      repairPage: () => Promise.resolve(false),
      ...replaced,
    },
    reader: { fileSpace: () => ({ pageSize: 8192, pages: 10, emptyPages: 3 }) },
    diskShortage: () => undefined,
    logger: {
      info: (line, fields) => void lines.push(`${line} ${JSON.stringify(fields ?? {})}`),
      warning: (line) => void lines.push(line),
    },
    ...replaced,
  });
  const context = { compaction } as unknown as ConsoleContext;
  const say = async (words: string): Promise<string> => compactDb.run(context, words.split(' ').filter(Boolean));
  return { compaction, calls, lines, say };
}

const STARTED = 'DB compaction started in background. Use `compact_db status` or `compact_db wait`.\n';
const ALREADY = 'DB compaction is already running. Use `compact_db status` or `compact_db wait`.\n';

test.each([
  ['', ''],
  ['start', ''],
  ['force', ' (force)'],
])('compact_db %s runs slices until no free page is left, then a checkpoint', async (words, suffix) => {
  const { calls, lines, say } = bench(3);
  expect(await say('status')).toBe('DB compaction status: idle\n');
  expect(await say('wait')).toBe('No DB compaction is running.\n');
  expect(await say(words)).toBe(STARTED);
  expect(await say('start')).toBe(ALREADY);
  expect(await say('force')).toBe(ALREADY);
  const running = await say('status');
  expect(running).toMatch(/^DB compaction status: running \(\d+s elapsed\)\nStarted by: manual console request/);
  expect(running).toContain(`request${suffix}\nFree pages returned: `);
  expect(await say('wait')).toBe('Waiting for DB compaction to complete...\nDB compaction completed.\n');
  expect(calls).toEqual(['slice', 'slice', 'slice', 'checkpoint']);
  expect(await say('status')).toBe('DB compaction status: idle\nLast result: completed successfully\n');
  expect(lines).toEqual(['the database was compacted {"freedPages":6}']);
});

test('a stop aborts a running compaction and refuses later ones', async () => {
  const { compaction, calls, lines, say } = bench(Infinity);
  compaction.start('boot background task');
  expect(await say('status')).toContain('Started by: boot background task\n');
  await compaction.stop();
  expect(calls).not.toContain('checkpoint');
  expect(await say('status')).toBe(
    'DB compaction status: idle\nLast result: failed - interrupted because the node stops\n',
  );
  expect(lines).toEqual(['the compaction of the database was interrupted because the node stops {}']);
  expect(compaction.start('manual console request')).toBe(false);
});

test('an error of the chain writer ends the compaction and is reported', async () => {
  const { lines, say } = bench(1, { compactStep: () => Promise.reject(new Error('the disk is full')) });
  await say('force');
  await say('wait');
  expect(await say('status')).toContain('Last result: failed - the disk is full\n');
  expect(lines).toEqual(['the compaction of the database failed: the disk is full']);
});

test('without free space for the log no slice runs', async () => {
  const { calls, say } = bench(1, { diskShortage: () => 'only 1 MiB is free' });
  await say('start');
  await say('wait');
  expect(calls).toEqual([]);
  expect(await say('status')).toContain('Last result: failed - only 1 MiB is free\n');
});

test('the checkpoint is repeated while a reader holds the write-ahead log', async () => {
  let attempts = 0;
  const { compaction } = bench(1, { cutLog: () => Promise.resolve((attempts += 1) === 3) });
  compaction.start('manual console request');
  await compaction.wait();
  expect(attempts).toBe(3);
  expect(compaction.counts).toEqual({ completed: 1, failed: 0 });
});

describe('with a fake clock', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /**
   * @returns slices at the boot, and after an hour in which the chain grew by a block a minute and the system clock was set back
   *   and forward
   */
  async function hour(...args: string[]): Promise<number[]> {
    let height = 100;
    const { compaction, calls } = bench(0, { tip: () => ({ height }) } as never, args);
    const slices = (): number => calls.filter((call) => call === 'slice').length;
    compaction.enable();
    await compaction.wait();
    const seen = [slices()];
    for (let minute = 0; minute < 60; minute++) {
      height += 1;
      const stepHours = { 10: -5, 35: 10 }[minute] ?? 0;
      jest.setSystemTime(Date.now() + stepHours * 3_600_000);
      await jest.advanceTimersByTimeAsync(60_000);
    }
    await compaction.wait();
    await compaction.stop();
    return [...seen, slices()];
  }

  const gap = (blocks: number): string[] => ['--auto-compaction-min-gap-blocks', String(blocks)];

  test.each<[string, string[], number[]]>([
    ['compacts at the boot and by the schedule', gap(40), [1, 2]],
    ['at most every 30 minutes', gap(1), [1, 3]],
    ['not at the boot with --skip-boot-compaction', [...gap(40), '--skip-boot-compaction'], [0, 1]],
    ['not by the schedule while fewer blocks than the gap were added', [], [1, 1]],
    ['never by the schedule without a gap', gap(0), [1, 1]],
    ['whatever is free', [...gap(40), '--auto-compaction-min-free-bytes', '1000000000000000'], [1, 2]],
  ])('a node with an uptime of one hour %s', async (_name, args, wanted) =>
    expect(await hour(...args)).toEqual(wanted),
  );
});
