/**
 * `npm run test:arm64`: cross-compiles the native module for 64-bit ARM and runs the tests of `@wrkz/crypto` with it under
 * qemu-user, on the newest Node.js 20 for that processor. A second run hides the AES instructions: the module must select
 * its portable path. Not part of `npm test`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { environmentOf, nodeOf } from './lib/nodes.mjs';
import { command, Failure, main, run } from './lib/run.mjs';
import { NATIVE_SOURCES, nativeBuildEnvironment, requireCompilers } from './lib/toolchain.mjs';
import { tool, top } from './lib/workspace.mjs';

const TARGET = 'aarch64-linux-gnu';
/** Programs and the packages of Debian and Ubuntu that have them. */
const REQUIRED = [
  [`${TARGET}-g++`, 'g++-aarch64-linux-gnu'],
  ['qemu-aarch64', 'qemu-user'],
];
/** Tests that compile programs or start workers: they do not run under the emulator. */
const NATIVE_ONLY = ['batch-scheduling', 'field-lanes', 'oracle-compare', 'self-test', 'stack-scan', 'workers'];
/** Packages that are not bundled with the tests, but found beside them. */
const EXTERNAL = ['@wrkz/testing', 'fast-check', 'node-gyp-build'];
const PATH_TESTS = ['cpu', 'pow'];

const here = join(top, 'scripts/arm64');
const crypto = join(top, 'packages/crypto');
const folder = join(top, '.bootstrap/arm64');
const native = join(folder, 'native');
const tests = join(folder, 'tests');

const TESTS = readdirSync(join(crypto, 'test'))
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => name.replace('.test.ts', ''))
  .filter((name) => !NATIVE_ONLY.includes(name));

await main(async () => {
  requireTools();
  requireCompilers();
  await bootstrap();
  const { program } = nodeOf(20, 'arm64');
  await build(program);
  await compileTests();
  const code = await runTests(program, 'armv8', TESTS, []);
  if (code !== 0) return code;
  return runTests(program, 'portable', PATH_TESTS, ['-E', `LD_PRELOAD=${hideAes()}`]);
});

/** Runs tests under the emulator, after a check of the path that the module selects. */
function runTests(program, path, names, options) {
  process.stderr.write(`[arm64] tests on the ${path} path\n`);
  const node = ['-L', `/usr/${TARGET}`, ...options, program];
  const script = `require('node-gyp-build')(${JSON.stringify(native)}).implementation()`;
  const selected = command('qemu-aarch64', [...node, '-p', script], { cwd: native }).trim();
  if (selected !== path) throw new Failure(`the module selects the path ${selected}, not ${path}`);
  const files = names.map((name) => join(tests, `${name}.test.js`));
  return run('qemu-aarch64', [...node, join(here, 'run-tests.mjs'), ...files]);
}

function requireTools() {
  const missing = REQUIRED.filter(([name]) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status !== 0);
  if (missing.length === 0) return;
  throw new Failure(
    `The tests for 64-bit ARM need ${missing.map(([name]) => name).join(' and ')}; on Debian or Ubuntu: ` +
      `apt-get install ${missing.map(([, name]) => name).join(' ')}`,
  );
}

/** Compiles a copy of the module with the headers of a Node.js for 64-bit ARM. */
async function build(program) {
  mkdirSync(native, { recursive: true });
  rmSync(join(native, 'src'), { recursive: true, force: true });
  for (const part of NATIVE_SOURCES) {
    cpSync(join(top, 'native', part), join(native, part), { recursive: true, preserveTimestamps: true });
  }
  link(join(top, 'native/node_modules'), join(native, 'node_modules'));
  const environment = {
    ...environmentOf(process.execPath),
    ...nativeBuildEnvironment(),
    CC: `${TARGET}-gcc`,
    CXX: `${TARGET}-g++`,
    AR: `${TARGET}-ar`,
    npm_config_nodedir: join(dirname(program), '..'),
  };
  process.stderr.write('[arm64] building the native module\n');
  const args = [tool('node-gyp/bin/node-gyp.js'), 'configure', 'build', '--arch=arm64', `--directory=${native}`];
  const failure = 'the native module could not be compiled for 64-bit ARM';
  await run(process.execPath, args, { environment, quiet: true, failure });
}

/**
 * Bundles each test file with its imports, except EXTERNAL and `@wrkz/native`, which is the module for ARM in node_modules
 * beside them.
 */
async function compileTests() {
  // Not a static import: a fresh clone has no esbuild before `bootstrap`.
  const { build: bundle } = await import('esbuild');
  rmSync(tests, { recursive: true, force: true });
  await bundle({
    entryPoints: TESTS.map((name) => join(crypto, 'test', `${name}.test.ts`)),
    outdir: tests,
    bundle: true,
    external: ['@wrkz/native', ...EXTERNAL],
    platform: 'node',
    target: 'node20',
  });
  const modules = join(folder, 'node_modules');
  link(native, join(modules, '@wrkz/native'));
  for (const name of EXTERNAL) {
    link(join(crypto, 'node_modules', name), join(modules, name));
  }
}

/** Compiles hide-aes.c. @returns the path of the library */
function hideAes() {
  const library = join(folder, 'hide-aes.so');
  command(`${TARGET}-gcc`, ['-shared', '-fPIC', '-O2', join(here, 'hide-aes.c'), '-o', library]);
  return library;
}

function link(target, path) {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
}
