/**
 * `npm run test:mutation -- packages/levin ['src/kv/*.ts' ...]`: mutation tests of a package or app with Stryker, in a copy of
 * the workspace. Each mutant runs against the tests of the package that reach it. Prints the survivors; a survivor is a missing
 * test, or equivalent code.
 */
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { main, selectNames } from './lib/run.mjs';
import { projects, tool, top } from './lib/workspace.mjs';

/** Folders that are not copied. */
const NOT_COPIED = new Set(['.git', '.bootstrap', 'dist', 'bench', 'docker']);

/** jest's configuration in the package: its own, but a test that waits forever fails after 20 s. */
const JEST_CONFIG = "module.exports = { ...require('./jest.config.js'), testTimeout: 20_000 };\n";

await main(async () => {
  const [folder, ...files] = process.argv.slice(2);
  const all = projects().map((project) => project.folder);
  const [project] = selectNames([folder ?? ''], all, 'folder');
  await bootstrap();
  const copy = mkdtempSync(join(tmpdir(), 'wrkz-mutation-'));
  // Stryker ends this process at a signal.
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  copyTree(copy);
  process.chdir(join(copy, project));
  writeFileSync('jest.mutation.config.js', JEST_CONFIG);
  // Stryker's command-line program imports a library for prompts that needs a newer Node.js; its class does not.
  const { Stryker } = await import(tool('@stryker-mutator/core/dist/src/stryker.js'));
  // The runner requires jest's environment without declaring it; pnpm has it here.
  process.env.NODE_PATH = tool('.pnpm/node_modules');
  await new Stryker({
    testRunner: 'jest',
    plugins: [tool('@stryker-mutator/jest-runner/dist/src/index.js')],
    jest: { configFile: 'jest.mutation.config.js', enableFindRelatedTests: false },
    coverageAnalysis: 'perTest',
    inPlace: true,
    mutate: files.length > 0 ? files : ['src/**/*.ts'],
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { logTests: false, reportTests: false },
    allowConsoleColors: false,
    // A runner retains the modules of all its runs; a hundred runs exhaust its memory.
    maxTestRunnerReuse: 20,
    // Long enough that slow tests on a busy machine do not count as an endless loop.
    timeoutMS: 60_000,
    // Every test reaches code that runs while modules load: such a mutant costs the whole suite.
    ignoreStatic: true,
  }).runMutationTest();
});

/** Copies sources, tests and the built native module; the libraries of node_modules are linked. */
function copyTree(copy) {
  const libraries = join(top, 'node_modules');
  cpSync(top, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => path !== libraries && !NOT_COPIED.has(basename(path)),
  });
  symlinkSync(libraries, join(copy, 'node_modules'));
}
