import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  FileVanished,
  IncompleteFiles,
  isDamage,
  MigrationFailed,
  NotOurFile,
  type SqliteConnection,
  WrongSchemaVersion,
} from '@wrkz/sqlite';
import { checkedEntry, JournalReader } from './reader';
import { blockChecksum, DamagedJournal, journalFile, readState } from './schema';

/* A journal that cannot be used is renamed, and a new one with higher numbers replaces it. */

/** Suffixes of the database and the files beside it. */
const SUFFIXES = ['', '-wal', '-shm', '-journal', '-control'];
/** Max retained damaged journals: a failing disk must not fill up with them. */
const MAX_DAMAGED = 3;
/** Newest entries that are verified at the start: a crash or a power failure may have damaged them. */
const VERIFIED_ENTRIES = 1_000;

const LOST = [FileVanished, IncompleteFiles, MigrationFailed, NotOurFile, WrongSchemaVersion, DamagedJournal];

/** Whether an error means that the journal is permanently unusable. Any other error may be temporary. */
export function isLost(error: unknown): boolean {
  return LOST.some((type) => error instanceof type) || isDamage(error);
}

/** Verifies the newest entries and the remembered blocks. @throws DamagedJournal */
export function verifyNewest(connection: SqliteConnection): void {
  const { last } = readState(connection);
  const entries = connection
    .prepare<[number], [number, number, number, string, number]>(
      'SELECT number, topic, time, body, checksum FROM entries ORDER BY number DESC LIMIT ?',
    )
    .raw(true);
  for (const row of entries.iterate(VERIFIED_ENTRIES)) {
    if (checkedEntry(row).number > last) throw new DamagedJournal(`entry ${row[0]} is above the last number ${last}`);
  }
  const blocks = connection
    .prepare<[], [number, Buffer, number]>('SELECT height, hash, checksum FROM main_chain ORDER BY height')
    .raw(true);
  let expected: number | undefined;
  for (const [height, hash, checksum] of blocks.iterate()) {
    if (blockChecksum(height, hash) !== checksum || (expected !== undefined && height !== expected)) {
      throw new DamagedJournal(`block ${height} of the journal is damaged`);
    }
    expected = height + 1;
  }
}

/** The last number of the journal in a folder; 0 if it cannot be read. */
export function lastNumberIn(directory: string): number {
  let reader: JournalReader | undefined;
  try {
    reader = JournalReader.open(directory);
    return reader.state().last;
  } catch {
    return 0;
  } finally {
    reader?.close();
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
