/** `npm run bench [-- name ...]`: runs all benchmarks `bench/*.bench.ts`, or those named. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { main, run, selectNames } from './lib/run.mjs';
import { top } from './lib/workspace.mjs';

await main(async () => {
  const all = readdirSync(join(top, 'bench')).flatMap((file) => /^(.+)\.bench\.ts$/.exec(file)?.[1] ?? []);
  const names = selectNames(process.argv.slice(2), all.sort(), 'benchmark');
  await bootstrap();
  for (const name of names) {
    const args = ['-r', './scripts/source-loader.cjs', `bench/${name}.bench.ts`];
    await run(process.execPath, args, { failure: `the benchmark ${name} failed` });
  }
});
