import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { npm } from '../lib/nodes.mjs';
import { Failure } from '../lib/run.mjs';
import { top } from '../lib/workspace.mjs';

/*
 * The native modules that an executable carries. Each stands below `native/` of what it unpacks, and a stub in the bundle
 * takes the place of whatever would look for it in a folder of packages.
 */

const SQLITE = 'better-sqlite3@13.2.0';

/** @returns {{name: string, file: string, package: string}[]} for a bundle that holds these packages */
export function nativesFor(inputs, work) {
  const has = (part) => inputs.some((input) => input.includes(part));
  return [
    has('packages/crypto/') && ownModule(),
    has('better-sqlite3') && {
      name: 'better_sqlite3.node',
      file: join(sqliteFolder(work), 'prebuilds', `${platform}.node`),
      package: SQLITE,
    },
    has('zeromq') && { name: 'zeromq.node', file: zeromq(), package: 'zeromq' },
  ].filter(Boolean);
}

const platform = `${process.platform}-${process.arch}`;

/** Where its program for this platform begins, which asks for nothing but one file. */
export const sqliteEntry = (work) => join(sqliteFolder(work), 'lib', `${platform}.js`);

function ownModule() {
  const file = join(top, 'native/build/Release/wrkz_native.node');
  if (!existsSync(file)) throw new Failure('the native module is not built: npm run compile');
  return { name: 'wrkz_native.node', file, package: '@wrkz/native' };
}

/**
 * The package of SQLite that Node.js 24 takes, as the lockfile names it; this Node.js may be too old to have it installed.
 * @returns its folder
 */
export function sqliteFolder(work) {
  const folder = join(work, 'better-sqlite3-13');
  if (existsSync(join(folder, 'package.json'))) return folder;
  mkdirSync(folder, { recursive: true });
  const packed = npm(['pack', SQLITE, '--silent', '--pack-destination', work]);
  const archive = join(work, packed.stdout.trim().split('\n').pop() ?? '');
  if (packed.status !== 0 || !existsSync(archive)) throw new Failure(`${SQLITE} could not be fetched`);
  const digest = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (digest !== integrityOf(SQLITE)) throw new Failure(`${SQLITE} is not what the lockfile names`);
  const { status } = spawnSync('tar', ['-xzf', archive, '-C', folder, '--strip-components=1'], { stdio: 'inherit' });
  rmSync(archive, { force: true });
  if (status !== 0) throw new Failure(`${SQLITE} could not be unpacked`);
  return folder;
}

function integrityOf(wanted) {
  const lines = readFileSync(join(top, 'pnpm-lock.yaml'), 'utf8').split('\n');
  const at = lines.findIndex((line) => line.trim() === `${wanted}:`);
  return /integrity: ([^,}]+)/.exec(lines[at + 1] ?? '')?.[1];
}

/** The build of zeromq for the oldest C library, as its own loader would take it on most machines. */
function zeromq() {
  const folder = dirname(createRequire(join(top, 'apps/daemon/package.json')).resolve('zeromq/package.json'));
  const build = JSON.parse(readFileSync(join(folder, 'build/manifest.json'), 'utf8'));
  const place = Object.entries(build).find(([config]) => {
    const { os, arch, runtime, libc, abi } = JSON.parse(config);
    return os === process.platform && arch === process.arch && runtime === 'node' && libc === 'glibc' && abi === 127;
  })?.[1];
  const file = place && join(folder, 'build', place);
  if (!file || !existsSync(file)) throw new Failure('zeromq brings no module for this platform');
  return file;
}
