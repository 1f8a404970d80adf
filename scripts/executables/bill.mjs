import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readManifest, top } from '../lib/workspace.mjs';

/**
 * What an executable is made of, as a CycloneDX 1.5 document: Node.js and every package of which a file is in the bundle,
 * with its version and licence. The same inputs give the same document.
 */
export function billOf({ name, file, inputs }, node) {
  const { version, license } = readManifest('.');
  const packages = new Map();
  for (const input of inputs) {
    const found = packageAt(join(top, input));
    if (found !== undefined) packages.set(`${found.name}@${found.version}`, found);
  }
  const components = [...packages.values()]
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1))
    .map((one) => component(one));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        ...{ type: 'application', name, version, licenses: licensesOf(license) },
        hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(readFileSync(file)).digest('hex') }],
      },
    },
    components: [
      {
        type: 'platform',
        name: 'node',
        version: node.version,
        licenses: licensesOf('MIT'),
        purl: `pkg:generic/node@${node.version}`,
      },
      ...components,
    ],
  };
}

function component({ name, version, license }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type: 'library', name, version, licenses: licensesOf(license), purl };
}

function licensesOf(license) {
  if (typeof license !== 'string') return [];
  return /^[\w.+-]+$/.test(license) ? [{ license: { id: license } }] : [{ expression: license }];
}

/** The package that a file belongs to: the nearest package.json above it that names one with a version. */
function packageAt(path) {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (!existsSync(file)) continue;
    const { name, version, license } = JSON.parse(readFileSync(file, 'utf8'));
    if (name !== undefined && version !== undefined) return { name, version, license };
  }
  return undefined;
}
