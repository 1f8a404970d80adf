/**
 * `npm run test:mutation [-- consensus chain --static --sample 10 --seed 1]`: changes the sources of an area in one place at a time and runs the tests
 * that reach the place; a change that no test notices has survived. Stryker does it, in a copy of the tree, so that an
 * interrupted run leaves nothing changed behind. Prints every survivor that `mutation/equivalents.json` does not explain,
 * and a table; fails when more survive than the area allows. What was found is kept in `.mutation/<area>.json`: the next
 * run repeats only what has changed since, or what survived. Changes of what is computed while files are loaded, such as
 * constants, are left out unless `--static` asks for them. `--sample 10` changes about 10 percent of the lines, which
 * `--seed` selects, and stores no results: for an area whose whole run takes hours.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
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
import { Failure, main, run } from './lib/run.mjs';
import { tool, top } from './lib/workspace.mjs';
import { AREAS } from './mutation/areas.mjs';
import { judge } from './mutation/report.mjs';

/** Files of one slice. */
const SLICE = 4;
/** Lines that a sample selects together; a mutant that spans more is in no sample. */
const SAMPLED_LINES = 12;

/** What the copy does without. */
const LEFT_OUT = new Set(['.git', '.bootstrap', '.mutation', 'dist', 'bench', 'docker']);

await main(async () => {
  const { values: options, positionals: wanted } = parseArgs({
    options: { static: { type: 'boolean' }, sample: { type: 'string' }, seed: { type: 'string', default: '1' } },
    allowPositionals: true,
  });
  const unknown = wanted.find((name) => !(name in AREAS));
  if (unknown !== undefined) throw new Failure(`no area named ${unknown}; there are ${Object.keys(AREAS).join(', ')}`);
  await bootstrap();
  const copy = mkdtempSync(join(tmpdir(), 'wrkz-mutation-'));
  try {
    copyTree(copy);
    const rows = [];
    let failed = false;
    for (const name of wanted.length > 0 ? wanted : Object.keys(AREAS)) {
      const area = AREAS[name];
      let report;
      // In slices, each of which is kept: an interrupted run goes on where it was. A sample is one slice.
      const parts = options.sample === undefined ? slices(area) : [sampleOf(area, options)];
      for (const files of parts) report = await mutate(name, area, files, { copy, options });
      const verdict = judge(name, area, report);
      rows.push(...verdict.rows);
      failed ||= verdict.failed;
    }
    console.table(rows);
    return failed ? 1 : 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

/** Sources, tests and the built native module; the packages' links lead into the copy, the libraries stay where they are. */
function copyTree(copy) {
  const libraries = join(top, 'node_modules');
  cpSync(top, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => path !== libraries && !LEFT_OUT.has(basename(path)),
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

/** The area's files, a few at a time. */
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
  const kept = join(top, '.mutation', `${name}.json`);
  const home = join(copy, folder);
  const incrementalFile = join(home, 'incremental.json');
  if (options.sample === undefined && existsSync(kept)) cpSync(kept, incrementalFile);
  writeFileSync(
    join(home, 'jest.mutation.config.js'),
    `module.exports = ${JSON.stringify({
      testSequencer: join(top, 'scripts/mutation/sequencer.cjs'),
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
    // A runner keeps what each run has loaded: after a hundred of them it does little but collect garbage.
    maxTestRunnerReuse: 20,
    // A busy machine must not pass for a test that noticed an endless loop.
    timeoutMS: 60_000,
    // What runs while files are loaded is reached by every test: each such change costs the whole suite.
    ignoreStatic: !options.static,
    warnings: false,
  };
  const file = join(home, 'stryker.settings.json');
  writeFileSync(file, JSON.stringify(settings));
  const code = await run(process.execPath, [join(top, 'scripts/mutation/stryker.mjs'), file], {
    cwd: home,
    // Where pnpm keeps what the runner asks for without declaring it: the environment of jest.
    env: { NODE_PATH: tool('.pnpm/node_modules') },
  });
  if (code !== 0 || !existsSync(incrementalFile)) throw new Failure(`${name}: the run failed`);
  if (options.sample === undefined) {
    mkdirSync(join(top, '.mutation'), { recursive: true });
    cpSync(incrementalFile, kept);
  }
  return JSON.parse(readFileSync(incrementalFile, 'utf8'));
}
