import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/** Folders that `--repair` and the import of a snapshot create beside the database while they work. */
const WORK_NAMES = ['repair', 'snapshot-import'] as const;

/** The existing work folders of a data directory. They belong to the chain and are deleted with it. */
export function workPaths(directory: string): string[] {
  return WORK_NAMES.map((name) => join(directory, name)).filter((path) => existsSync(path));
}

/**
 * Whether a path collides with the files of the chain in a data directory. SQLite would use a file of such a name as the log of the
 * database, and a file in a work folder would be deleted.
 */
export function isPlaceOfChain(directory: string, file: string): boolean {
  const [first = ''] = relative(real(directory), join(real(dirname(file)), basename(file))).split(sep);
  return first.startsWith('chain.') || WORK_NAMES.some((name) => name === first) || /^damaged(-\d+)?$/.test(first);
}

/** The path with links resolved if it exists. */
function real(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

/** A file or folder of a chain, with the sum of its contents. */
export interface ChainPath {
  readonly path: string;
  readonly bytes: number;
  readonly files: number;
}

export function measuredPath(path: string): ChainPath {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { path, bytes: 0, files: 0 };
  if (!stat.isDirectory()) return { path, bytes: stat.size, files: 1 };
  const entries = readdirSync(path).map((name) => measuredPath(join(path, name)));
  const sum = (field: 'bytes' | 'files'): number => entries.reduce((total, entry) => total + entry[field], 0);
  return { path, bytes: sum('bytes'), files: sum('files') };
}
