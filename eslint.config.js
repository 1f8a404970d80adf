'use strict';

const js = require('@eslint/js');
const { defineConfig, globalIgnores } = require('eslint/config');
const tseslint = require('typescript-eslint');

const PRIVATE_NAMES = { selector: 'PrivateIdentifier', message: 'Private members have the modifier `private`.' };
/** .dependency-cruiser.cjs sees import statements only. */
const RESTRICTED_SYNTAX = [
  PRIVATE_NAMES,
  { selector: 'TSImportType', message: 'Import types with a statement at the top of the file.' },
  { selector: 'ImportExpression', message: 'Import with a statement at the top of the file.' },
  {
    selector: 'MemberExpression[object.name="AbortSignal"][property.name=/^(any|timeout)$/]',
    message: 'It leaks memory or never fires in Node.js 20: use withController or withTimeout.',
  },
];

/** The number of an error is in one table (`errors.ts`, `error-table.ts`); other code uses its name. */
const ERROR_NUMBERS = [
  ':matches(Property, PropertyDefinition)[key.name=/^(code|errorCode)$/] > :matches(Literal[raw=/^[1-9]/], UnaryExpression)',
  'BinaryExpression:has(> MemberExpression[property.name=/^(code|errorCode)$/]) > :matches(Literal[raw=/^[1-9]/], UnaryExpression)',
  'NewExpression[callee.name=/(Error|Refusal)$/] > :matches(Literal[raw=/^[1-9]/], UnaryExpression)',
].map((selector) => ({ selector, message: 'The number of an error is in its table: use its name.' }));

/** Packages of pure rules: no clocks, processes or randomness. .dependency-cruiser.cjs forbids modules of Node.js there. */
const PURE = ['core-types', 'consensus', 'levin', 'api'];
const OUTSIDE_GLOBALS = [
  ...['Date', 'performance'].map((name) => ({ name, message: 'Time is passed in.' })),
  ...['setTimeout', 'setInterval', 'setImmediate'].map((name) => ({ name, message: 'Time is passed in.' })),
  { name: 'process', message: 'Settings are passed in.' },
  { name: 'crypto', message: 'Hashes come from @wrkz/crypto, randomness is passed in.' },
  ...['globalThis', 'global'].map((name) => ({ name, message: 'Everything but rules is passed in.' })),
  ...['fetch', 'WebSocket'].map((name) => ({ name, message: 'This package uses no sockets.' })),
  { name: 'console', message: 'This package prints nothing.' },
];

const INSIDES = {
  regex: '^@wrkz/[^/]+/(src|dist)(/|$)',
  message: 'Import a package by its name, not a file inside it.',
};
const ESCAPES = {
  regex: '^(\\.\\./)+((packages|apps|native)/|[\\w-]+/(src|dist)(/|$))',
  message: 'Import another package by its name (@wrkz/...).',
};

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
    files: ['**/*.ts', '**/*.mts'],
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
  {
    files: ['{packages,apps}/*/src/**/*.ts'],
    rules: {
      'no-restricted-imports': ['error', { patterns: [INSIDES, ESCAPES] }],
      'no-restricted-syntax': ['error', ...RESTRICTED_SYNTAX, ...ERROR_NUMBERS],
    },
  },
  {
    files: ['{packages,apps}/*/src/**/{errors,error-table}.ts', 'packages/testing/src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...RESTRICTED_SYNTAX] },
  },
  {
    files: PURE.map((name) => `packages/${name}/src/**/*.ts`),
    rules: {
      'no-restricted-globals': ['error', ...OUTSIDE_GLOBALS],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Randomness is passed in.' },
      ],
    },
  },
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
  { files: ['jest.setup.js'], languageOptions: { globals: { expect: 'readonly', Buffer: 'readonly' } } },
  {
    files: ['packages/pages/assets/*.js'],
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
