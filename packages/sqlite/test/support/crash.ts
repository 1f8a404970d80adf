import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Simulates a kill: copies the current files of a database to another folder. @returns the path of the copy */
export function crashed(file: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, basename(file));
  for (const ending of ['', '-wal', '-control']) {
    if (existsSync(file + ending)) copyFileSync(file + ending, copy + ending);
  }
  return copy;
}
