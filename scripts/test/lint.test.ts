import { join } from 'node:path';
import { Linter } from 'eslint';
import { configs } from 'typescript-eslint';

/* Imports of files inside another package, imports without a statement, and globals in pure packages. */

const TOP = join(__dirname, '..', '..');
const rules = [
  ...jest.requireActual<Linter.Config[]>(join(TOP, 'eslint.config.js')),
  // Rules with types need all sources.
  configs.disableTypeChecked as Linter.Config,
];
const linter = new Linter({ cwd: TOP, configType: 'flat' });

function refusals(folder: string, code: string): string[] {
  return linter
    .verify(`${code}\n`, rules, { filename: join(TOP, folder, 'src/some-file.ts') })
    .filter(({ ruleId, fatal }) => fatal === true || /restricted|require-imports/.test(ruleId ?? ''))
    .map(({ message }) => message);
}

test.each([
  "import { x } from '@wrkz/sqlite/src/open';",
  "export * from '../../sqlite/dist/index';",
  "import x = require('../../sqlite/src/index');",
  "export const x = import('@wrkz/crypto');",
  "export type X = import('@wrkz/crypto').X;",
])('a package may not contain: %s', (code) => {
  expect(refusals('packages/chain-db', code)).not.toEqual([]);
});

test.each(['packages/core-types', 'packages/consensus', 'packages/levin', 'packages/api'])('%s is pure', (folder) => {
  const uses = [
    'Date.now()',
    'globalThis.Date.now()',
    'new Date()',
    'process.env',
    'globalThis.process.pid',
    'performance.now()',
    'Math.random()',
    'crypto.randomUUID()',
    'setTimeout(String, 1)',
    "fetch('/')",
  ];
  expect(uses.filter((use) => refusals(folder, `export const x = ${use};`).length === 0)).toEqual([]);
});

test.each([
  ['packages/consensus', "import { BN } from 'bn.js';\nimport type { Network } from '@wrkz/core-types';"],
  ['packages/service-kit', "import { readFileSync } from 'node:fs';\nexport const now = Date.now() + Math.random();"],
])('%s may contain other imports and globals', (folder, code) => {
  expect(refusals(folder, code)).toEqual([]);
});
