import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../scripts/lib/run.mjs';
import { top } from '../../scripts/lib/workspace.mjs';

const SQLITE = 'better-sqlite3';
const SQLITE_VERSION = '13.2.0';

/**
 * The folder of the better-sqlite3 that Node.js 24 wants, with its binaries. An older Node.js in the workspace has another
 * one installed; then it is fetched, and compared with what the lockfile says of it.
 */
export function sqliteFolder() {
  const home = join(top, '.bootstrap', `${SQLITE}-${SQLITE_VERSION}`);
  const installed = join(top, `node_modules/.pnpm/${SQLITE}@${SQLITE_VERSION}/node_modules/${SQLITE}`);
  if (existsSync(join(installed, 'prebuilds'))) return installed;
  if (existsSync(join(home, 'prebuilds'))) return home;
  const lock = readFileSync(join(top, 'pnpm-lock.yaml'), 'utf8');
  const entry = lock.indexOf(`${SQLITE}@${SQLITE_VERSION}:`);
  const integrity = /integrity: (sha512-[\w+/=]+)/.exec(lock.slice(entry))?.[1];
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const packed = spawnSync('npm', ['pack', `${SQLITE}@${SQLITE_VERSION}`, '--silent', '--pack-destination', home]);
  const archive = join(home, `${SQLITE}-${SQLITE_VERSION}.tgz`);
  if (packed.status !== 0) throw new Failure(`${SQLITE} ${SQLITE_VERSION} could not be fetched`);
  const got = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (entry < 0 || got !== integrity) throw new Failure(`${SQLITE} ${SQLITE_VERSION} is not what the lockfile names`);
  command('tar', ['-xzf', archive, '-C', home, '--strip-components=1']);
  rmSync(archive);
  return home;
}

/** The files of the native modules, by the name that a bundle asks for them with. */
export function nativeFiles(sqlite) {
  const zeromq = join(
    top,
    'apps/daemon/node_modules/zeromq/build/linux',
    process.arch,
    'node/glibc-127-Release/addon.node',
  );
  return {
    'better-sqlite3': join(sqlite, `prebuilds/linux-${process.arch}.node`),
    zeromq,
    wrkz_native: join(top, 'native/build/Release/wrkz_native.node'),
  };
}

/** A copy without the names that only a debugger wants; the same input makes the same output. */
export function stripped(from, to) {
  copyFileSync(from, to);
  command('strip', ['--strip-unneeded', to]);
  return to;
}

/** Runs a tool of the build. @throws Failure with what it said */
export function command(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', ...options });
  if (status !== 0) throw new Failure(`${program} failed: ${error?.message ?? `${stdout}${stderr}`}`);
  return stdout;
}
