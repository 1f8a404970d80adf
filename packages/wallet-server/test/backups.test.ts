import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startBackupJob } from '../src';

let folder: string;
let now: number;
let tick: () => void;
let delay: number | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wrkz-backups-'));
  now = Date.UTC(2026, 10, 24, 8, 0, 0);
  delay = undefined;
  jest.spyOn(globalThis, 'setInterval').mockImplementation((callback, ms) => {
    [tick, delay] = [callback, ms];
    return { unref: () => undefined } as never;
  });
});

afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** Starts a job. @returns a function that runs the job once and resolves to its report */
function job(backup: (to: string) => Promise<void>, keep: number): () => Promise<string> {
  let report: (text: string) => void = () => undefined;
  const file = join(folder, 'a.wallet');
  startBackupJob(
    {
      current: () => ({ wallet: { backup }, file }),
      now: () => now,
      written: (to) => report(to),
      warn: (text) => report(text),
    },
    { everyMinutes: 15, keep },
  );
  return async () => {
    const reported = new Promise<string>((resolve) => (report = resolve));
    tick();
    const text = await reported;
    // The job ends in the microtasks after its report.
    await new Promise((resolve) => setImmediate(resolve));
    return text;
  };
}

const write = async (to: string): Promise<void> => {
  for (const name of [to, `${to}.db`]) writeFileSync(name, '');
};

test('writes a backup per interval and deletes all but the newest', async () => {
  const run = job(write, 2);
  expect(delay).toBe(15 * 60_000);
  expect(await run()).toBe(join(folder, 'backups', 'a.wallet.20261124T080000Z'));
  writeFileSync(join(folder, 'backups', 'b.wallet.20200101T000000Z'), '');
  writeFileSync(join(folder, 'backups', 'a.wallet.by-hand'), '');
  for (let i = 0; i < 3; i++) {
    now += 60_000;
    await run();
  }
  expect(readdirSync(join(folder, 'backups')).sort()).toEqual([
    'a.wallet.20261124T080200Z',
    'a.wallet.20261124T080200Z.db',
    'a.wallet.20261124T080300Z',
    'a.wallet.20261124T080300Z.db',
    'a.wallet.by-hand',
    'b.wallet.20200101T000000Z',
  ]);
});

test('deletes files of killed backups, and does not count them as backups', async () => {
  const run = job(write, 2);
  const first = basename(await run());
  const killed = 'a.wallet.20261124T080030Z';
  const left = [
    ...[killed, `${killed}.tmp`, `.${killed}.db.lock`],
    ...['', '-journal', '-wal', '-shm'].map((suffix) => `.${killed}.db.0123456789ab.tmp${suffix}`),
    `.${first}.db.0123456789ab.tmp`,
  ];
  const others = [
    '.a.wallet.by-hand.db.0123456789ab.tmp',
    'b.wallet.20261124T080030Z',
    'b.wallet.20261124T080030Z.tmp',
  ];
  for (const name of [...left, ...others]) writeFileSync(join(folder, 'backups', name), '');
  now += 60_000;
  const second = basename(await run());
  const pairs = [first, second].flatMap((name) => [name, `${name}.db`]);
  expect(readdirSync(join(folder, 'backups')).sort()).toEqual([...pairs, ...others].sort());
});

test('retains the latest backup when earlier ones have times in the future', async () => {
  const run = job(write, 2);
  now += 1_000_000_000_000;
  for (let i = 0; i < 2; i++) {
    now += 60_000;
    await run();
  }
  now -= 1_000_000_000_000;
  const file = await run();
  expect(readdirSync(join(folder, 'backups'))).toContain(basename(file));
  expect(readdirSync(join(folder, 'backups'))).toHaveLength(4);
});

test('deletes nothing and warns when a backup fails', async () => {
  await job(write, 1)();
  now += 60_000;
  const run = job(() => Promise.reject(new Error('disk full')), 1);
  expect(await run()).toBe('the scheduled backup failed: disk full');
  expect(readdirSync(join(folder, 'backups'))).toHaveLength(2);
});

test('does not start with an interval of 0', () => {
  startBackupJob({} as never, { everyMinutes: 0, keep: 1 });
  expect(delay).toBeUndefined();
});
