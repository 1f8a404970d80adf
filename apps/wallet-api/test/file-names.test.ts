import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filePlace } from '../src/file-names';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wrkz-file-names-'));
  mkdirSync(join(folder, 'wallets'));
  symlinkSync('/', join(folder, 'wallets', 'out'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('names lead nowhere outside of the folder, not through a link either', () => {
  const places = { directory: join(folder, 'wallets'), anyPath: false };
  expect(filePlace('a.wallet', places)).toBe(join(folder, 'wallets', 'a.wallet'));
  expect(filePlace('sub/a.wallet', places)).toBe(join(folder, 'wallets', 'sub', 'a.wallet'));
  for (const name of ['', '.', '..', '../a.wallet', '/etc/passwd', 'out/etc/passwd', 'a\0b', 'sub/../../a']) {
    expect(filePlace(name, places)).toBeUndefined();
  }
});

test('any path is taken where the operator allows it', () => {
  const places = { directory: join(folder, 'wallets'), anyPath: true };
  expect(filePlace('../a.wallet', places)).toBe(join(folder, 'a.wallet'));
  expect(filePlace('/etc/passwd', places)).toBe('/etc/passwd');
});
