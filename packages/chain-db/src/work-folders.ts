import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/** Folders that `--repair` and the import of a snapshot create beside the database while they work. */
const WORK_NAMES = ['repair', 'snapshot-import'] as const;

/** Folders and files that are of no use without the chain they were made for; those that are there. */
export function workPaths(directory: string): string[] {
  return WORK_NAMES.map((name) => join(directory, name)).filter((path) => existsSync(path));
}

/**
 * Whether a file of this path would be taken for a part of the chain in a data directory: as a log beside the database it
 * would be cut or joined to it, in a work folder be removed.
 */
export function isPlaceOfChain(directory: string, file: string): boolean {
  const [first = ''] = relative(real(directory), join(real(dirname(file)), basename(file))).split(sep);
  return first.startsWith('chain.') || WORK_NAMES.some((name) => name === first) || /^damaged(-\d+)?$/.test(first);
}

/** The path without links, as far as it is there. */
function real(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

/** A file or folder that belongs to a chain. */
export interface ChainPath {
  readonly path: string;
  /** With all that is in it. */
  readonly bytes: number;
  readonly files: number;
}

export function measuredPath(path: string): ChainPath {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return { path, bytes: 0, files: 0 };
  if (!facts.isDirectory()) return { path, bytes: facts.size, files: 1 };
  const inside = readdirSync(path).map((name) => measuredPath(join(path, name)));
  const sum = (of: (one: ChainPath) => number): number => inside.reduce((total, one) => total + of(one), 0);
  return { path, bytes: sum(({ bytes }) => bytes), files: sum(({ files }) => files) };
}
