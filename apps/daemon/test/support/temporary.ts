import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A temporary folder, which is removed after the test file. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'wrkz-daemon-'));
  made.push(path);
  return path;
}

afterAll(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});
