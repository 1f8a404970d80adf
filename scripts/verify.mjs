/** `npm run verify`: types (tests included), lint and formatting. All are run, any failure fails. */
import { bootstrap } from './bootstrap.mjs';
import { main, run } from './lib/run.mjs';
import { tool } from './lib/workspace.mjs';

const checks = [
  ['types', ['typescript/bin/tsc', '-b']],
  ['types of tests', ['typescript/bin/tsc', '-p', 'tsconfig.test.json']],
  ['lint', ['eslint/bin/eslint.js', '.', '--max-warnings=0']],
  ['formatting', ['prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.']],
];

await main(async () => {
  await bootstrap();
  const failed = [];
  for (const [name, [script, ...args]] of checks) {
    const start = Date.now();
    const code = await run(process.execPath, [tool(script), ...args]);
    process.stderr.write(
      `[verify] ${name}: ${code === 0 ? 'ok' : 'FAILED'} (${Math.round((Date.now() - start) / 1000)} s)\n`,
    );
    if (code !== 0) failed.push(name);
  }
  return failed.length === 0 ? 0 : 1;
});
