/**
 * `npm run test:isolated [-- daemon crypto ... --apps-briefly --jest options]`: tests each package and app, or those named,
 * in a folder outside the workspace with only what its package.json declares: its sources and tests, the packages of the
 * suite that it depends on (sources without tests and development dependencies), the documents, and node_modules of pnpm
 * from a part of the lockfile. Fails if any project fails.
 *
 * With `--apps-briefly` all test files of an app are loaded, which finds missing dependencies, but only one test runs,
 * which starts the program. `npm test` runs the others.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, pinnedPnpm } from './bootstrap.mjs';
import { workspaceFiles } from './lib/copy.mjs';
import { jestCounts, main, run, runEach, selectNames } from './lib/run.mjs';
import { projects } from './lib/workspace.mjs';

const APPS_BRIEFLY = '--apps-briefly';
const BRIEF_RUN = ['--testNamePattern', 'prints the version of the suite'];

await main(async () => {
  const all = projects();
  const args = process.argv.slice(2);
  const end = args.findIndex((arg) => arg.startsWith('-'));
  const requested = end < 0 ? args : args.slice(0, end);
  const options = args.slice(requested.length).filter((arg) => arg !== APPS_BRIEFLY);
  const files = workspaceFiles();
  const hasTests = ({ folder }) =>
    files.some((file) => file.startsWith(`${folder}/test/`) && file.endsWith('.test.ts'));
  const testable = all.filter(hasTests).map(({ name }) => name);
  const names = selectNames(requested, testable, 'package or app');
  await bootstrap();
  // Imports a library, which a fresh clone has only now.
  const { isolate } = await import('./lib/isolate.mjs');
  return runEach(names, async (name) => {
    const project = all.find((one) => one.name === name);
    const { folder } = project;
    process.stderr.write(`\n[isolated] ${folder}\n`);
    const isBrief = args.includes(APPS_BRIEFLY) && folder.startsWith('apps/');
    return { project: folder, ...(await testIsolated(folder, isolate(project, all), isBrief ? BRIEF_RUN : options)) };
  });
});

async function testIsolated(project, folder, options) {
  try {
    const install = [pinnedPnpm(), 'install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only'];
    const installed = await run(process.execPath, install, { cwd: folder, quiet: true });
    if (installed !== 0) return { code: installed };
    const cwd = join(folder, project);
    const report = join(folder, 'report.json');
    const jest = [join(cwd, 'node_modules/jest/bin/jest.js'), '--maxWorkers=100%', '--json', `--outputFile=${report}`];
    const code = await run(process.execPath, [...jest, ...options], { cwd });
    const counts = jestCounts(report);
    // jest succeeds if no test ran.
    return { code: code === 0 && !(counts.passed > 0) ? 1 : code, ...counts };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
