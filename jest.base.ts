import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from 'jest';

const top = __dirname;

/** `@wrkz/<name>` resolves to the sources, so a test never depends on a stale build. */
const sources = Object.fromEntries(
  ['packages', 'apps'].flatMap((room) =>
    readdirSync(join(top, room)).map((name) => [`^@wrkz/${name}$`, join(top, room, name, 'src/index.ts')]),
  ),
);

/** The tests of each kind; slow and fuzz tests run only when asked for by the environment variable TEST_KIND. */
const TEST_FILES: Readonly<Record<string, string[]>> = {
  '': ['<rootDir>/test/**/*.test.ts', '!**/*.slow.test.ts', '!**/*.fuzz.test.ts'],
  slow: ['<rootDir>/test/**/*.slow.test.ts'],
  fuzz: ['<rootDir>/test/**/*.fuzz.test.ts'],
};

/** The jest project of one package: `directory` is its folder, `name` what `--selectProjects` takes. */
export function projectConfig(directory: string, name: string): Config {
  return {
    displayName: name,
    testTimeout: 30_000,
    rootDir: directory,
    testEnvironment: 'node',
    testMatch: TEST_FILES[process.env['TEST_KIND'] ?? ''] ?? TEST_FILES['']!,
    moduleNameMapper: {
      ...sources,
      '^@wrkz/testing/(fixtures|source)$': join(top, 'packages/testing/src/$1.ts'),
    },
    transform: {
      '^.+\\.(t|m?j)s$': [
        '@swc/jest',
        { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
      ],
    },
    // @noble ships ES modules only; everything else in node_modules is taken as it is.
    transformIgnorePatterns: ['/node_modules/(?!(\\.pnpm/)?@noble)'],
  };
}
