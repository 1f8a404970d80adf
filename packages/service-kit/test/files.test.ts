import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  assetPath,
  atomicWriteFile,
  atomicWriteFileSync,
  dataDirectory,
  ensureDirectory,
  readOperatorFile,
  workerEntry,
} from '../src';

const folder = mkdtempSync(join(tmpdir(), 'files-'));

test('the data directory is a separate folder', () => {
  expect(dataDirectory('daemon')).toBe(join(homedir(), '.wrkzcoin-suite', 'daemon'));
});

test('a directory is created with mode 0700; a path that cannot be one is a clear error', () => {
  const path = ensureDirectory(join(folder, 'a', 'b'));
  expect(statSync(path).mode & 0o777).toBe(0o700);
  writeFileSync(join(folder, 'plain'), '');
  expect(() => ensureDirectory(join(folder, 'plain'))).toThrow(/the directory .*plain cannot be used: /);
  expect(() => ensureDirectory(join(folder, 'plain', 'x'))).toThrow('a part of the path is not a directory');
  symlinkSync('circle', join(folder, 'circle'));
  expect(() => ensureDirectory(join(folder, 'circle'))).toThrow('too many levels of symbolic links');
  symlinkSync('nowhere', join(folder, 'dangling'));
  expect(() => ensureDirectory(join(folder, 'dangling'))).toThrow('no such file or directory');
  expect(() => ensureDirectory(join(folder, 'x'.repeat(300)))).toThrow('the name is too long');
});

(process.platform === 'linux' ? test : test.skip)(
  'reports immediately a path where the system allows no directories',
  () => {
    expect(() => ensureDirectory('/proc/no/where')).toThrow(/^the directory \/proc\/no\/where cannot be used: /);
  },
);

describe.each([
  ['atomicWriteFile', atomicWriteFile],
  ['atomicWriteFileSync', atomicWriteFileSync],
])('%s', (name, write) => {
  test('replaces the whole content and leaves nothing else behind', async () => {
    const path = join(folder, name, 'file');
    await write(path, 'a long first content');
    await write(path, 'second');
    expect(readFileSync(path, 'utf8')).toBe('second');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, name))).toEqual(['file']);
  });

  test('a failure does not change the old file', async () => {
    const path = join(folder, name, 'kept');
    ensureDirectory(path);
    await expect((async () => write(path, 'x'))()).rejects.toThrow();
    expect(readdirSync(join(folder, name)).filter((entry) => entry.endsWith('.tmp'))).toEqual([]);
  });

  test('retains a symbolic link and replaces its target', async () => {
    const behind = join(folder, name, 'behind', 'file');
    const link = join(folder, name, 'link');
    await write(behind, 'old');
    symlinkSync(behind, link);
    await write(link, 'new');
    expect(readFileSync(behind, 'utf8')).toBe('new');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  test('rejects a device or other special file', async () => {
    const pipe = join(ensureDirectory(join(folder, name)), 'pipe');
    execFileSync('mkfifo', [pipe]);
    await expect((async () => write(pipe, 'x'))()).rejects.toThrow('it is not a regular file');
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });
});

describe('a file that the operator names', () => {
  const pipe = join(folder, 'operator-pipe');
  beforeAll(() => execFileSync('mkfifo', [pipe]));

  test('may be a pipe, whose writer starts later', () => {
    spawn('sh', ['-c', 'exec 3>"$0"; head -c 100000 /dev/zero >&3; echo end >&3', pipe], { stdio: 'ignore' });
    expect(readOperatorFile(pipe).toString('latin1')).toBe(`${'\0'.repeat(100_000)}end\n`);
  });

  test('does not block as a pipe without a writer or data, or as an endless device', () => {
    expect(() => readOperatorFile(pipe, 10, 0)).toThrow('no data for 0 seconds');
    const writer = openSync(pipe, constants.O_RDWR);
    expect(() => readOperatorFile(pipe, 10, 0)).toThrow('no data for 0 seconds');
    closeSync(writer);
    expect(() => readOperatorFile('/dev/zero', 10)).toThrow('it has more than 10 bytes');
  });

  test('may be empty, and is no folder', () => {
    expect(readOperatorFile('/dev/null')).toHaveLength(0);
    expect(() => readOperatorFile(folder)).toThrow('EISDIR');
  });
});

test('paths of run-time files are relative to the folder of the suite', () => {
  expect(readFileSync(assetPath('package.json'), 'utf8')).toContain('"packageManager"');
  expect(() => assetPath('apps/none.sql')).toThrow('the installation is not complete: apps/none.sql is missing');
});

test('worker code runs from its source', async () => {
  const { path, execArgv } = workerEntry(join(__dirname, 'programs'), 'worker');
  const worker = new Worker(path, { execArgv });
  const [result] = await new Promise<unknown[]>((resolve, reject) => {
    worker.once('message', (...message) => resolve(message));
    worker.once('error', reject);
  });
  expect(result).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
  await worker.terminate();
  expect(() => workerEntry(__dirname, 'none')).toThrow('none.js is missing');
});
