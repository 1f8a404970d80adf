import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, type DatabaseOptions, type SqliteDatabase } from '../../src';
import { crashed } from './crash';
import { closing, fresh } from './folder';
import { HISTORY, journal } from './journal';

/** The schema without the last migration. */
export const SHORT: Partial<DatabaseOptions> = { migrations: HISTORY.slice(0, 2) };

export function open(file: string, options: Partial<DatabaseOptions> = {}): SqliteDatabase {
  return closing(openDatabase(journal(file, { ...SHORT, ...options })));
}

/** Adds entries, one in each commit. */
export function add(database: SqliteDatabase, count: number, text = 'some text '.repeat(30)): void {
  const insert = database.connection.prepare('INSERT INTO entries (text) VALUES (?)');
  for (let i = 0; i < count; i++) {
    insert.run(text);
    database.committed();
  }
}

export function entriesOf({ connection }: Pick<SqliteDatabase, 'connection'>): number {
  return connection.prepare<[], number>('SELECT count(*) FROM entries').pluck().get() ?? -1;
}

/** The file of a database after several sessions with a clean stop. */
export function closed(entries: number, sessions = 3): string {
  const file = fresh('journal.sqlite');
  open(file).close();
  for (let session = 0; session < sessions; session++) {
    const database = open(file);
    add(database, entries);
    database.close();
  }
  return file;
}

/** The file of a killed database: the log has the last `logged` entries. */
export function killed(copied = 40, logged = 20): string {
  const file = fresh('journal.sqlite');
  open(file).close();
  const early = readFileSync(file);
  const first = open(file);
  add(first, copied);
  first.close();
  const database = open(file);
  add(database, logged);
  const left = crashed(file, fresh('left'));
  EARLY.set(left, early);
  return left;
}

const EARLY = new Map<string, Buffer>();

/** The bytes that the file of a killed database had in an earlier session. */
export function earlyCopy(file: string): Buffer {
  return EARLY.get(file) ?? Buffer.alloc(0);
}

/** Name, size and hash of every file in a folder. */
export function folderState(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const bytes = readFileSync(join(folder, name));
      return `${name} ${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`;
    });
}
