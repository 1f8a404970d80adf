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

/** The jest project of one package: `directory` is its folder, `name` what `--selectProjects` takes. */
export function projectConfig(directory: string, name: string): Config {
  return {
    displayName: name,
    rootDir: directory,
    testEnvironment: 'node',
    testMatch: ['<rootDir>/test/**/*.test.ts'],
    moduleNameMapper: {
      ...sources,
      '^@wrkz/testing/fixtures$': join(top, 'packages/testing/src/fixtures.ts'),
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
