import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from './run.mjs';
import { engines, top } from './workspace.mjs';

const works = (command, args = ['--version']) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Stops with a clear message when this Node.js is none of those that package.json names. */
export function requireNode() {
  if (!satisfies(process.versions.node, engines.node)) {
    throw new Failure(`Node.js ${engines.node} is needed; this is ${process.version}.`);
  }
}

/**
 * Stops with a clear message on Windows: the native code is written for gcc and clang (128-bit integers) and POSIX, and
 * nothing is tested there.
 */
export function requirePlatform() {
  if (process.platform !== 'win32') return;
  throw new Failure(
    'Windows is not supported: the native code needs gcc or clang and a POSIX system.\n' +
      'Use Linux in WSL 2 or the images of docker/ instead.',
  );
}

/** Whether a version is within a range of the forms `^a.b.c` and `>=a.b.c`, joined by `||`. */
export function satisfies(version, range) {
  const numbers = (text) => text.split('.').map(Number);
  const [major, minor, patch] = numbers(version);
  return range.split('||').some((part) => {
    const [, sign, wanted] = /^\s*(\^|>=)(\d+\.\d+\.\d+)\s*$/.exec(part) ?? [];
    if (wanted === undefined) throw new Error(`a range of Node.js versions that is not understood: ${part}`);
    const [a, b, c] = numbers(wanted);
    if (major !== a) return sign === '>=' && major > a;
    return minor > b || (minor === b && patch >= c);
  });
}

/** Stops with a clear message when this machine cannot build native code. */
export function requireCompilers() {
  const missing = missingCompilers();
  if (missing.length === 0) return;
  throw new Failure(
    `Native code cannot be built: ${missing.join(', ')} not found.\n` +
      'Install the missing tools first, e.g. on Debian or Ubuntu: apt-get install python3 make g++',
  );
}

/** The tools for native code that this machine lacks. */
export function missingCompilers() {
  const missing = [];
  if (![process.env.npm_config_python, process.env.PYTHON, 'python3', 'python'].some((name) => name && works(name))) {
    missing.push('python3');
  }
  if (![process.env.MAKE, 'make', 'gmake'].some((name) => name && works(name))) missing.push('make');
  if (![process.env.CXX, 'g++', 'clang++'].some((name) => name && works(name.split(' ')[0]))) missing.push('g++');
  return missing;
}

/** Whether native/prebuilds holds a module for this platform, made by `npm run prebuild`. */
export function hasPrebuild() {
  const folder = join(top, 'native/prebuilds', `${process.platform}-${process.arch}`);
  return existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.node'));
}

/**
 * The environment of everything that compiles native code: all processors, no downloads of ready-made binaries, and the
 * headers of this very Node.js where its installation has them.
 */
export function nativeBuildEnvironment() {
  const environment = {
    JOBS: String(Math.max(1, cpus().length)),
    npm_config_build_from_source: 'true',
    npm_config_update_notifier: 'false',
  };
  const roots = [process.execPath, realpathSync(process.execPath)].map((path) => join(dirname(path), '..'));
  const nodedir = roots.find((root) => existsSync(join(root, 'include', 'node', 'node_api.h')));
  if (nodedir) environment.npm_config_nodedir = nodedir;
  return environment;
}
