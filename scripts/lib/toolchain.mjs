import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from './run.mjs';
import { top } from './workspace.mjs';

/** @throws Failure on Windows: the native code needs 128-bit integers of gcc or clang, and POSIX */
export function requirePlatform() {
  if (process.platform !== 'win32') return;
  throw new Failure(
    'Windows is not supported: the native code needs gcc or clang and a POSIX system.\n' +
      'Use Linux in WSL 2 or the images of docker/ instead.',
  );
}

/** @throws Failure if this machine cannot build native code */
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
  const { npm_config_python, PYTHON, MAKE, CXX } = process.env;
  const tools = {
    python3: [npm_config_python, PYTHON, 'python3', 'python'],
    make: [MAKE, 'make', 'gmake'],
    'g++': [CXX?.split(' ')[0], 'g++', 'clang++'],
  };
  const works = (name) => name && spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;
  return Object.keys(tools).filter((name) => !tools[name].some(works));
}

/** Whether native/prebuilds has a module for this platform (`npm run prebuild`). */
export function hasPrebuild() {
  const folder = join(top, 'native/prebuilds', `${process.platform}-${process.arch}`);
  return existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.node'));
}

/** Environment for builds of native code: all processors, no prebuilt binaries, the headers of this Node.js if installed. */
export function nativeBuildEnvironment() {
  const roots = [process.execPath, realpathSync(process.execPath)].map((path) => join(dirname(path), '..'));
  const nodedir = roots.find((root) => existsSync(join(root, 'include/node/node_api.h')));
  return {
    JOBS: String(availableParallelism()),
    npm_config_build_from_source: 'true',
    npm_config_update_notifier: 'false',
    ...(nodedir && { npm_config_nodedir: nodedir }),
  };
}

/** What a build of the native module in another folder needs a copy of. */
export const NATIVE_SOURCES = ['binding.gyp', 'package.json', 'sqlite-headers.cjs', 'src'];
