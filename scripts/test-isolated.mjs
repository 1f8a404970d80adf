/**
 * `npm run test:isolated [-- daemon crypto ... --apps-briefly --jest options]`: tests each package and app (or those named) from a
 * folder that holds only what its package.json declares. The folder lies outside the workspace, so that nothing is found
 * by walking up: the project with its tests, the suite's packages that it reaches by declarations (sources only, without
 * their development dependencies), the suite's documents, and a node_modules made by pnpm from the matching part of the
 * lockfile. Prints counts; fails when any project fails.
 *
 * With `--apps-briefly` every test file of an app is loaded, with all it imports, but only one test runs, which starts
 * the program: what an app lacks shows when it is loaded, and `npm test` has run the rest.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, pinnedPnpm } from './bootstrap.mjs';
import { isolate } from './lib/isolate.mjs';
import { Failure, main, run } from './lib/run.mjs';
import { typescriptFiles } from './lib/sources.mjs';
import { countsOf, COUNT_HEADINGS, printTable, readReport } from './lib/table.mjs';
import { projects } from './lib/workspace.mjs';

const APPS_BRIEFLY = '--apps-briefly';
/** A test of every app, by its name; all files are loaded to look for it. */
const BRIEF_RUN = ['--testNamePattern', 'prints the version of the suite'];

await main(async () => {
  const all = projects();
  const args = process.argv.slice(2);
  const options = args.findIndex((arg) => arg.startsWith('-'));
  const wanted = options < 0 ? args : args.slice(0, options);
  const given = options < 0 ? [] : args.slice(options);
  const forJest = given.filter((arg) => arg !== APPS_BRIEFLY);
  const briefly = given.length > forJest.length;
  const unknown = wanted.find((name) => !all.some((project) => project.name === name));
  if (unknown !== undefined) throw new Failure(`no package or app named ${unknown}`);

  await bootstrap();
  const pnpm = await pinnedPnpm();
  const rows = [];
  let failed = 0;
  for (const project of all) {
    if (wanted.length > 0 && !wanted.includes(project.name)) continue;
    if (!typescriptFiles(`${project.folder}/test`).some((file) => file.endsWith('.test.ts'))) {
      rows.push([project.folder, 'no tests']);
      continue;
    }
    const started = Date.now();
    process.stderr.write(`\n[isolated] ${project.folder}\n`);
    const { code, counts } = await testAlone(
      project,
      all,
      pnpm,
      briefly && project.folder.startsWith('apps/') ? BRIEF_RUN : forJest,
    );
    if (code !== 0) failed += 1;
    const seconds = Math.round((Date.now() - started) / 1000);
    rows.push([project.folder, code === 0 ? 'ok' : 'FAILED', ...counts, `${seconds} s`]);
  }
  printTable(['project', 'result', ...COUNT_HEADINGS, 'time'], rows);
  return failed === 0 ? 0 : 1;
});

async function testAlone(project, all, pnpm, forJest) {
  const folder = isolate(project, all);
  try {
    const install = [pnpm, 'install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only'];
    const installed = await run(process.execPath, install, { cwd: folder, quiet: true });
    if (installed !== 0) return { code: installed, counts: countsOf(undefined) };
    const home = join(folder, project.folder);
    const report = join(folder, 'report.json');
    const jest = join(home, 'node_modules/jest/bin/jest.js');
    const reporting = ['--maxWorkers=100%', '--json', `--outputFile=${report}`];
    const code = await run(process.execPath, [jest, ...reporting, ...forJest], { cwd: home });
    const found = readReport(report);
    // A run in which nothing was tested proves nothing, whatever jest makes of it.
    return { code: code === 0 && !(found?.numPassedTests > 0) ? 1 : code, counts: countsOf(found) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
