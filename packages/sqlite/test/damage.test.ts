import fc from 'fast-check';
import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { openDatabase, SqliteFileError, sqliteFailure } from '../src';
import { cleanUp, fresh } from './support/folder';
import { HISTORY, journal, oldJournal } from './support/journal';

afterEach(cleanUp);

function sound(): string {
  const file = fresh('sound.sqlite');
  openDatabase(oldJournal(file, 300)).close();
  return file;
}

/** Opens a file and reads all of it. @returns the error, if any */
function outcome(file: string, mode: 'read' | 'write'): unknown {
  try {
    const database = openDatabase(journal(file, { mode, migrations: HISTORY.slice(0, 2) }));
    try {
      database.connection.prepare('SELECT * FROM entries').all();
      database.connection.prepare('SELECT * FROM authors').all();
    } finally {
      database.close();
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

function named(error: unknown): boolean {
  return error instanceof SqliteFileError || sqliteFailure(error) !== undefined;
}

test('any changed bytes of a file lead to correct results or a named error', () => {
  const bytes = readFileSync(sound());
  const damage = fc.record({
    at: fc.integer({ min: 0, max: bytes.length - 1 }),
    // An open reads the header and the roots of the tables.
    near: fc.boolean(),
    garbage: fc.uint8Array({ minLength: 1, maxLength: 200 }),
    mode: fc.constantFrom('read' as const, 'write' as const),
  });
  let refused = 0;
  fc.assert(
    fc.property(damage, ({ at, near, garbage, mode }) => {
      const file = fresh('journal.sqlite');
      const damaged = Buffer.from(bytes);
      damaged.set(garbage.subarray(0, bytes.length), Math.min(near ? at % 200 : at, bytes.length - garbage.length));
      writeFileSync(file, damaged);
      const error = outcome(file, mode);
      if (error !== undefined) {
        refused++;
        expect(named(error)).toBe(true);
      }
      cleanUp();
    }),
    { numRuns: 150 },
  );
  expect(refused).toBeGreaterThan(20);
});

test('a truncated file of any length is named in the error', () => {
  const original = sound();
  const { size } = statSync(original);
  for (const length of [2, 15, 99, 100, 511, 4095, 4096, size - 4096]) {
    for (const mode of ['read', 'write'] as const) {
      const file = fresh('journal.sqlite');
      copyFileSync(original, file);
      truncateSync(file, length);
      expect([length, named(outcome(file, mode))]).toEqual([length, true]);
    }
  }
});
