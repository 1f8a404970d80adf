import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', 'fixtures');

/** The absolute path of a recorded file, e.g. `fixturePath('vectors/tree.jsonl')`. */
export function fixturePath(name: string): string {
  return join(root, name);
}

/** The whole text of a recorded file (UTF-8). */
export function readFixture(name: string): string {
  return readFileSync(fixturePath(name), 'utf8');
}

/** A recorded JSON file, parsed. */
export function readJson<T>(name: string): T {
  return JSON.parse(readFixture(name)) as T;
}

/** A recorded file with one JSON value a line, parsed; blank lines are skipped. */
export function readJsonLines<T>(name: string): T[] {
  return readFixture(name)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);
}
