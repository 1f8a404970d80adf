import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A path in a new empty folder. */
export function fresh(name = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'wallet-'));
  made.push(folder);
  return join(folder, name);
}

/** For `afterEach`. */
export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
