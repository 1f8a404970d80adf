import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  FileVanished,
  IncompleteFiles,
  isDamage,
  MigrationFailed,
  NotOurFile,
  SqliteConnection,
  WrongSchemaVersion,
} from '@wrkz/sqlite';
import { DamagedJournal, journalFile, readState } from './schema';

/* A journal that cannot be used is renamed, and a new one with higher numbers replaces it. */

/** Suffixes of the database and the files beside it. */
const SUFFIXES = ['', '-wal', '-shm', '-journal', '-control'];
/** Max retained damaged journals: a failing disk must not fill up with them. */
const MAX_DAMAGED = 3;

const LOST = [FileVanished, IncompleteFiles, MigrationFailed, NotOurFile, WrongSchemaVersion, DamagedJournal];

/** Whether an error means that the journal is permanently unusable. Any other error may be temporary. */
export function isLost(error: unknown): boolean {
  return LOST.some((type) => error instanceof type) || isDamage(error);
}

/** The last number of the journal in a folder, of any schema version; 0 if it cannot be read. */
export function lastNumberIn(directory: string): number {
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(journalFile(directory), { readonly: true, fileMustExist: true });
    return readState(connection).last;
  } catch {
    return 0;
  } finally {
    connection?.close();
  }
}

/** Renames the files of the journal. @returns the new name of the database; undefined if there was no file */
export function renameDamaged(directory: string, now: Date): string | undefined {
  const file = journalFile(directory);
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
  let name = file.replace(/\.sqlite$/, `-damaged-${stamp}.sqlite`);
  for (let i = 2; existsSync(name); i++) name = file.replace(/\.sqlite$/, `-damaged-${stamp}-${i}.sqlite`);
  const existing = SUFFIXES.filter((suffix) => existsSync(file + suffix));
  for (const suffix of existing) renameSync(file + suffix, name + suffix);
  removeOldestDamaged(file);
  return existing.length === 0 ? undefined : name;
}

function removeOldestDamaged(file: string): void {
  const start = `${basename(file, '.sqlite')}-damaged-`;
  const damaged = readdirSync(dirname(file)).filter((name) => name.startsWith(start));
  const names = [...new Set(damaged.map((name) => name.replace(/-(wal|shm|journal|control)$/, '')))].sort();
  for (const name of names.slice(0, -MAX_DAMAGED)) {
    for (const suffix of SUFFIXES) rmSync(join(dirname(file), name + suffix), { force: true });
  }
}
