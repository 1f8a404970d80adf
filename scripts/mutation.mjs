/**
 * `npm run test:mutation [-- consensus chain --static --sample 10 --seed 1]`: mutation tests of areas with Stryker, in a
 * copy of the workspace. Prints the surviving mutants that `mutation/equivalents.json` does not explain; fails if an area has
 * more than it allows. `.mutation/<area>.json` stores the results: the next run repeats changed and surviving mutants only.
 * `--static` includes mutants in code that runs while modules load, such as constants. `--sample 10` mutates about 10
 * percent of the lines, selected by `--seed`, and stores no results: for areas whose whole run takes hours.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { Failure, main, selectNames } from './lib/run.mjs';
import { tool, top } from './lib/workspace.mjs';
import { AREAS } from './mutation/areas.mjs';
import { judge } from './mutation/report.mjs';

/** Files of one slice. */
const SLICE = 4;
/** Lines that a sample selects together; a mutant that spans more is in no sample. */
const SAMPLED_LINES = 12;

/** Folders that are not copied. */
const NOT_COPIED = new Set(['.git', '.bootstrap', '.mutation', 'dist', 'bench', 'docker']);

await main(async () => {
  const { values: options, positionals: wanted } = parseArgs({
    options: { static: { type: 'boolean' }, sample: { type: 'string' }, seed: { type: 'string', default: '1' } },
    allowPositionals: true,
  });
  const names = selectNames(wanted, Object.keys(AREAS), 'area');
  await bootstrap();
  const copy = mkdtempSync(join(tmpdir(), 'wrkz-mutation-'));
  // Stryker ends this process at a signal.
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  copyTree(copy);
  const rows = [];
  let failed = false;
  for (const name of names) {
    const area = AREAS[name];
    let report;
    // The results of each slice are stored: an interrupted run continues there. A sample is one slice.
    const parts = options.sample === undefined ? slices(area) : [sampleOf(area, options)];
    for (const files of parts) report = await mutate(name, area, files, { copy, options });
    const verdict = judge(name, area, report);
    rows.push(...verdict.rows);
    failed ||= verdict.failed;
  }
  console.table(rows);
  return failed ? 1 : 0;
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

function filesOf({ folder, sources, except = [] }) {
  return readdirSync(join(top, folder, sources), { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(sources, file))
    .filter((file) => !except.some((one) => file === one || file.startsWith(`${one}/`)))
    .sort();
}

/** The area's files in groups of SLICE. */
function slices(area) {
  const files = filesOf(area);
  return Array.from({ length: Math.ceil(files.length / SLICE) }, (_, i) => files.slice(i * SLICE, (i + 1) * SLICE));
}

/** Ranges of lines of the area's files: about `sample` percent of all lines, the same ones for the same `seed`. */
function sampleOf(area, { sample, seed }) {
  return filesOf(area).flatMap((file) => {
    const lines = readFileSync(join(top, area.folder, file), 'utf8').split('\n').length;
    return Array.from({ length: Math.ceil(lines / SAMPLED_LINES) }, (_, i) => i * SAMPLED_LINES + 1)
      .filter((line) => {
        const random = createHash('sha256').update(`${seed} ${file} ${line}`).digest().readUInt32LE();
        return (random / 2 ** 32) * 100 < Number(sample);
      })
      .map((line) => `${file}:${line}-${line + SAMPLED_LINES - 1}`);
  });
}

async function mutate(name, { folder, tests }, files, { copy, options }) {
  const results = join(top, '.mutation', `${name}.json`);
  const home = join(copy, folder);
  const incrementalFile = join(home, 'incremental.json');
  if (options.sample === undefined && existsSync(results)) cpSync(results, incrementalFile);
  writeFileSync(
    join(home, 'jest.mutation.config.js'),
    `module.exports = ${JSON.stringify({
      runner: join(top, 'scripts/mutation/runner.cjs'),
      testEnvironment: join(top, 'scripts/mutation/environment.cjs'),
      // A test that waits forever fails after this time, milliseconds.
      testTimeout: 20_000,
      testMatch: [...tests.map((test) => `<rootDir>/${test}`), '!**/*.{slow,fuzz}.test.ts'],
    })};\nmodule.exports = { ...require('./jest.config.js'), ...module.exports };\n`,
  );
  const settings = {
    testRunner: 'jest',
    plugins: [tool('@stryker-mutator/jest-runner/dist/src/index.js')],
    jest: { configFile: 'jest.mutation.config.js', enableFindRelatedTests: false },
    coverageAnalysis: 'perTest',
    inPlace: true,
    incremental: true,
    incrementalFile: relative(home, incrementalFile),
    mutate: files,
    reporters: ['progress-append-only'],
    allowConsoleColors: false,
    concurrency: availableParallelism(),
    // A runner retains the modules of all its runs; a hundred runs exhaust its memory.
    maxTestRunnerReuse: 20,
    // Long enough that slow tests on a busy machine do not count as an endless loop.
    timeoutMS: 60_000,
    // Every test reaches code that runs while modules load: such a mutant costs the whole suite.
    ignoreStatic: !options.static,
    warnings: false,
  };
  // Stryker's command-line program imports a library for prompts that needs a newer Node.js; its class does not.
  const { Stryker } = await import(tool('@stryker-mutator/core/dist/src/stryker.js'));
  process.chdir(home);
  // The runner requires jest's environment without declaring it; pnpm has it here.
  process.env.NODE_PATH = tool('.pnpm/node_modules');
  await new Stryker(settings).runMutationTest();
  if (!existsSync(incrementalFile)) throw new Failure(`${name}: the run failed`);
  if (options.sample === undefined) cpSync(incrementalFile, results);
  return JSON.parse(readFileSync(incrementalFile, 'utf8'));
}
