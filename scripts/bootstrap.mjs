/**
 * Makes a fresh clone runnable: the pinned pnpm, the dependencies, the native code, the TypeScript. Each step is skipped
 * when nothing it depends on has changed, so a second run costs a few hundredths of a second.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { locked } from './lib/lock.mjs';
import { Failure, main, run, runStep } from './lib/run.mjs';
import { fingerprint, isFresh, markDone } from './lib/stamps.mjs';
import {
  hasPrebuild,
  missingCompilers,
  nativeBuildEnvironment,
  requireCompilers,
  requireNode,
  requirePlatform,
} from './lib/toolchain.mjs';
import { apps, pnpmVersion, projects, tool, top } from './lib/workspace.mjs';

const rooms = ['packages', 'apps'];

const NATIVE_BUILD = 'native/build/Release/wrkz_native.node';

/** Each step: what it depends on, what must be there after it, how it is done. In this order. */
const steps = [
  {
    name: 'dependencies',
    inputs: ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.pnpmfile.cjs', '.npmrc'],
    ready: () => has('node_modules/.modules.yaml'),
    async act() {
      const pnpm = await pinnedPnpm();
      await runStep('installing dependencies (the first time takes a minute or two)', [
        pnpm,
        'install',
        '--frozen-lockfile',
        '--reporter=append-only',
      ]);
    },
  },
  {
    name: 'native',
    inputs: ['native'],
    ready: () => has(NATIVE_BUILD) || (hasPrebuild() && missingCompilers().length > 0),
    async act() {
      if (this.ready() && !has(NATIVE_BUILD)) return;
      const gyp = tool('node-gyp/bin/node-gyp.js');
      const verb = existsSync(join(top, 'native/build/Makefile')) ? ['configure', 'build'] : ['rebuild'];
      await runStep('building the native module', [gyp, ...verb, '--directory=native'], { quiet: true });
    },
  },
  {
    name: 'typescript',
    inputs: ['tsconfig.base.json', 'tsconfig.json', 'pnpm-lock.yaml', ...rooms],
    ready: () => has('apps/daemon/dist/main.js'),
    async act() {
      projects().forEach(({ folder }) => removeLeftovers(join(folder, 'dist'), join(folder, 'src')));
      await runStep('compiling TypeScript', [tool('typescript/bin/tsc'), '-b']);
      for (const app of apps) {
        const entry = join(top, 'apps', app, 'dist/main.js');
        if (existsSync(entry)) chmodSync(entry, 0o755);
      }
      requireSqlite();
    },
  },
];

/** Brings the workspace up to date. Throws a Failure with a message for a person. */
export async function bootstrap() {
  requirePlatform();
  if (steps.every((step) => isDone(step))) return;
  requireNode();
  if (!hasPrebuild()) requireCompilers();
  Object.assign(process.env, nativeBuildEnvironment());
  await locked(async () => {
    for (const step of steps) {
      const print = fingerprint(step.inputs);
      if (isDone(step, print)) continue;
      await step.act();
      markDone(step.name, print);
    }
  });
}

function isDone(step, print = fingerprint(step.inputs)) {
  return isFresh(step.name, print) && step.ready();
}

function has(path) {
  return existsSync(join(top, path));
}

/**
 * Removes what was compiled from sources that are no longer there. The compiler leaves it, and an old `options.js` is
 * found before a new `options/index.js`.
 */
function removeLeftovers(built, source) {
  if (!has(built)) return;
  for (const entry of readdirSync(join(top, built), { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(built, entry.name)];
    if (entry.isDirectory()) {
      if (has(from)) removeLeftovers(to, from);
      else rmSync(join(top, to), { recursive: true });
    } else if (/\.(js|d\.ts)(\.map)?$/.test(entry.name) && !has(from.replace(/(\.d)?\.(js|ts)(\.map)?$/, '.ts'))) {
      rmSync(join(top, to));
    }
  }
}

/** pnpm passes over an optional dependency that cannot be built; this says so before a program does. */
function requireSqlite() {
  const trial = `const { SqliteConnection } = require('./packages/sqlite/dist'); new SqliteConnection(':memory:').close()`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', trial], { cwd: top, encoding: 'utf8' });
  if (status === 0) return;
  requireCompilers();
  throw new Failure(`SQLite cannot be used with Node.js ${process.version}:\n${stderr}`);
}

/** The script of the pinned pnpm, installed into a folder of this workspace when it is not there yet. */
export async function pinnedPnpm() {
  const folder = join(top, '.bootstrap', `pnpm-${pnpmVersion}`);
  const script = join(folder, 'node_modules/pnpm/bin/pnpm.cjs');
  if (existsSync(script)) return script;
  process.stderr.write(`[bootstrap] fetching pnpm ${pnpmVersion}\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : undefined;
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
  const code = await run(command, [...first, ...args, `pnpm@${pnpmVersion}`], { cwd: folder, quiet: true });
  if (code !== 0 || !existsSync(script)) throw new Failure(`pnpm ${pnpmVersion} could not be installed.`);
  return script;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(() => bootstrap());
