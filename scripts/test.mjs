/**
 * `npm test [-- jest options]`: brings the workspace up to date and runs the tests.
 * `--kind slow` and `--kind fuzz` run those tests instead (files `*.slow.test.ts`, `*.fuzz.test.ts`).
 */
import { bootstrap } from './bootstrap.mjs';
import { main, run } from './lib/run.mjs';
import { tool } from './lib/workspace.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  const at = args.indexOf('--kind');
  const kind = at < 0 ? '' : args.splice(at, 2)[1];
  await bootstrap();
  return run(process.execPath, [tool('jest/bin/jest.js'), ...args], { env: kind ? { TEST_KIND: kind } : {} });
});
