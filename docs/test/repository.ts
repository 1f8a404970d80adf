import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const TOP = join(__dirname, '../..');

/** Folders without sources of this project: installed, built, or recorded files. */
const FOREIGN = new Set(['node_modules', 'dist', 'build', 'prebuilds', 'coverage', 'fixtures', 'data']);
const TEXT = /\.(ts|mts|mjs|cjs|js|cc|h|gyp|md|sh|ya?ml)$|^Dockerfile/;

/** A text file of the repository: path from its top, with `/`. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

function walk(folder: string): TextFile[] {
  return readdirSync(join(TOP, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return FOREIGN.has(entry.name) || entry.name.startsWith('.') ? [] : walk(path);
    return entry.isFile() && TEXT.test(entry.name) ? [{ path, text: readFileSync(join(TOP, path), 'utf8') }] : [];
  });
}

/** Every text file of this project except the lockfile and recordings. */
export function repositoryFiles(): readonly TextFile[] {
  return walk('').filter(({ path }) => path !== 'pnpm-lock.yaml');
}
