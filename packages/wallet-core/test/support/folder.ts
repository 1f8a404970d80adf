import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** The path of a file in a new empty folder. */
export function fresh(name = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'wallet-'));
  made.push(folder);
  return join(folder, name);
}

/** Removes the folders of `fresh`; for `afterEach`. */
export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
