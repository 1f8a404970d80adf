/**
 * `npm run test:nodes [-- 22 24 ...] [--smoke]`: runs the test suite on the newest Node.js of each supported major version,
 * or of those named, in a copy of the workspace with its own dependencies and native module. `--smoke` runs the smoke test
 * of the devnet instead. Fails if any version fails. Copies and downloads stay in .bootstrap/nodes.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { copyWorkspace } from './lib/copy.mjs';
import { environmentOf, NODE_MAJORS, nodeOf, NODES_FOLDER } from './lib/nodes.mjs';
import { jestCounts, main, run, runEach, selectNames } from './lib/run.mjs';

await main(async () => {
  const { values, positionals } = parseArgs({ options: { smoke: { type: 'boolean' } }, allowPositionals: true });
  const majors = selectNames(positionals, NODE_MAJORS, 'Node.js');
  await bootstrap();
  return runEach(majors, async (major) => {
    const { version, program } = nodeOf(major);
    process.stderr.write(`\n[nodes] Node.js ${version}: ${values.smoke ? 'smoke test' : 'test suite'}\n`);
    const copy = join(NODES_FOLDER, `workspace-${major}`);
    copyWorkspace(copy);
    const report = join(copy, '.bootstrap/report.json');
    rmSync(report, { force: true });
    const script = values.smoke
      ? ['scripts/start.mjs', 'packages/testing/dist/devnet/main.js', '--smoke']
      : ['scripts/test.mjs', '--json', `--outputFile=${report}`];
    const code = await run(program, script, { cwd: copy, environment: environmentOf(program) });
    return { code, version, ...jestCounts(report) };
  });
});
