import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Restrictions for file names in requests. */
export interface FilePolicy {
  /** Absolute path of `--wallet-dir`. */
  readonly directory: string;
  /** `--allow-any-path`: files outside the directory are allowed. */
  readonly anyPath: boolean;
}

/** @throws Error with a message for the operator */
export function assertDirectory(directory: string): void {
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) throw new Error(`--wallet-dir: ${directory} is not a directory`);
}

/**
 * The absolute path of a file name in a request; undefined for a path outside the directory, including through symlinks.
 */
export function resolveFile(name: string, { directory, anyPath }: FilePolicy): string | undefined {
  if (name === '' || name.includes('\0')) return undefined;
  const path = resolve(directory, name);
  if (anyPath) return path;
  return isWithin(directory, path) && isWithin(realPath(directory), realPath(path)) ? path : undefined;
}

function isWithin(directory: string, path: string): boolean {
  const fromDirectory = relative(directory, path);
  return (
    fromDirectory !== '' &&
    fromDirectory !== '..' &&
    !fromDirectory.startsWith(`..${sep}`) &&
    !isAbsolute(fromDirectory)
  );
}

/** The path with symlinks resolved. For a missing file the parent directory is resolved. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
