import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { top } from '../../scripts/lib/workspace.mjs';

/** Parts of Node.js's own binary that `process.versions` names with a version of its interface only. */
const NO_COMPONENTS = new Set(['node', 'modules', 'napi', 'unicode', 'tz', 'cldr']);

/**
 * Writes the software bill of materials (CycloneDX 1.5, JSON) of the programs: what their bundles really took from which
 * package, the native modules, Node.js. The same programs make the same bytes.
 * @param {{name: string, inputs: string[]}[]} programs inputs are paths from the top of the workspace
 * @param {{version: string, program: string}} node
 */
export function writeBill(path, programs, node) {
  writeFileSync(path, `${JSON.stringify(billOf(programs, nodeComponent(node)), null, 2)}\n`);
}

export function billOf(programs, runtime) {
  const packages = new Map();
  const dependencies = [];
  const version = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')).version;
  for (const { name, inputs } of programs) {
    const used = [...new Set(inputs.map(packageOf).filter(Boolean))].map(componentOf);
    for (const component of used) packages.set(component['bom-ref'], component);
    dependencies.push({ ref: name, dependsOn: [...used.map((one) => one['bom-ref']), runtime['bom-ref']].sort() });
  }
  const suite = { type: 'application', 'bom-ref': 'wrkz-node-suite', name: 'wrkz-node-suite', version };
  const own = programs.map(({ name }) => ({
    type: 'application',
    'bom-ref': name,
    name,
    version,
    ...licensed('GPL-3.0-or-later'),
  }));
  const components = [...own, ...[...packages.values()].sort(byRef), runtime];
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([components, dependencies]))}`,
    version: 1,
    metadata: { component: { ...suite, ...licensed('GPL-3.0-or-later') } },
    components,
    dependencies,
  };
}

/** The folder of the package that a module belongs to; undefined for what the build itself writes. */
export function packageOf(input) {
  for (let folder = dirname(join(top, input)); folder.startsWith(top) && folder !== top; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    // some packages hold further descriptions that only say how their modules are to be read
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version) return folder;
  }
  return undefined;
}

function componentOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const purl = `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
  const own = name.startsWith('@wrkz/');
  const [, group, rest] = /^(?:(@[^/]+)\/)?(.+)$/.exec(name);
  const base = { type: 'library', 'bom-ref': purl, ...(group && { group }), name: rest, version };
  return { ...base, ...licensed(license), ...(!own && { purl }) };
}

function nodeComponent({ version, program }) {
  const ask = spawnSync(program, ['-p', 'JSON.stringify(process.versions)'], { encoding: 'utf8' });
  const parts = Object.entries(JSON.parse(ask.stdout)).filter(([name]) => !NO_COMPONENTS.has(name));
  const ref = `pkg:generic/node@${version}`;
  const inside = parts.map(([name, of]) => ({ type: 'library', 'bom-ref': `${ref}#${name}`, name, version: of }));
  return { type: 'platform', 'bom-ref': ref, name: 'node', version, ...licensed('MIT'), purl: ref, components: inside };
}

/** An SPDX id, an SPDX expression, or the words of the package. */
function licensed(license) {
  if (typeof license !== 'string') return {};
  if (/ (OR|AND|WITH) /.test(license)) return { licenses: [{ expression: license }] };
  return { licenses: [{ license: /^[\w.+-]+$/.test(license) ? { id: license } : { name: license } }] };
}

function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const byRef = (a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1);
