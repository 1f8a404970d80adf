import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, Failure } from '../../scripts/lib/run.mjs';
import { tool, top } from '../../scripts/lib/workspace.mjs';

/** The sentinel of single executable applications in the binary of Node.js. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const SQLITE = 'better-sqlite3@13.2.0';

/**
 * The folder of the better-sqlite3 for Node.js 24, with its binaries. If the Node.js of the workspace is older, another
 * version is installed; then npm fetches this one. @throws Failure if it differs from the integrity in the lockfile
 */
export function sqliteFolder() {
  const installed = join(top, `node_modules/.pnpm/${SQLITE}/node_modules/better-sqlite3`);
  if (existsSync(join(installed, 'prebuilds'))) return installed;
  const home = join(top, '.bootstrap', SQLITE.replace('@', '-'));
  if (existsSync(join(home, 'prebuilds'))) return home;
  mkdirSync(home, { recursive: true });
  const [packed] = JSON.parse(command('npm', ['pack', SQLITE, '--json', '--pack-destination', home]));
  const resolution = `  ${SQLITE}:\n    resolution: {integrity: ${packed.integrity}}`;
  if (!readFileSync(join(top, 'pnpm-lock.yaml'), 'utf8').includes(resolution))
    throw new Failure(`${SQLITE}: the registry and pnpm-lock.yaml differ in the integrity`);
  const archive = join(home, packed.filename);
  command('tar', ['-xzf', archive, '-C', home, '--strip-components=1']);
  rmSync(archive);
  return home;
}

/** The files of the native modules, by the names in `natives.cjs`. */
export function nativeFiles(sqlite) {
  const zeromq = `apps/daemon/node_modules/zeromq/build/linux/${process.arch}/node/glibc-127-Release/addon.node`;
  return {
    'better-sqlite3': join(sqlite, `prebuilds/linux-${process.arch}.node`),
    zeromq: join(top, zeromq),
    wrkz_native: join(top, 'native/build/Release/wrkz_native.node'),
  };
}

/** Copies a binary without its debugging symbols; the same input makes the same output. @returns `to` */
export function strip(from, to) {
  copyFileSync(from, to);
  command('strip', ['--strip-unneeded', to]);
  return to;
}

/**
 * Builds the single executable application `<release>/<name>`.
 * @param {{name: string, text: string, assets: Record<string, string>, natives: Set<string>}} program
 * @param {{node: string, base: string, files: Record<string, string>, work: string, release: string}} options
 *   `node`: the Node.js that prepares the blob; `base`: the same, stripped; `files` of `nativeFiles`; `work`: scratch folder
 */
export function buildExecutable({ name, text, assets, natives }, { node, base, files, work, release }) {
  const folder = join(work, name);
  mkdirSync(folder, { recursive: true });
  const [main, blob, config] = ['program.js', 'program.blob', 'sea.json'].map((file) => join(folder, file));
  const executable = join(release, name);
  writeFileSync(main, text);
  const stripped = [...natives].sort().map((native) => [native, strip(files[native], join(folder, `${native}.node`))]);
  const embedded = {
    'program.js': main,
    ...assets,
    ...Object.fromEntries(stripped.map(([native, file]) => [`native/${native}`, file])),
  };
  const flags = { disableExperimentalSEAWarning: true, useSnapshot: false, useCodeCache: false };
  writeFileSync(config, JSON.stringify({ main, output: blob, assets: embedded, ...flags }));
  command(node, ['--experimental-sea-config', config]);
  // A new file: the old one may be running.
  rmSync(executable, { force: true });
  copyFileSync(base, executable);
  const inject = [tool('postject/dist/cli.js'), executable, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE];
  command(process.execPath, inject);
}
