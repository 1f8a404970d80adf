import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createLogger } from '../src';
import { LogFile } from '../src/log/log-file';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'log-file-'));

/** A log file in a new folder, and the problems that it reports. */
function newLog(maxBytes: number, keep: number, folder = newFolder()) {
  const path = join(folder, 'a.log');
  const reported: string[] = [];
  const log = new LogFile({ path, maxBytes, keep, retryAfterMs: 1, onTrouble: (text) => reported.push(text) });
  const close = (): Promise<void> => new Promise((done) => log.end(done));
  return { log, path, folder, reported, close };
}

/** All lines of a log and its older files, oldest first. */
function linesOf(folder: string): string[] {
  const age = (name: string): number => Number(/\.(\d+)$/.exec(name)?.[1] ?? 0);
  return readdirSync(folder)
    .sort((a, b) => age(b) - age(a))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1));
}

const numbered = (count: number, width: number): string[] =>
  Array.from({ length: count }, (_, i) => `line ${String(i)} ${'x'.repeat(width)}`);

test.each([
  [2000, 30, 60_000],
  [2000, 30, 20_000],
  [2000, 300, 20_000],
  [50, 5000, 1000],
])(
  'loses, splits and reorders no line in a burst of %d lines that crosses the limit',
  async (count, width, maxBytes) => {
    const { log, folder, close } = newLog(maxBytes, 500);
    const lines = numbered(count, width);
    for (const line of lines) log.write(`${line}\n`);
    await close();
    expect(linesOf(folder)).toEqual(lines);
    expect(readdirSync(folder).length).toBeGreaterThan(1);
    const longest = Math.max(...lines.map((line) => line.length + 1));
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).size).toBeLessThan(maxBytes + longest);
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o640);
    }
  },
);

test('writes lines of any length, in bursts with pauses, over several runs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 50, max: 400 }),
      fc.array(fc.array(fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 20 }), { maxLength: 3 }), {
        maxLength: 3,
      }),
      async (maxBytes, runs) => {
        const folder = newFolder();
        const all: string[] = [];
        for (const bursts of runs) {
          const { log, close } = newLog(maxBytes, 2_000, folder);
          for (const burst of bursts) {
            for (const width of burst) {
              all.push(`${String(all.length)} ${'y'.repeat(width)}`);
              log.write(`${all.at(-1) ?? ''}\n`);
            }
            await new Promise((later) => setImmediate(later));
          }
          await close();
        }
        expect(linesOf(folder)).toEqual(all);
      },
    ),
    { numRuns: 60 },
  );
});

test('retains only the configured number of older files, the newest ones', async () => {
  const { log, folder, close } = newLog(100, 2);
  for (const line of numbered(50, 40)) log.write(`${line}\n`);
  await close();
  expect(readdirSync(folder).sort()).toEqual(['a.log', 'a.log.1', 'a.log.2']);
  expect(linesOf(folder).at(-1)).toContain('line 49 ');
  const none = newLog(100, 0);
  for (const line of numbered(50, 40)) none.log.write(`${line}\n`);
  await none.close();
  expect(readdirSync(none.folder)).toEqual(['a.log']);
});

test('without a limit a single file grows', async () => {
  const { log, folder, close } = newLog(0, 5);
  for (const line of numbered(2000, 40)) log.write(`${line}\n`);
  await close();
  expect(readdirSync(folder)).toEqual(['a.log']);
  expect(linesOf(folder)).toHaveLength(2000);
});

test('an existing file counts, and is rotated if it is already full', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'a.log'), `${'old '.repeat(100)}\n`);
  const { log, close } = newLog(200, 3, folder);
  log.write('new\n');
  await close();
  expect(readFileSync(join(folder, 'a.log'), 'utf8')).toBe('new\n');
  expect(statSync(join(folder, 'a.log.1')).size).toBe(401);
});

test('after a failed rotation the lines are appended to the current file, and the rotation is retried', async () => {
  const { log, folder, path, reported, close } = newLog(300, 1);
  mkdirSync(join(folder, 'a.log.1', 'in-the-way'), { recursive: true });
  const lines = numbered(30, 50);
  for (const line of lines) log.write(`${line}\n`);
  await close();
  expect(readFileSync(path, 'utf8')).toBe(`${lines.join('\n')}\n`);
  expect(reported.length).toBeGreaterThan(1);
  expect(reported[0]).toMatch(/a\.log cannot be rotated and continues to grow: /);
});

test('lines wait while the disk is full', async () => {
  const { log, path, reported, close } = newLog(0, 1);
  const refusing = { count: 3 };
  const inner = log as unknown as { file: object | undefined; written(bytes: Buffer): Promise<boolean> };
  log.write('first\n');
  await new Promise((later) => setTimeout(later, 20));
  const real = inner.file as { write(bytes: Buffer): Promise<{ bytesWritten: number }>; close(): Promise<void> };
  inner.file = {
    write: (bytes: Buffer) => {
      if (refusing.count-- > 0) return Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));
      return real.write(bytes.subarray(0, 4)); // Then partial writes of a few bytes.
    },
    close: () => real.close(),
  };
  log.write('second\n');
  log.write('third\n');
  await new Promise((later) => setTimeout(later, 50));
  await close();
  expect(readFileSync(path, 'utf8')).toBe('first\nsecond\nthird\n');
  expect(reported).toEqual([
    `the log file ${path} cannot be written: no space left on the device`,
    `the log file ${path} is written again`,
  ]);
});

test('does not rotate a device', async () => {
  const log = new LogFile({ path: '/dev/null', maxBytes: 10, keep: 1, onTrouble: (text) => expect(text).toBe('') });
  for (const line of numbered(100, 40)) log.write(`${line}\n`);
  await new Promise<void>((done) => log.end(done));
});

test('the logger rotates its file', async () => {
  const folder = newFolder();
  const logger = createLogger({
    level: 'debug',
    console: 'none',
    file: join(folder, 'a.log'),
    rotation: { maxBytes: 50_000, keep: 100 },
  });
  for (let i = 0; i < 5000; i++) logger.debug(`line ${String(i)}`);
  await logger.close();
  const lines = linesOf(folder);
  expect(lines).toHaveLength(5000);
  expect(lines.every((line, i) => line.endsWith(`DEBUG   line ${String(i)}`))).toBe(true);
  expect(readdirSync(folder).length).toBeGreaterThan(3);
});

test('lines dropped because of a slow disk are counted and reported', async () => {
  const { log, reported, close, folder } = newLog(0, 5);
  const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
  for (let i = 0; i < 70; i++) log.write(line);
  await close();
  const kept = linesOf(folder).length;
  expect(kept).toBeLessThan(70);
  expect(reported).toEqual([expect.stringMatching(new RegExp(`a\\.log .*; ${String(70 - kept)} lines were dropped$`))]);
});

test('after reopen the lines go to a new file at the path; its size counts from 0', async () => {
  const { log, path, folder, close } = newLog(100, 2);
  const write = (text: string): Promise<void> => new Promise((done) => log.write(`${text}\n`, () => done()));
  await write('x'.repeat(60));
  renameSync(path, `${path}.moved`);
  await log.reopen();
  await write('y'.repeat(60));
  await close();
  expect(readFileSync(`${path}.moved`, 'utf8')).toBe(`${'x'.repeat(60)}\n`);
  expect(readFileSync(path, 'utf8')).toBe(`${'y'.repeat(60)}\n`);
  expect(readdirSync(folder).sort()).toEqual(['a.log', 'a.log.moved']);
});

test('a path that cannot be reopened is an error, and further lines go to the old file', async () => {
  const { log, path, folder, close } = newLog(0, 0);
  const write = (text: string): Promise<void> => new Promise((done) => log.write(`${text}\n`, () => done()));
  await write('one');
  renameSync(path, `${path}.moved`);
  mkdirSync(path);
  await expect(log.reopen()).rejects.toThrow('EISDIR');
  await write('two');
  await close();
  expect(readFileSync(`${path}.moved`, 'utf8')).toBe('one\ntwo\n');
  expect(readdirSync(folder).sort()).toEqual(['a.log', 'a.log.moved']);
});
