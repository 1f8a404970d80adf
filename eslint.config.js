'use strict';

const { builtinModules } = require('node:module');
const js = require('@eslint/js');
const { defineConfig, globalIgnores } = require('eslint/config');
const tseslint = require('typescript-eslint');

const PRIVATE_NAMES = { selector: 'PrivateIdentifier', message: 'Private members have the modifier `private`.' };
/** The ladder and the search for circles see import statements only. */
const RESTRICTED_SYNTAX = [
  PRIVATE_NAMES,
  { selector: 'TSImportType', message: 'Import types with a statement at the top of the file.' },
  { selector: 'ImportExpression', message: 'Import with a statement at the top of the file.' },
];

/** What each package may import from the suite. An import may only point down the ladder; apps never import each other. */
const LADDER = {
  'packages/crypto': ['native'],
  'packages/core-types': ['crypto'],
  'packages/consensus': ['core-types', 'crypto'],
  'packages/levin': ['core-types', 'crypto'],
  'packages/api': [],
  'packages/pages': [],
  'packages/sqlite': [],
  'packages/service-kit': [],
  // what threads load stays small: without servers, options, logs and figures
  'packages/chain-db': ['sqlite', 'consensus', 'core-types', 'crypto', 'service-kit/base'],
  'packages/wallet-core': [
    'sqlite',
    'client',
    'client/reading',
    'levin',
    'api',
    'consensus',
    'core-types',
    'crypto',
    'service-kit',
    'service-kit/base',
  ],
  'packages/client': ['api', 'core-types', 'crypto', 'service-kit/base'],
  'packages/wallet-server': ['client', 'wallet-core', 'core-types', 'service-kit'],
  'packages/miner': ['api', 'client', 'consensus', 'core-types', 'crypto', 'service-kit', 'service-kit/early-signals'],
  'apps/*': [
    'client',
    'miner',
    'wallet-core',
    'wallet-server',
    'chain-db',
    'levin',
    'api',
    'consensus',
    'service-kit',
    'service-kit/base',
    'service-kit/early-signals',
    'sqlite',
    'pages',
    'core-types',
    'crypto',
  ],
};

/** Packages of pure rules: no files, sockets, processes, threads, clocks or randomness; so no module of Node.js itself. */
const PURE = ['packages/core-types', 'packages/consensus', 'packages/levin', 'packages/api'];
const OUTSIDE_WORLD = `^(node:|(${builtinModules.filter((name) => !name.startsWith('node:')).join('|')})(/|$))`;
const OUTSIDE_GLOBALS = [
  ...['Date', 'performance'].map((name) => ({ name, message: 'Time is passed in.' })),
  ...['setTimeout', 'setInterval', 'setImmediate'].map((name) => ({ name, message: 'Time is passed in.' })),
  { name: 'process', message: 'Settings are passed in.' },
  { name: 'crypto', message: 'Hashes come from @wrkz/crypto, randomness is passed in.' },
  ...['globalThis', 'global'].map((name) => ({ name, message: 'Whatever is not a rule is passed in.' })),
  ...['fetch', 'WebSocket'].map((name) => ({ name, message: 'This package knows no sockets.' })),
  { name: 'console', message: 'This package prints nothing.' },
];

const INSIDES = {
  regex: '^@wrkz/[^/]+/(src|dist)(/|$)',
  message: 'Import a package by its name, not from its insides.',
};
const ESCAPES = {
  regex: '^(\\.\\./)+((packages|apps|native)/|[\\w-]+/(src|dist)(/|$))',
  message: 'Import another package by its name (@wrkz/...).',
};

function ladder(folder, allowed) {
  const names = allowed.length === 0 ? '' : `(?!(${allowed.join('|')})$)`;
  const pure = PURE.includes(folder);
  return {
    files: [`${folder}/src/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            INSIDES,
            ESCAPES,
            ...(pure
              ? [
                  {
                    regex: OUTSIDE_WORLD,
                    message: 'This package knows no files, sockets, clocks, randomness or databases.',
                  },
                ]
              : []),
            {
              regex: `^@wrkz/${names}`,
              message: `The package ladder: ${folder} may import ${allowed.join(', ') || 'no other package'}; only tests import testing.`,
            },
          ],
        },
      ],
      'no-restricted-syntax': ['error', ...RESTRICTED_SYNTAX],
      ...(pure
        ? {
            'no-restricted-globals': ['error', ...OUTSIDE_GLOBALS],
            'no-restricted-properties': [
              'error',
              { object: 'Math', property: 'random', message: 'Randomness is passed in.' },
            ],
          }
        : {}),
    },
  };
}

module.exports = defineConfig(
  globalIgnores([
    '**/node_modules/',
    '**/dist/',
    '**/build/',
    '**/prebuilds/',
    '**/coverage/',
    '.bootstrap/',
    'packages/testing/fixtures/',
  ]),
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: __dirname } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { arguments: false, attributes: false } },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-assertions': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/require-await': 'off',
      'no-restricted-imports': ['error', { patterns: [INSIDES] }],
      'no-restricted-syntax': ['error', PRIVATE_NAMES],
      // a refusal in the program's own words often says all there is to say
      'preserve-caught-error': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  ...Object.entries(LADDER).map(([folder, allowed]) => ladder(folder, allowed)),
  {
    files: ['**/test/**/*.ts', 'packages/testing/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/await-thenable': 'off',
      'no-regex-spaces': 'off',
      'no-console': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { require: 'readonly', module: 'writable', process: 'readonly', __dirname: 'readonly' },
    },
  },
  {
    files: ['packages/pages/assets/*.js', 'docs/site/assets/*.js'],
    languageOptions: {
      sourceType: 'script',
      globals: {
        document: 'readonly',
        navigator: 'readonly',
        getSelection: 'readonly',
        matchMedia: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
      },
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
      },
    },
  },
);
