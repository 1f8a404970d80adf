/**
 * `full.ts <folder>`: runs each step in a folder whose disk is full or almost full, and prints the errors. Runs in the mount
 * namespace of the small disk.
 */
import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backupDatabase, openDatabase, SqliteFileError } from '../../src';
import { accessError } from '../../src/errors';
import { HISTORY, journal, JOURNAL_ID } from '../support/journal';

const [folder = ''] = process.argv.slice(2);
const name = { file: join(folder, 'journal.sqlite'), title: 'journal', option: '--data-dir' };
const filler = join(folder, 'filler');

function fill(left: number): void {
  rmSync(filler, { force: true });
  for (const size of [1 << 16, 1 << 12]) {
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // The disk is full.
    }
  }
  truncateSync(filler, statSync(filler).size - left);
}

const print = (step: string, error: unknown): void =>
  console.log(JSON.stringify([step, error instanceof SqliteFileError ? [error.name, error.message] : String(error)]));

function attempt(step: string, work: () => unknown): void {
  try {
    work();
    print(step, 'done');
  } catch (error) {
    print(step, error);
  }
}

const open = (): ReturnType<typeof openDatabase> =>
  openDatabase({ ...journal(name.file, { migrations: HISTORY.slice(0, 2) }), ...name });

async function main(): Promise<void> {
  fill(0);
  attempt('create', open);
  rmSync(filler);
  const database = open();
  const insert = database.connection.prepare('INSERT INTO entries (text) VALUES (?)');
  fill(0);
  attempt('write', () => {
    try {
      for (let i = 0; i < 100; i++) {
        insert.run('some text '.repeat(1000));
        database.committed();
      }
    } catch (error) {
      throw accessError(name, error);
    }
  });
  database.close();
  attempt('open', open);
  rmSync(filler);
  attempt('open later', () => open().close());
  fill(80 * 1024);
  const to = join(folder, 'copy.sqlite');
  const backup = { file: name.file, title: 'journal', applicationId: JOURNAL_ID, to, toOption: '--backup' };
  await backupDatabase(backup).then(
    () => print('backup', 'done'),
    (error: unknown) => print('backup', error),
  );
}

void main();
