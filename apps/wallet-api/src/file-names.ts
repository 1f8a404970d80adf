import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Where file names of requests lead. */
export interface FilePlaces {
  /** Absolute. */
  readonly directory: string;
  /** Whether a name may lead out of it. */
  readonly anyPath: boolean;
}

/** @throws Error with a message for the operator */
export function assertFolder(directory: string): void {
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) throw new Error(`--wallet-dir: ${directory} is no folder`);
}

/**
 * The place of a file that a request names, or undefined where it lies outside of the folder, be it by its name or through a
 * link.
 */
export function filePlace(name: string, { directory, anyPath }: FilePlaces): string | undefined {
  if (name === '' || name.includes('\0')) return undefined;
  const path = resolve(directory, name);
  if (anyPath) return path;
  return isWithin(directory, path) && isWithin(real(directory), real(path)) ? path : undefined;
}

function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The place behind links; of a file that is not there yet, that of its folder. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(real(above), basename(path));
  }
}
