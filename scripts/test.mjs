/**
 * `npm test [-- jest options]`: brings the workspace up to date and runs the tests.
 * `--kind slow` and `--kind fuzz` run those tests instead (files `*.slow.test.ts`, `*.fuzz.test.ts`).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tsImport } from 'tsx/esm/api';
import { bootstrap } from './bootstrap.mjs';
import { main, run } from './lib/run.mjs';
import { tool, top } from './lib/workspace.mjs';

/** Writes `jest.config.ts` as JSON into a folder: jest itself reads TypeScript with Node.js 22.18 and newer only. */
async function jestConfig(folder) {
  const { default: config } = await tsImport('../jest.config.ts', import.meta.url);
  const file = join(folder, 'jest.config.json');
  writeFileSync(file, JSON.stringify({ rootDir: top, ...(config.default ?? config) }));
  return file;
}

await main(async () => {
  const args = process.argv.slice(2);
  const at = args.indexOf('--kind');
  const kind = at < 0 ? '' : args.splice(at, 2)[1];
  await bootstrap();
  // Where files of tests leave what others need too (`Suite.chainA`), for this run.
  const shared = mkdtempSync(join(tmpdir(), 'wrkz-tests-'));
  try {
    const env = { WRKZ_TESTS_SHARED: shared, ...(kind ? { TEST_KIND: kind } : {}) };
    return await run(process.execPath, [tool('jest/bin/jest.js'), '--config', await jestConfig(shared), ...args], {
      env,
    });
  } finally {
    rmSync(shared, { recursive: true, force: true });
  }
});
