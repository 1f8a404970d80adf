import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/* `.dependency-cruiser.cjs` on a small workspace. */

const TOP = join(__dirname, '..', '..');
const root = mkdtempSync(join(tmpdir(), 'wrkz-imports-'));
afterAll(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function writePackage(folder: string, dependencies: readonly string[], source: string): void {
  const name = `@wrkz/${folder.split('/')[1] as string}`;
  const exports = { '.': { '@wrkz/source': './src/index.ts' } };
  const declared = Object.fromEntries(dependencies.map((dependency) => [dependency, '*']));
  write(`${folder}/package.json`, JSON.stringify({ name, exports, dependencies: declared }));
  write(`${folder}/src/index.ts`, source);
  for (const dependency of dependencies.filter((one) => one.startsWith('@wrkz/'))) {
    const link = join(root, folder, 'node_modules', dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'packages', dependency.slice('@wrkz/'.length)), link);
  }
}

test('rejects imports of higher layers, of undeclared packages, of Node.js in pure packages, and in cycles', () => {
  write('tsconfig.test.json', '{}');
  writePackage('packages/crypto', [], 'export const hash = 1;');
  writePackage('packages/testing', [], 'export const chain = 1;');
  writePackage('packages/core-types', ['@wrkz/crypto'], "export { hash } from '@wrkz/crypto';");
  writePackage('packages/sqlite', ['@wrkz/core-types'], "import type { hash } from '@wrkz/core-types';");
  writePackage(
    'packages/levin',
    [],
    "import { x } from 'undeclared'; import { y } from '@wrkz/crypto'; export { x, y };",
  );
  writePackage('packages/api', [], "export { readFile } from 'node:fs';");
  writePackage('packages/client', [], "export { a } from './a';");
  write('packages/client/src/a.ts', "import type { b } from './b'; export const a = 1;");
  write('packages/client/src/b.ts', "import type { a } from './a'; export const b = 1;");
  writePackage('apps/one', [], 'export const one = 1;');
  writePackage(
    'apps/two',
    ['@wrkz/testing'],
    "export { one } from '../../one/src'; export { chain } from '@wrkz/testing';",
  );

  const program = join(TOP, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const config = join(TOP, '.dependency-cruiser.cjs');
  const args = [program, '--config', config, '--output-type', 'json', 'packages', 'apps'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  expect(stderr).toBe('');
  const { summary } = JSON.parse(stdout) as { summary: { violations: { rule: { name: string }; from: string }[] } };
  const found = summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`);
  expect([...new Set(found)].sort()).toEqual([
    'ladder-apps: apps/two/src/index.ts',
    'ladder-sqlite: packages/sqlite/src/index.ts',
    'no-circular: packages/client/src/a.ts',
    'not-resolvable: packages/levin/src/index.ts',
    'pure-packages: packages/api/src/index.ts',
    'testing-in-tests-only: apps/two/src/index.ts',
  ]);
});
