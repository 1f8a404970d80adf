/** `npm run bench [-- name ...]`: runs all benchmarks `bench/*.bench.ts`, or those named. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { Failure, main, run } from './lib/run.mjs';
import { top } from './lib/workspace.mjs';

await main(async () => {
  const all = readdirSync(join(top, 'bench')).flatMap((file) => /^(.+)\.bench\.ts$/.exec(file)?.[1] ?? []);
  const requested = process.argv.slice(2);
  const unknown = requested.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Failure(`no benchmark named ${unknown}; there are: ${all.sort().join(', ')}`);
  await bootstrap();
  for (const name of requested.length > 0 ? requested : all.sort()) {
    const code = await run(process.execPath, ['-r', './scripts/source-loader.cjs', `bench/${name}.bench.ts`]);
    if (code !== 0) throw new Failure(`the benchmark ${name} failed with exit code ${code}`);
  }
});
