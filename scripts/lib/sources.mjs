import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { top } from './workspace.mjs';

/** Written by others, or by a build. */
const SKIPPED = new Set(['node_modules', 'dist', 'fixtures', 'build', 'coverage']);

/** The TypeScript files below a folder, named from `root`, sorted. Declarations of others' modules do not count. */
export function typescriptFiles(folder, root = top, endings = ['.ts']) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : typescriptFiles(name, root, endings);
      return endings.some((ending) => entry.name.endsWith(ending)) && !entry.name.endsWith('.d.ts') ? [name] : [];
    })
    .sort();
}

/** Every source file of the packages and apps, tests left out, named from `root`. */
export function sourceFiles(root = top) {
  return ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group))
      .sort()
      .flatMap((name) => typescriptFiles(`${group}/${name}/src`, root)),
  );
}

export function readSource(file, root = top) {
  return readFileSync(join(root, file), 'utf8');
}
