/**
 * `npm test [-- jest options]`: brings the workspace up to date and runs the tests.
 * `--kind slow` and `--kind fuzz` run those tests instead (files `*.slow.test.ts`, `*.fuzz.test.ts`).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { main, run } from './lib/run.mjs';
import { tool } from './lib/workspace.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  const at = args.indexOf('--kind');
  const kind = at < 0 ? '' : args.splice(at, 2)[1];
  await bootstrap();
  // Where files of tests leave what others need too (`Suite.chainA`), for this run.
  const shared = mkdtempSync(join(tmpdir(), 'wrkz-tests-'));
  try {
    const env = { WRKZ_TESTS_SHARED: shared, ...(kind ? { TEST_KIND: kind } : {}) };
    return await run(process.execPath, [tool('jest/bin/jest.js'), ...args], { env });
  } finally {
    rmSync(shared, { recursive: true, force: true });
  }
});
