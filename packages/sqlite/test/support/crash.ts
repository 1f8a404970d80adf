import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What a killed program leaves of a database: copies of its files as they are at this moment, in a folder of their own. */
export function crashed(file: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, basename(file));
  for (const ending of ['', '-wal', '-control']) {
    if (existsSync(file + ending)) copyFileSync(file + ending, copy + ending);
  }
  return copy;
}
