import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { top } from './workspace.mjs';

const folder = join(top, '.bootstrap');
const file = join(folder, 'stamps.json');
/** What a build writes is no input of it. */
const skipped = new Set(['node_modules', 'dist', 'build', 'prebuilds', 'test', 'fixtures', 'coverage']);

/** A digest of names, sizes and change times of files and folders (named from the top), and of this Node.js. */
export function fingerprint(paths) {
  const digest = createHash('sha256');
  digest.update(`${process.version} ${process.platform} ${process.arch} ${process.versions.modules}\n`);
  const visit = (name) => {
    const stat = statSync(join(top, name), { throwIfNoEntry: false });
    if (!stat) return;
    if (!stat.isDirectory()) {
      digest.update(`${name} ${stat.size} ${stat.mtimeMs}\n`);
      return;
    }
    for (const entry of readdirSync(join(top, name)).sort()) if (!skipped.has(entry)) visit(join(name, entry));
  };
  paths.forEach(visit);
  return digest.digest('hex');
}

function read() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** True when a step was last done with exactly this fingerprint. */
export function isFresh(step, print) {
  return read()[step] === print;
}

/** Remembers that a step is done for a fingerprint. */
export function markDone(step, print) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...read(), [step]: print }, null, 2)}\n`);
}
