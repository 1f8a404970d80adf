import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportPath } from '../../src/methods/container';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'wrkz-export-')));
const own = join(root, 'wallets');

beforeAll(() => {
  for (const folder of ['wallets/inner', 'wallets-of-others', 'outside'])
    mkdirSync(join(root, folder), { recursive: true });
  symlinkSync(join(root, 'outside'), join(own, 'way-out'));
  symlinkSync(join(own, 'inner'), join(own, 'way-in'));
});

afterAll(() => rmSync(root, { recursive: true }));

test.each([
  ['a.json', 'a.json'],
  ['inner/a.json', 'inner/a.json'],
  ['inner/../a.json', 'a.json'],
  ['way-in/a.json', 'inner/a.json'],
  [join(own, 'a.json'), 'a.json'],
])('%s is within the folder', (name, place) => {
  expect(exportPath(own, name)).toBe(join(own, place));
});

test.each([
  ['an empty name', ''],
  ['a name with a NUL byte', 'a\0.json'],
  ['the folder itself', '.'],
  ['the absolute path of the folder', own],
  ['a file in the parent folder', '../a.json'],
  ['a sibling whose name begins like the folder', '../wallets-of-others/a.json'],
  ['the absolute path of that sibling', `${own}-of-others/a.json`],
  ['a link to a folder outside', 'way-out/a.json'],
  ['a missing folder', 'nowhere/a.json'],
])('%s is refused', (_what, name) => {
  expect(() => exportPath(own, name)).toThrow('No such file or directory');
});
