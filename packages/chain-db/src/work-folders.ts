import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the upkeep of a chain leaves in its folder while it works: of `--repair`, of an import, the mark of a compaction. */
const WORK_NAMES = ['repair', 'snapshot-import', '.compact_db_in_progress'] as const;

/** Folders and files that are of no use without the chain they were made for; those that are there. */
export function workPaths(directory: string): string[] {
  return WORK_NAMES.map((name) => join(directory, name)).filter((path) => existsSync(path));
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
