'use strict';

const { basename, dirname, join } = require('node:path');

/** The tests of each kind; slow and fuzz tests run only when asked for by the environment variable TEST_KIND. */
const TEST_FILES = {
  '': ['<rootDir>/test/**/*.test.ts', '!**/*.slow.test.ts', '!**/*.fuzz.test.ts'],
  slow: ['<rootDir>/test/**/*.slow.test.ts'],
  fuzz: ['<rootDir>/test/**/*.fuzz.test.ts'],
};

/** Ends only tests that hang: a test of seconds may take minutes on a busy machine. The long tests take hours. */
exports.TEST_TIMEOUT_MS = process.env['TEST_KIND'] ? 4 * 3_600_000 : 600_000;

/** Own and Node.js's conditions of `exports`: `@wrkz/source` is a package's source, so no test depends on a stale build. */
const CONDITIONS = ['@wrkz/source', 'node', 'node-addons'];

/**
 * The jest project of the package or app in `directory`, named after that folder. Names are resolved as Node.js does it,
 * through the package's own node_modules, so that what its package.json does not declare is not found.
 */
exports.projectConfig = function projectConfig(directory) {
  return {
    displayName: basename(directory),
    testTimeout: exports.TEST_TIMEOUT_MS,
    rootDir: directory,
    testEnvironment: 'node',
    setupFilesAfterEnv: [require.resolve('./jest.setup')],
    testEnvironmentOptions: { customExportConditions: CONDITIONS },
    testMatch: TEST_FILES[process.env['TEST_KIND'] ?? ''] ?? TEST_FILES[''],
    // Lazy imports: a package is loaded at its first use, which saves about 0.3 s of the 0.7 s that a test file takes to load.
    transform: {
      '^.+\\.(t|m?j)s$': [
        require.resolve('@swc/jest'),
        { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs', lazy: true } },
      ],
    },
    // @noble ships ES modules only; everything else in node_modules is taken as it is.
    transformIgnorePatterns: ['/node_modules/(?!(\\.pnpm/)?@noble)'],
  };
};

/** The setup file for tests that create wallet files, found as a dependency of the package in `directory`. */
exports.cheapKeys = function cheapKeys(directory) {
  const testing = dirname(require.resolve('@wrkz/testing/package.json', { paths: [directory] }));
  return join(testing, 'src/cheap-keys.ts');
};
