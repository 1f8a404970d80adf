/** `npm run bench [-- name ...]`: runs the benchmarks of bench/ (all of `*.bench.ts`, or those whose name is given). */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { Failure, main, run } from './lib/run.mjs';
import { top } from './lib/workspace.mjs';

const SUFFIX = '.bench.ts';

await main(async () => {
  const folder = join(top, 'bench');
  const all = readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort();
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Failure(`no benchmark named ${unknown}; there are: ${all.join(', ')}`);
  await bootstrap();
  for (const name of wanted.length > 0 ? wanted : all) {
    const code = await run(process.execPath, ['-r', './scripts/source-loader.cjs', join('bench', name + SUFFIX)]);
    if (code !== 0) throw new Failure(`the benchmark ${name} failed with exit code ${code}`);
  }
});
