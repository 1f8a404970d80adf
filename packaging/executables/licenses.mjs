import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageOf } from './bill.mjs';

const TEXTS = /^(licen[cs]e|copying|notice)([.-][\w.-]+)?$/i;
const RULE = '='.repeat(80);

/**
 * Writes the licences of everything that the programs carry of others: each package of the bundles with the texts that came
 * with it, and Node.js with those of its parts.
 * @param {{inputs: string[]}[]} programs inputs are paths from the top of the workspace
 * @param {{version: string, program: string}} node
 */
export function writeLicenses(path, programs, node) {
  writeFileSync(
    path,
    licensesOf(programs, { name: `Node.js ${node.version}`, folder: dirname(dirname(node.program)) }),
  );
}

export function licensesOf(programs, runtime) {
  const folders = new Set(programs.flatMap(({ inputs }) => inputs.map(packageOf)).filter(Boolean));
  const others = new Map();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (!name.startsWith('@wrkz/')) others.set(`${name} ${version}`, textsOf(folder, license));
  }
  const sorted = [...others].sort(([a], [b]) => (a < b ? -1 : 1));
  const all = [...sorted, [runtime.name, textsOf(runtime.folder, 'MIT')]];
  return [
    'The programs of this release are under the GNU General Public License, version 3 or later. They carry parts of',
    'others, under the licences that follow.',
    '',
    ...all.map(([name, text]) => `${RULE}\n${name}\n${RULE}\n\n${text.trim()}\n`),
  ].join('\n');
}

function textsOf(folder, license) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => TEXTS.test(name)) : [];
  const texts = names.sort().map((name) => readFileSync(join(folder, name), 'utf8'));
  if (texts.length > 0) return texts.join('\n\n');
  return `License: ${typeof license === 'string' ? license : 'see its source'} (its package has no text of it)`;
}
