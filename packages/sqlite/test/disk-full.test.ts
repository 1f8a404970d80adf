import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { accessError, DiskFull, FileInaccessible } from '../src';
import { cleanUp, fresh } from './support/folder';

afterEach(cleanUp);

const canMount = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs /mnt']).status === 0;
if (!canMount) process.stderr.write('skipped: a full disk, because this user cannot mount a file system\n');

(canMount ? test : test.skip)('each step on a full disk names file and option, and loses nothing', () => {
  const folder = fresh();
  const script = 'mount -t tmpfs -o size=512k tmpfs "$0" && exec "$@"';
  const program = ['-r', require.resolve('tsx/cjs'), join(__dirname, 'programs/full.ts'), folder];
  const words = ['-m', 'sh', '-c', script, folder, process.execPath, ...program];
  const { stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8' });
  expect(stderr).toBe('');
  const full = (what: string, option: string): unknown => [
    'DiskFull',
    expect.stringMatching(
      new RegExp(`^the disk is full: cannot write the ${what}\\. Free space on that disk, or move .* with ${option}$`),
    ),
  ];
  const journal = full(`journal ${join(folder, 'journal.sqlite')}`, '--data-dir');
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    ['create', journal],
    ['write', journal],
    ['open', journal],
    ['open later', 'done'],
    ['backup', full(`backup of the journal ${join(folder, 'copy.sqlite')}`, '--backup')],
  ]);
});

test('does not report other write errors as a full disk', () => {
  const name = { file: fresh('journal.sqlite'), title: 'journal' };
  const failed = (code: string): FileInaccessible => accessError(name, Object.assign(new Error('failed'), { code }));
  for (const code of ['ENOSPC', 'EDQUOT', 'SQLITE_FULL']) expect(failed(code)).toBeInstanceOf(DiskFull);
  for (const code of ['EIO', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_READ']) {
    expect(failed(code)).not.toBeInstanceOf(DiskFull);
  }
});
