import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { command } from '../../scripts/lib/run.mjs';
import { tool, top } from '../../scripts/lib/workspace.mjs';

/** Keys of `process.versions` that are not versions of libraries inside Node.js. */
const NO_LIBRARIES = new Set(['node', 'modules', 'napi', 'unicode', 'tz', 'cldr']);
const RULE = '='.repeat(80);

/**
 * Writes sbom.cdx.json (CycloneDX) and THIRD-PARTY-LICENSES.txt of the programs in a release. cyclonedx-esbuild lists
 * each package of the bundles with its licence texts; Node.js and its libraries are added. Reproducible.
 * @param {Record<string, object>} metafiles of esbuild, by program
 * @param {{version: string, program: string}} node
 * @param {string} work a scratch folder
 */
export function writeSbom(release, metafiles, node, work) {
  const [metafile, file] = [join(work, 'metafile.json'), join(release, 'sbom.cdx.json')];
  const merged = { inputs: {}, outputs: {} };
  for (const [name, { inputs, outputs }] of Object.entries(metafiles)) {
    Object.assign(merged.inputs, inputs);
    merged.outputs[name] = Object.values(outputs)[0];
  }
  writeFileSync(metafile, JSON.stringify(merged));
  const options = ['--gather-license-texts', '--output-reproducible', '--mc-type=application', '--output-file', file];
  command(process.execPath, [tool('@cyclonedx/cyclonedx-esbuild/bin/cyclonedx-esbuild-cli.js'), ...options, metafile], {
    cwd: top,
  });
  const sbom = JSON.parse(readFileSync(file, 'utf8'));
  const runtime = nodeComponent(node);
  sbom.components.push(runtime);
  sbom.dependencies.push({ ref: runtime['bom-ref'] });
  const suite = sbom.dependencies.find(({ ref }) => ref === sbom.metadata.component['bom-ref']);
  suite.dependsOn = [...(suite.dependsOn ?? []), runtime['bom-ref']];
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
  writeFileSync(join(release, 'THIRD-PARTY-LICENSES.txt'), licencesOf(sbom.components));
}

function nodeComponent({ version, program }) {
  const versions = JSON.parse(command(program, ['-p', 'JSON.stringify(process.versions)']));
  const ref = `pkg:generic/node@${version}`;
  const components = Object.entries(versions)
    .filter(([name]) => !NO_LIBRARIES.has(name))
    .map(([name, of]) => ({ type: 'library', 'bom-ref': `${ref}#${name}`, name, version: of }));
  const content = readFileSync(join(dirname(dirname(program)), 'LICENSE'), 'utf8');
  const evidence = { licenses: [{ license: { name: 'file: LICENSE', text: { content } } }] };
  const licenses = [{ license: { id: 'MIT' } }];
  return { type: 'platform', 'bom-ref': ref, name: 'node', version, licenses, purl: ref, evidence, components };
}

/** The licence texts of all components except those of the suite. */
function licencesOf(components) {
  const texts = components
    .filter(({ group, name }) => group !== '@wrkz' && name !== 'wrkz-node-suite')
    .map((component) => [`${nameOf(component)} ${component.version}`, textOf(component)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    'The programs of this release are under the GNU General Public License, version 3 or later. They contain third-party',
    'code under the following licences.',
    '',
    ...texts.map(([title, text]) => `${RULE}\n${title}\n${RULE}\n\n${text}\n`),
  ].join('\n');
}

/** The name of a component as in its package registry. */
export const nameOf = ({ group, name }) => (group ? `${group}/${name}` : name);

function textOf({ licenses = [], evidence }) {
  const texts = (evidence?.licenses ?? []).map(({ license: { text } }) =>
    text.encoding === 'base64' ? Buffer.from(text.content, 'base64').toString('utf8').trim() : text.content.trim(),
  );
  if (texts.length > 0) return texts.join('\n\n');
  const declared = licenses.map(({ license, expression }) => expression ?? license.id ?? license.name).join(', ');
  return `License: ${declared} (the package contains no text)`;
}
