import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/* eslint-disable-next-line @typescript-eslint/no-require-imports -- modules of executables are CommonJS */
const { placeFile } = require('../../packaging/executables/runtime/private-folder.cjs') as {
  placeFile(folder: string, name: string, bytes: Buffer): string;
};

const BYTES = Buffer.from('a native module');
let top: string;
beforeEach(() => (top = mkdtempSync(join(tmpdir(), 'wrkz-private-'))));
afterEach(() => rmSync(top, { recursive: true }));

const place = (): string => placeFile(join(top, 'native'), 'module', BYTES);

test('a native module is stored under its hash, in a folder without access for other users', () => {
  const path = place();
  expect(path).toContain(createHash('sha256').update(BYTES).digest('hex'));
  expect(readFileSync(path)).toEqual(BYTES);
  expect(statSync(join(top, 'native')).mode & 0o777).toBe(0o700);
  const first = statSync(path).ino;
  expect(statSync(place()).ino).toBe(first);
  expect(readdirSync(join(top, 'native'))).toHaveLength(1);
});

test('replaces a changed, truncated or unreadable file and a link, and does not change the target of the link', () => {
  const path = place();
  const other = join(top, 'other');
  writeFileSync(other, BYTES);
  for (const spoil of [
    () => writeFileSync(path, 'a native modulE'),
    () => writeFileSync(path, ''),
    () => writeFileSync(path, BYTES, { mode: 0 }),
    () => symlinkSync(other, path),
  ]) {
    rmSync(path);
    spoil();
    place();
    expect(readFileSync(path)).toEqual(BYTES);
    expect(statSync(path).mode & 0o777).toBe(0o500);
    expect(statSync(path).ino).not.toBe(statSync(other).ino);
  }
  expect(readFileSync(other)).toEqual(BYTES);
});

test('rejects a folder with access for other users, and a link to a folder', () => {
  const folder = join(top, 'native');
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  expect(place).toThrow('other users may reach into it');
  rmSync(folder, { recursive: true });
  mkdirSync(join(top, 'elsewhere'), { mode: 0o700 });
  symlinkSync(join(top, 'elsewhere'), folder);
  expect(place).toThrow('it is no folder');
  rmSync(folder);
  chmodSync(top, 0o777);
  expect(place).toThrow('other users may write to');
  expect(existsSync(join(folder, 'module'))).toBe(false);
});
