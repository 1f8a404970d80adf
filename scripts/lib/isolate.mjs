import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { workspaceFiles } from './copy.mjs';
import { readManifest, top } from './workspace.mjs';

/** Files that pnpm reads at the top. */
const SETTINGS = ['pnpm-workspace.yaml', '.pnpmfile.cjs', '.npmrc'];
/** Test tools of the workspace, which the copies load from the workspace. */
const TOOLS = ['jest.base.js', 'jest.setup.js', 'scripts/source-loader.cjs'];
const NATIVE_BUILD = 'native/build/Release/wrkz_native.node';

/**
 * Creates a folder outside the workspace with a project and its tests, the projects that it depends on (without tests and
 * development dependencies), the documents, and a lockfile of these.
 * @returns the folder; dependencies are not installed
 */
export function isolate(project, all) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), `wrkz-isolated-${project.name}-`));
  const development = Object.keys(project.manifest.devDependencies ?? {});
  const others = dependenciesOf(project, all, development);
  const folders = ['native', ...others.map((other) => other.folder)];
  for (const name of workspaceFiles()) {
    const owner = folders.find((other) => name.startsWith(`${other}/`));
    const isOwn = ['docs/', `${project.folder}/`].some((prefix) => name.startsWith(prefix));
    if (isOwn || (owner && !name.startsWith(`${owner}/test/`))) cpSync(join(top, name), join(folder, name));
  }
  for (const name of [...SETTINGS, NATIVE_BUILD])
    if (existsSync(join(top, name))) cpSync(join(top, name), join(folder, name));
  for (const name of TOOLS) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), `module.exports = require(${JSON.stringify(join(top, name))});\n`);
  }
  const strip = (name, manifest) =>
    writeFileSync(
      join(folder, name, 'package.json'),
      JSON.stringify({ ...manifest, scripts: {}, devDependencies: {} }),
    );
  for (const other of others) strip(other.folder, other.manifest);
  strip('.', readManifest('.'));
  writeFileSync(join(folder, 'pnpm-lock.yaml'), partialLockfile(project.folder, folders));
  return folder;
}

/** The projects that a project needs: of its dependencies and of `more` names, with their dependencies. */
export function dependenciesOf(project, all, more = []) {
  const byName = new Map(all.map((other) => [other.manifest.name, other]));
  const found = new Set();
  const visit = (names) => {
    for (const name of names) {
      const other = byName.get(name);
      if (!other || other.folder === project.folder || found.has(other)) continue;
      found.add(other);
      visit(runtimeNames(other.manifest));
    }
  };
  visit([...runtimeNames(project.manifest), ...more]);
  return [...found];
}

function runtimeNames({ dependencies = {}, optionalDependencies = {} }) {
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
}

/** The lockfile with all dependencies of `project` and those of `folders` without development dependencies. */
export function partialLockfile(project, folders) {
  const lockfile = parse(readFileSync(join(top, 'pnpm-lock.yaml'), 'utf8'));
  const importers = Object.entries(lockfile.importers).flatMap(([name, importer]) => {
    if (name === project) return [[name, importer]];
    return folders.includes(name) ? [[name, { ...importer, devDependencies: undefined }]] : [];
  });
  return stringify({ ...lockfile, importers: { '.': {}, ...Object.fromEntries(importers) } });
}
