/**
 * `node packaging/production-tree.mjs <app> <folder>`: creates a folder with one compiled program, its packages and its
 * production dependencies, for images. Run `npm run compile` first.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pinnedPnpm } from '../scripts/bootstrap.mjs';
import { dependenciesOf, partialLockfile } from '../scripts/lib/isolate.mjs';
import { Failure, main, run } from '../scripts/lib/run.mjs';
import { projects, readManifest, top } from '../scripts/lib/workspace.mjs';

const FILES = ['native/package.json', 'native/build/Release/wrkz_native.node', 'pnpm-workspace.yaml', '.pnpmfile.cjs'];
/** The parts of a package at run time. */
const PARTS = ['dist', 'bin', 'assets', 'data'];
const TYPES_AND_MAPS = /\.(d\.ts|d\.ts\.map|js\.map|tsbuildinfo)$/;
/** Files that are left out, by dependency: of other platforms, sources of compiled modules, and unused files of Swagger UI. */
const UNUSED = {
  zeromq: /^(build\/(win32|darwin)|src|vendor)$/,
  'better-sqlite3': /^(deps|src|build\/Release\/(obj|obj\.target|sqlite3\.a))$/,
  'swagger-ui-dist':
    /^(?!package\.json$|LICENSE$|NOTICE$|swagger-ui\.css$|swagger-ui-bundle\.js(\.LICENSE\.txt)?$)[^/]+$/,
};

await main(async () => {
  const [app, target] = process.argv.slice(2);
  const all = projects();
  const project = all.find(({ folder }) => folder === `apps/${app}` || folder === `packages/${app}`);
  if (project === undefined || target === undefined) throw new Failure('usage: production-tree.mjs <app> <folder>');
  const root = resolve(target);
  rmSync(root, { recursive: true, force: true });
  const packages = [project, ...dependenciesOf(project, all)];
  for (const { folder, manifest } of packages) copyPackage(folder, manifest, root);
  for (const name of FILES) cpSync(join(top, name), join(root, name));
  const { packageManager, version, license, engines } = readManifest('.');
  const manifest = { name: `wrkz-${app}-image`, private: true, version, license, engines, packageManager };
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
  const lockfile = partialLockfile('', ['native', ...packages.map(({ folder }) => folder)]);
  writeFileSync(join(root, 'pnpm-lock.yaml'), lockfile);
  const install = [pinnedPnpm(), 'install', '--prod', '--frozen-lockfile', '--prefer-offline'];
  const failure = `the dependencies of ${app} could not be installed`;
  await run(process.execPath, [...install, '--reporter=append-only'], { cwd: root, quiet: true, failure });
  const store = join(root, 'node_modules/.pnpm');
  for (const entry of readdirSync(store)) {
    const name = entry.split('@')[0];
    if (name in UNUSED) removeMatching(join(store, entry, 'node_modules', name), UNUSED[name]);
  }
});

function copyPackage(name, manifest, root) {
  if (!existsSync(join(top, name, 'dist'))) throw new Failure(`${name} is not built: npm run compile`);
  mkdirSync(join(root, name), { recursive: true });
  for (const part of PARTS.filter((one) => existsSync(join(top, name, one))))
    cpSync(join(top, name, part), join(root, name, part), {
      recursive: true,
      filter: (path) => !TYPES_AND_MAPS.test(path),
    });
  writeFileSync(join(root, name, 'package.json'), JSON.stringify({ ...manifest, devDependencies: undefined }));
}

function removeMatching(folder, pattern) {
  for (const path of readdirSync(folder, { recursive: true }))
    if (pattern.test(path)) rmSync(join(folder, path), { recursive: true, force: true });
}
