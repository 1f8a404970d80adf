import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { workspaceFiles } from './copy.mjs';
import { top } from './workspace.mjs';

/** What a package manager reads at the top. */
const SETTINGS = ['pnpm-workspace.yaml', '.pnpmfile.cjs', '.npmrc'];
/** Test tools that belong to no package: they stay where they are, and these files point to them. */
const TOOLS = ['jest.base.js', 'scripts/source-loader.cjs'];
const NATIVE_BUILD = 'native/build/Release/wrkz_native.node';

/**
 * Makes a folder outside the workspace that holds one project with its tests, and of the other projects only those it
 * declares, without their tests and development dependencies; the suite's documents too. A lockfile of just these is put beside them.
 * @returns the folder; dependencies are not installed yet
 */
export function isolate(project, all) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), `wrkz-isolated-${project.name}-`));
  const folders = new Set(declaredBy(project, all).map((other) => other.folder));
  folders.add('native');
  for (const name of workspaceFiles()) {
    if (name.startsWith('docs/')) copy(name, folder); // some tests hold the documents against the code
    const owner = [...folders].find((other) => name.startsWith(`${other}/`));
    if (name.startsWith(`${project.folder}/`) || (owner && !name.startsWith(`${owner}/test/`))) copy(name, folder);
  }
  for (const name of SETTINGS) copy(name, folder);
  if (existsSync(join(top, NATIVE_BUILD))) copy(NATIVE_BUILD, folder);
  for (const name of TOOLS) {
    write(join(folder, name), `module.exports = require(${JSON.stringify(join(top, name))});\n`);
  }
  for (const { folder: name, manifest } of all.filter((other) => folders.has(other.folder))) {
    writeFileSync(join(folder, name, 'package.json'), JSON.stringify({ ...manifest, devDependencies: {} }));
  }
  const manifest = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ ...manifest, scripts: {}, devDependencies: {} }, null, 2),
  );
  const lockfile = readFileSync(join(top, 'pnpm-lock.yaml'), 'utf8');
  writeFileSync(join(folder, 'pnpm-lock.yaml'), reduceLockfile(lockfile, project.folder, folders));
  return folder;
}

/** The other projects that a project reaches at run time. */
export function reachedFrom(project, all) {
  return declaredBy({ ...project, manifest: { ...project.manifest, devDependencies: {} } }, all);
}

/** The other projects that a project reaches by what it and they declare; development dependencies are its own alone. */
function declaredBy(project, all) {
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
  visit([...runtimeNames(project.manifest), ...Object.keys(project.manifest.devDependencies ?? {})]);
  return [...found];
}

function runtimeNames({ dependencies = {}, optionalDependencies = {} }) {
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
}

/**
 * The lockfile with the importers of `kept` alone (without development dependencies) and of the project itself. Written
 * by pnpm, it names an importer at two spaces' depth and its kinds of dependencies at four.
 */
export function reduceLockfile(text, project, kept) {
  const lines = text.split('\n');
  const start = lines.indexOf('importers:');
  const end = lines.findIndex((line, i) => i > start && /^\S/.test(line));
  const importers = [];
  let importer = '';
  let kind = '';
  for (const line of lines.slice(start + 1, end)) {
    const name = /^ {2}(\S+?):/.exec(line)?.[1];
    if (name !== undefined) importer = name;
    kind = /^ {4}(\w+):$/.exec(line)?.[1] ?? (name === undefined ? kind : '');
    if (importer === project || (kept.has(importer) && kind !== 'devDependencies')) importers.push(line);
  }
  // One that had nothing but development dependencies is left with none.
  const isName = (line) => /^ {2}\S.*:$/.test(line ?? '');
  const rest = importers.filter((line) => line !== '');
  const whole = rest.map((line, i) => (isName(line) && !/^ {4}/.test(rest[i + 1] ?? '') ? `${line} {}` : line));
  return [...lines.slice(0, start + 1), '', '  .: {}', '', ...whole, '', ...lines.slice(end)].join('\n');
}

function copy(name, folder) {
  const target = join(folder, name);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(top, name), target);
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
