/**
 * `npm test [-- jest options]`: updates the workspace and runs the tests.
 * `--kind slow` and `--kind fuzz` run those tests instead (files `*.slow.test.ts`, `*.fuzz.test.ts`).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { Failure, main, run } from './lib/run.mjs';
import { tool, top } from './lib/workspace.mjs';

/** Programs without which tests are skipped, and the package that has each. */
const PROGRAMS = [
  { names: ['redis-server'], package: 'redis-server' },
  { names: ['chromium', 'chromium-browser', 'google-chrome'], package: 'chromium' },
  { names: ['script'], package: 'bsdutils' },
  { names: ['unshare'], package: 'util-linux' },
  { names: ['ip'], package: 'iproute2' },
];

/**
 * Options of Node.js, which test workers inherit. jest loads all modules anew for each file. A larger young generation
 * (MiB) takes 7 % less processor time, and a later start of the optimizing compiler (bytes of executed bytecode) another 6 to 15 %.
 */
const NODE_OPTIONS = [
  ...['--max-semi-space-size=64', '--min-semi-space-size=32', '--interrupt-budget=600000'],
  ...['--require', join(top, 'scripts/lib/exit-at-once.cjs')],
];

/** Reports missing programs. @throws Failure if WRKZ_REQUIRE_PROGRAMS is set */
function checkPrograms() {
  const isInstalled = (name) => spawnSync('which', [name]).status === 0;
  const missing = PROGRAMS.filter(({ names }) => !names.some(isInstalled));
  if (missing.length === 0) return;
  const packages = missing.map((program) => program.package).join(' ');
  const text = `tests are skipped without ${missing.map(({ names }) => names[0]).join(', ')}: apt-get install ${packages}`;
  if (process.env.WRKZ_REQUIRE_PROGRAMS) throw new Failure(text);
  process.stderr.write(`[test] ${text}\n`);
}

/**
 * Writes `jest.config.ts` as JSON into a folder: Node.js itself reads TypeScript only from version 22.18 on. jest would apply a
 * configuration on its command line to each project.
 */
async function jestConfig(folder) {
  // Not a static import: a fresh clone has no dependencies before `bootstrap`.
  const { require } = await import('tsx/cjs/api');
  const { default: config } = require('../jest.config.ts', import.meta.url);
  const { TEST_TIMEOUT_MS: testTimeout } = require('../jest.base.js', import.meta.url);
  const file = join(folder, 'jest.config.json');
  writeFileSync(file, JSON.stringify({ ...config, rootDir: top, testTimeout }));
  return file;
}

await main(async () => {
  const args = process.argv.slice(2);
  const at = args.indexOf('--kind');
  const kind = at < 0 ? '' : args.splice(at, 2)[1];
  await bootstrap();
  checkPrograms();
  if (kind) process.env.TEST_KIND = kind;
  // Fixtures that several test files of this run share (`Suite.chainA`).
  const shared = mkdtempSync(join(tmpdir(), 'wrkz-tests-'));
  try {
    const jest = [tool('jest/bin/jest.js'), '--config', await jestConfig(shared), ...args];
    return await run(process.execPath, [...NODE_OPTIONS, ...jest], { env: { WRKZ_TESTS_SHARED: shared } });
  } finally {
    rmSync(shared, { recursive: true, force: true });
  }
});
