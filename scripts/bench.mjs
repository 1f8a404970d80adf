/** `npm run bench [-- name ...]`: runs all benchmarks `bench/*.bench.ts`, or those named. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { Failure, main, run, selectNames } from './lib/run.mjs';
import { top } from './lib/workspace.mjs';

await main(async () => {
  const all = readdirSync(join(top, 'bench')).flatMap((file) => /^(.+)\.bench\.ts$/.exec(file)?.[1] ?? []);
  const names = selectNames(process.argv.slice(2), all.sort(), 'benchmark');
  await bootstrap();
  for (const name of names) {
    const code = await run(process.execPath, ['-r', './scripts/source-loader.cjs', `bench/${name}.bench.ts`]);
    if (code !== 0) throw new Failure(`the benchmark ${name} failed with exit code ${code}`);
  }
});
