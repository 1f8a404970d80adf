import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from './run.mjs';

const works = (command, args = ['--version']) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Stops with a clear message when this machine cannot build native code. */
export function requireToolchain() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20) throw new Failure(`Node.js 20 or newer is needed; this is ${process.version}.`);
  if (process.platform === 'win32') return; // node-gyp finds Visual Studio by itself and says what it misses
  const missing = [];
  if (![process.env.npm_config_python, process.env.PYTHON, 'python3', 'python'].some((name) => name && works(name))) {
    missing.push('python3');
  }
  if (![process.env.MAKE, 'make', 'gmake'].some((name) => name && works(name))) missing.push('make');
  if (![process.env.CXX, 'g++', 'clang++'].some((name) => name && works(name.split(' ')[0]))) missing.push('g++');
  if (missing.length === 0) return;
  throw new Failure(
    `Native code cannot be built: ${missing.join(', ')} not found.\n` +
      'Install the missing tools first, e.g. on Debian or Ubuntu: apt-get install python3 make g++',
  );
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
