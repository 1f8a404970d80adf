/**
 * Makes a fresh clone runnable: the pinned pnpm, the dependencies, the native code, the TypeScript. A step is skipped while
 * its inputs are unchanged, so a second run takes a few hundredths of a second. Uses no library, because none is installed yet.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { npm } from './lib/nodes.mjs';
import { command, Failure, main, run } from './lib/run.mjs';
import {
  hasPrebuild,
  missingCompilers,
  nativeBuildEnvironment,
  requireCompilers,
  requirePlatform,
} from './lib/toolchain.mjs';
import { pnpmVersion, projects, tool, top } from './lib/workspace.mjs';

const NATIVE_BUILD = 'native/build/Release/wrkz_native.node';
const HOME = join(top, '.bootstrap');
const STAMPS = join(HOME, 'stamps.json');
const LOCK = join(HOME, 'lock');
/** Folders that are not an input of a build. */
const NO_INPUTS = new Set(['node_modules', 'dist', 'build', 'prebuilds', 'test', 'fixtures', 'coverage']);

/** In order: the `inputs` of each step, whether its output exists (`ready`), and how it is made (`act`). */
const steps = [
  {
    name: 'dependencies',
    inputs: ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.pnpmfile.cjs', '.npmrc'],
    ready: () => has('node_modules/.modules.yaml'),
    async act() {
      const args = [pinnedPnpm(), 'install', '--frozen-lockfile', '--reporter=append-only'];
      await runStep('installing dependencies (the first time takes a minute or two)', args);
    },
  },
  {
    name: 'native',
    inputs: ['native'],
    ready: () => has(NATIVE_BUILD) || (hasPrebuild() && missingCompilers().length > 0),
    async act() {
      if (this.ready() && !has(NATIVE_BUILD)) return;
      const gyp = tool('node-gyp/bin/node-gyp.js');
      const verbs = has('native/build/Makefile') ? ['configure', 'build'] : ['rebuild'];
      await runStep('building the native module', [gyp, ...verbs, '--directory=native'], { quiet: true });
    },
  },
  {
    name: 'typescript',
    inputs: ['tsconfig.base.json', 'tsconfig.json', 'pnpm-lock.yaml', 'packages', 'apps'],
    ready: () => has('apps/daemon/dist/main.js'),
    async act() {
      for (const { folder } of projects()) removeStaleOutput(join(folder, 'dist'), join(folder, 'src'));
      await runStep('compiling TypeScript', [tool('typescript/bin/tsc'), '-b']);
      requireSqlite();
    },
  },
];

const has = (path) => existsSync(join(top, path));

/** Brings the workspace up to date. @throws Failure */
export async function bootstrap() {
  requirePlatform();
  if (steps.every((step) => isDone(step))) return;
  if (!hasPrebuild()) requireCompilers();
  Object.assign(process.env, nativeBuildEnvironment());
  await withLock(async () => {
    for (const step of steps) {
      const print = fingerprint(step.inputs);
      if (isDone(step, print)) continue;
      await step.act();
      writeFileSync(STAMPS, `${JSON.stringify({ ...readStamps(), [step.name]: print }, null, 2)}\n`);
    }
  });
}

function isDone(step, print = fingerprint(step.inputs)) {
  return readStamps()[step.name] === print && step.ready();
}

function readStamps() {
  return existsSync(STAMPS) ? JSON.parse(readFileSync(STAMPS, 'utf8')) : {};
}

/** A hash of this Node.js and of the names, sizes and modification times of files and folders. */
function fingerprint(paths) {
  const hash = createHash('sha256');
  hash.update(`${process.version} ${process.platform} ${process.arch} ${process.versions.modules}\n`);
  const visit = (name) => {
    const stat = statSync(join(top, name), { throwIfNoEntry: false });
    if (stat?.isFile()) hash.update(`${name} ${stat.size} ${stat.mtimeMs}\n`);
    if (!stat?.isDirectory()) return;
    for (const entry of readdirSync(join(top, name)).sort()) if (!NO_INPUTS.has(entry)) visit(join(name, entry));
  };
  paths.forEach(visit);
  return hash.digest('hex');
}

/** Runs one build of this workspace at a time. The lock file has the process id of its holder; a dead holder is replaced. */
async function withLock(body) {
  mkdirSync(HOME, { recursive: true });
  for (let waits = 0; !takeLock(); waits += 1) {
    if (waits === 0) process.stderr.write('[bootstrap] waiting for another build of this workspace\n');
    await pause(300);
  }
  const release = () => rmSync(LOCK, { force: true });
  process.once('exit', release);
  try {
    return await body();
  } finally {
    process.off('exit', release);
    release();
  }
}

function takeLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    const holder = Number(readFileSync(LOCK, 'utf8'));
    if (holder > 0 && process.kill(holder, 0)) return false;
  } catch (error) {
    if (error.code === 'EPERM') return false;
  }
  rmSync(LOCK, { force: true });
  return false;
}

async function runStep(step, args, options) {
  process.stderr.write(`[bootstrap] ${step}\n`);
  await run(process.execPath, args, { ...options, failure: `${step}: failed` });
}

/** Removes compiled files without a source: Node.js would resolve an old `options.js` before a new `options/index.js`. */
function removeStaleOutput(output, source) {
  if (!has(output)) return;
  for (const entry of readdirSync(join(top, output), { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(output, entry.name)];
    if (entry.isDirectory()) {
      if (has(from)) removeStaleOutput(to, from);
      else rmSync(join(top, to), { recursive: true });
    } else if (/\.(js|d\.ts)(\.map)?$/.test(entry.name) && !has(from.replace(/(\.d)?\.(js|ts)(\.map)?$/, '.ts'))) {
      rmSync(join(top, to));
    }
  }
}

/** pnpm ignores the failed build of an optional dependency: report it here, before a program fails. */
function requireSqlite() {
  const script = `const { SqliteConnection } = require('./packages/sqlite/dist'); new SqliteConnection(':memory:').close()`;
  try {
    command(process.execPath, ['-e', script], { cwd: top });
  } catch (error) {
    requireCompilers();
    throw new Failure(`SQLite does not work with Node.js ${process.version}:\n${error.message}`);
  }
}

/** The script of the pinned pnpm, installed into .bootstrap on first use. */
export function pinnedPnpm() {
  const folder = join(HOME, `pnpm-${pnpmVersion}`);
  const script = join(folder, 'node_modules/pnpm/bin/pnpm.cjs');
  if (existsSync(script)) return script;
  process.stderr.write(`[bootstrap] fetching pnpm ${pnpmVersion}\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  npm(['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `pnpm@${pnpmVersion}`]);
  return script;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(() => bootstrap());
