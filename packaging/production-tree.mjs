/**
 * `node packaging/production-tree.mjs <app> <folder>`: makes a folder that holds one compiled program and what it needs at run
 * time, and nothing else: no sources, no tests, no development dependencies. For images. The build must be done.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pinnedPnpm } from '../scripts/bootstrap.mjs';
import { dependenciesOf, partialLockfile } from '../scripts/lib/isolate.mjs';
import { Failure, main, run } from '../scripts/lib/run.mjs';
import { projects, readManifest, top } from '../scripts/lib/workspace.mjs';

/** What a package has at run time, where it has it. */
const PARTS = ['dist', 'bin', 'assets', 'data', 'package.json'];
/** What is compiled beside JavaScript, and of use to nobody here. */
const SURPLUS = /\.(d\.ts|d\.ts\.map|js\.map|tsbuildinfo)$/;
const NATIVE = ['native/package.json', 'native/build/Release/wrkz_native.node'];
/** The files of Swagger UI that /docs loads; the package has 12 MB. */
const PAGE_FILES = /^(package\.json|LICENSE|NOTICE|swagger-ui\.css|swagger-ui-bundle\.js(\.LICENSE\.txt)?)$/;
const SETTINGS = ['pnpm-workspace.yaml', '.pnpmfile.cjs'];

await main(async () => {
  const [app, target] = process.argv.slice(2);
  const all = projects();
  const project = all.find(({ folder }) => folder === `apps/${app}` || folder === `packages/${app}`);
  if (project === undefined || target === undefined) throw new Failure('usage: production-tree.mjs <app> <folder>');
  const folder = resolve(target);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packages = [project, ...dependenciesOf(project, all)];
  for (const { folder: name, manifest } of packages) copyParts(name, manifest, folder);
  for (const name of NATIVE) cpSync(join(top, name), join(folder, name));
  for (const name of SETTINGS) cpSync(join(top, name), join(folder, name));
  const { packageManager, version, license, engines } = readManifest('.');
  const manifest = { name: `wrkz-${app}-image`, private: true, version, license, engines, packageManager };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const folders = ['native', ...packages.map((one) => one.folder)];
  writeFileSync(join(folder, 'pnpm-lock.yaml'), partialLockfile('', folders));
  const install = [pinnedPnpm(), 'install', '--prod', '--frozen-lockfile', '--prefer-offline'];
  const code = await run(process.execPath, [...install, '--reporter=append-only'], { cwd: folder, quiet: true });
  if (code !== 0) throw new Failure(`the dependencies of ${app} could not be installed: ${code}`);
  trim(join(folder, 'node_modules/.pnpm'));
});

/** Takes out what packages bring for other platforms, and sources of what is compiled already. */
function trim(store) {
  for (const name of readdirSync(store)) {
    const surplus = name.startsWith('zeromq@')
      ? ['zeromq/build/win32', 'zeromq/build/darwin', 'zeromq/src', 'zeromq/vendor']
      : name.startsWith('better-sqlite3@')
        ? ['deps', 'src', 'build/Release/obj', 'build/Release/obj.target', 'build/Release/sqlite3.a'].map(
            (path) => `better-sqlite3/${path}`,
          )
        : name.startsWith('swagger-ui-dist@')
          ? readdirSync(join(store, name, 'node_modules/swagger-ui-dist'))
              .filter((file) => !PAGE_FILES.test(file))
              .map((file) => `swagger-ui-dist/${file}`)
          : [];
    for (const path of surplus) rmSync(join(store, name, 'node_modules', path), { recursive: true, force: true });
  }
}

function copyParts(name, manifest, folder) {
  for (const part of PARTS) {
    const from = join(top, name, part);
    if (!existsSync(from)) continue;
    cpSync(from, join(folder, name, part), { recursive: true, filter: (path) => !SURPLUS.test(path) });
  }
  if (!existsSync(join(top, name, 'dist'))) throw new Failure(`${name} is not built: npm run compile`);
  writeFileSync(join(folder, name, 'package.json'), JSON.stringify({ ...manifest, devDependencies: undefined }));
}
