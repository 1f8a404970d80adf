import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveFile } from '../src/file-paths';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wrkz-file-names-'));
  mkdirSync(join(folder, 'wallets'));
  symlinkSync('/', join(folder, 'wallets', 'out'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('rejects names outside the directory, also through symlinks', () => {
  const places = { directory: join(folder, 'wallets'), anyPath: false };
  expect(resolveFile('a.wallet', places)).toBe(join(folder, 'wallets', 'a.wallet'));
  expect(resolveFile('sub/a.wallet', places)).toBe(join(folder, 'wallets', 'sub', 'a.wallet'));
  for (const name of ['', '.', '..', '../a.wallet', '/etc/passwd', 'out/etc/passwd', 'a\0b', 'sub/../../a']) {
    expect(resolveFile(name, places)).toBeUndefined();
  }
});

test('accepts any path with anyPath', () => {
  const places = { directory: join(folder, 'wallets'), anyPath: true };
  expect(resolveFile('../a.wallet', places)).toBe(join(folder, 'a.wallet'));
  expect(resolveFile('/etc/passwd', places)).toBe('/etc/passwd');
});
