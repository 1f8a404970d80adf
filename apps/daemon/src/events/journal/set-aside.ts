import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { FileVanished, IncompleteFiles, isDamage, MigrationFailed, NotOurFile, WrongSchemaVersion } from '@wrkz/sqlite';
import { DamagedJournal } from './checksums';
import { JournalReader } from './reading';
import { journalFile } from './schema';

/** Endings of a database and of the files beside it. */
const ENDINGS = ['', '-wal', '-shm', '-journal', '-control'];
/** Journals that were set aside and are left lying there; a failing disk must not fill itself with them. */
const KEPT_ASIDE = 3;

const LOST = [FileVanished, IncompleteFiles, MigrationFailed, NotOurFile, WrongSchemaVersion, DamagedJournal];

/** Whether an error says that the journal itself cannot be used any more; every other one may pass. */
export function isLost(error: unknown): boolean {
  if (LOST.some((type) => error instanceof type)) return true;
  return isDamage(error);
}

/** The highest number that the journal in a folder has given, as far as that can still be read; 0 when it cannot. */
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

/** Gives the files of the journal another name. @returns the new name of the first one; undefined when there was none */
export function setAside(directory: string, now: Date): string | undefined {
  const file = journalFile(directory);
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
  let name = file.replace(/\.sqlite$/, `-damaged-${stamp}.sqlite`);
  for (let i = 2; existsSync(name); i++) name = file.replace(/\.sqlite$/, `-damaged-${stamp}-${i}.sqlite`);
  const there = ENDINGS.filter((ending) => existsSync(file + ending));
  for (const ending of there) renameSync(file + ending, name + ending);
  forgetOldest(file);
  return there.length === 0 ? undefined : name;
}

function forgetOldest(file: string): void {
  const start = `${basename(file, '.sqlite')}-damaged-`;
  const aside = readdirSync(dirname(file)).filter((name) => name.startsWith(start));
  const names = [...new Set(aside.map((name) => name.replace(/-(wal|shm|journal|control)$/, '')))].sort();
  for (const name of names.slice(0, -KEPT_ASIDE)) {
    for (const ending of ENDINGS) rmSync(join(dirname(file), name + ending), { force: true });
  }
}
