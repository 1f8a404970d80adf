/**
 * `npm run test:nodes [-- 22 24 ...] [--smoke]`: the whole test suite under the newest Node.js of each major version
 * (20, 22, 24 and 26, or those named), each taken from the package registry, in a copy of the workspace with
 * dependencies and a native module of its own. With `--smoke` each copy runs `npm run devnet -- --smoke` instead. Prints a table; fails when any version fails. Copies and downloads stay in .bootstrap/nodes.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { copyWorkspace } from './lib/copy.mjs';
import { copyFolder, environmentOf, NODE_MAJORS, nodeOf } from './lib/nodes.mjs';
import { Failure, main, run } from './lib/run.mjs';
import { countsOf, COUNT_HEADINGS, printTable, readReport } from './lib/table.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  const smoke = args.includes('--smoke');
  const named = args.filter((arg) => /^\d+$/.test(arg)).map(Number);
  const unknown = args.find((arg) => arg !== '--smoke' && !NODE_MAJORS.includes(Number(arg)));
  if (unknown !== undefined)
    throw new Failure(`no Node.js version to test: ${unknown}; there are ${NODE_MAJORS.join(', ')}`);

  await bootstrap();
  const rows = [];
  let failed = 0;
  for (const major of named.length > 0 ? named : NODE_MAJORS) {
    const started = Date.now();
    const { version, program } = nodeOf(major);
    process.stderr.write(`\n[nodes] Node.js ${version}: ${smoke ? 'smoke test' : 'the whole suite'}\n`);
    const { code, counts } = await test(major, program, smoke);
    if (code !== 0) failed += 1;
    rows.push([version, code === 0 ? 'ok' : 'FAILED', ...counts, `${Math.round((Date.now() - started) / 1000)} s`]);
  }
  printTable(['Node.js', 'result', ...(smoke ? [] : COUNT_HEADINGS), 'time'], rows);
  return failed === 0 ? 0 : 1;
});

async function test(major, program, smoke) {
  const copy = copyFolder(major);
  copyWorkspace(copy);
  const options = { cwd: copy, environment: environmentOf(program) };
  const built = await run(program, ['scripts/bootstrap.mjs'], options);
  if (built !== 0) return { code: built, counts: smoke ? [] : countsOf(undefined) };
  if (smoke) return { code: await run(program, ['scripts/devnet.mjs', '--smoke'], options), counts: [] };

  const report = join(copy, '.bootstrap', 'report.json');
  rmSync(report, { force: true });
  const code = await run(program, ['scripts/test.mjs', '--json', `--outputFile=${report}`], options);
  return { code, counts: countsOf(readReport(report)) };
}
