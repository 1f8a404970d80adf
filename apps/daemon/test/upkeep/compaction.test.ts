import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainUpkeep } from '../../src/chain/service';
import { compactDb } from '../../src/console/commands/compact-db';
import type { ConsoleContext } from '../../src/console/command';
import { Compaction, type CompactionParts } from '../../src/upkeep/compaction';
import { CompactionMarker } from '../../src/upkeep/compaction/marker';
import { temporaryDirectory } from '../support/temporary';

/* The compaction itself over an engine that the test is. */

interface Bench {
  readonly compaction: Compaction;
  readonly marker: string;
  readonly done: string[];
  /** What `compact_db <words>` prints. */
  say(words: string): Promise<string>;
}

/** @param steps after which nothing is left to do */
function bench(steps: number, parts: Partial<CompactionParts> = {}): Bench {
  const directory = temporaryDirectory();
  const done: string[] = [];
  const note = (what: string): Promise<void> => Promise.resolve(void done.push(what));
  const chain: ChainUpkeep = {
    compactStep: () => note('step').then(() => ({ done: done.length >= steps, freedPages: 2 })),
    cutLog: () => note('cut').then(() => true),
    hold: () => note('hold'),
    release: () => note('release'),
  };
  const rewrite = (): Promise<void> => note('rewrite');
  const marker = new CompactionMarker(directory);
  const compaction = new Compaction({ chain, marker, rewrite, noRoom: () => undefined, ...parts });
  const reader = { fileSpace: () => ({ pageSize: 1024, pages: 10, emptyPages: 3 }) };
  const context = { compaction, directory, rpc: { reader } } as unknown as ConsoleContext;
  const say = async (words: string): Promise<string> => compactDb.run(context, words.split(' ').filter(Boolean));
  return { compaction, marker: join(directory, '.compact_db_in_progress'), done, say };
}

const STARTED = 'DB compaction started in background. Use `compact_db status` or `compact_db wait`.\n';
const ALREADY = 'DB compaction is already running. Use `compact_db status` or `compact_db wait`.\n';

test('it works in steps until nothing is left, cuts the log, and its marker lies there meanwhile', async () => {
  const { marker, done, say } = bench(3);
  expect(await say('status')).toBe('DB compaction status: idle\n');
  expect(await say('wait')).toBe('No DB compaction is running.\n');
  expect(await say('')).toBe(STARTED);
  expect(existsSync(marker)).toBe(true);
  expect(await say('start')).toBe(ALREADY);
  expect(await say('force')).toBe(ALREADY);
  expect(await say('status')).toMatch(
    /^DB compaction status: running \(\d+s elapsed\)\nStarted by: manual console request\n$/,
  );
  expect(await say('wait')).toBe('Waiting for DB compaction to complete...\nDB compaction completed.\n');
  expect(done).toEqual(['step', 'step', 'step', 'cut']);
  expect(existsSync(marker)).toBe(false);
  expect(await say('status')).toBe('DB compaction status: idle\nLast result: completed successfully\n');
});

test('a stop interrupts it, whether it works in steps or another process rewrites, and the marker stays', async () => {
  for (const forced of [false, true]) {
    const rewrite = (signal: AbortSignal): Promise<void> =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const { compaction, marker, done, say } = bench(Infinity, { rewrite });
    compaction.start('boot background task', forced);
    expect(await say('status')).toContain(`Started by: boot background task${forced ? ' (force)' : ''}\n`);
    const before = performance.now();
    await compaction.stop();
    expect(performance.now() - before).toBeLessThan(1000);
    expect(existsSync(marker)).toBe(true);
    expect(await say('status')).toBe(
      'DB compaction status: idle\n' +
        'Persistent compaction marker present (previous run may have terminated mid-compaction).\n' +
        'Last result: failed - interrupted by the stop of the node\n',
    );
    if (forced) expect(done).toEqual(['hold', 'release']);
    expect(compaction.start('manual console request')).toBe(false);
  }
});

test('a forced one has the engine rest while the file is rewritten', async () => {
  const { done, say } = bench(4);
  expect(await say('force')).toBe(
    'A forced compaction rewrites the whole database and takes up to 14.00 KB on the disk; until it is done the node ' +
      `takes no blocks.\n${STARTED}`,
  );
  await say('wait');
  expect(done).toEqual(['hold', 'rewrite', 'release', 'step', 'cut']);
});

test('what fails is told, and the engine goes on', async () => {
  const { done, say } = bench(1, { rewrite: () => Promise.reject(new Error('the disk is full')) });
  await say('force');
  await say('wait');
  expect(done).toEqual(['hold', 'release']);
  expect(await say('status')).toContain('Last result: failed - the disk is full\n');
});

test('without room on the disk no step is made', async () => {
  const { done, say } = bench(1, { noRoom: () => 'no room' });
  await say('start');
  await say('wait');
  expect(done).toEqual([]);
  expect(await say('status')).toContain('Last result: failed - no room\n');
});
