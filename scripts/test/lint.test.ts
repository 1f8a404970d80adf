import { join } from 'node:path';
import { Linter } from 'eslint';
import { configs } from 'typescript-eslint';

/* The ladder and the purity of packages, in every form in which an import or a glance at the world can be written. */

const TOP = join(__dirname, '..', '..');
const rules = [
  ...jest.requireActual<Linter.Config[]>(join(TOP, 'eslint.config.js')),
  // they need all of the sources and are not what is asked about
  configs.disableTypeChecked as Linter.Config,
];
const linter = new Linter({ cwd: TOP, configType: 'flat' });

function refusals(folder: string, code: string): string[] {
  return linter
    .verify(`${code}\n`, rules, { filename: join(TOP, folder, 'src/some-file.ts') })
    .filter(({ ruleId, fatal }) => fatal === true || /restricted|require-imports/.test(ruleId ?? ''))
    .map(({ message }) => message);
}

const FORMS = [
  ['import', (name: string) => `import { x } from '${name}';`],
  ['import of types', (name: string) => `import type { X } from '${name}';`],
  ['export', (name: string) => `export * from '${name}';`],
  ['import()', (name: string) => `export const x = import('${name}');`],
  ['import() of a type', (name: string) => `export type X = import('${name}').X;`],
  ['import = require()', (name: string) => `import x = require('${name}');`],
] as const;

describe.each(FORMS)('%s', (_form, code) => {
  test.each([
    ['packages/consensus', '@wrkz/sqlite'],
    ['packages/consensus', '@wrkz/native'],
    ['packages/crypto', '@wrkz/core-types'],
    ['packages/chain-db', '../../sqlite/dist/index'],
    ['packages/chain-db', '../../sqlite/src/index'],
    ['packages/chain-db', '@wrkz/sqlite/src/open'],
    ['apps/daemon', '@wrkz/pow-helper'],
    ['apps/daemon', '@wrkz/testing/fixtures'],
  ])('%s may not import %s', (folder, name) => {
    expect(refusals(folder, code(name))).not.toEqual([]);
  });

  test.each(['node:crypto', 'fs', 'node:fs/promises', 'node:dns/promises', 'node:sqlite', 'http2', 'node:cluster'])(
    'a pure package may not import %s',
    (name) => expect(refusals('packages/levin', code(name))).not.toEqual([]),
  );
});

test.each(['packages/core-types', 'packages/consensus', 'packages/levin', 'packages/api'])('%s is pure', (folder) => {
  const glances = [
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
  expect(glances.filter((glance) => refusals(folder, `export const x = ${glance};`).length === 0)).toEqual([]);
});

test.each([
  ['packages/consensus', "import { BN } from 'bn.js';\nimport type { Network } from '@wrkz/core-types';"],
  ['packages/crypto', "import native from '@wrkz/native';"],
  ['packages/service-kit', "import { readFileSync } from 'node:fs';\nexport const now = Date.now() + Math.random();"],
  ['apps/daemon', "import { PeerEntry } from '@wrkz/levin';\nimport { route } from '../declare';"],
])('%s may import what stands below it', (folder, code) => {
  expect(refusals(folder, code)).toEqual([]);
});
