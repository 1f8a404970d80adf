import { rmSync } from 'node:fs';
import { openDatabase, type SqliteDatabase } from '../src';
import { ControlFile, controlFile } from '../src/control-file';
import { closing, cleanUp, fresh } from './support/folder';
import { oldJournal } from './support/journal';

/* The control file cannot be written at one of the writes of an open, for example on a full disk. */

afterEach(() => {
  jest.restoreAllMocks();
  cleanUp();
});

const count = ({ connection }: SqliteDatabase): unknown =>
  connection.prepare('SELECT count(*) FROM entries').raw(true).get();

/** Lets the write of the control file with this number, and all later ones, fail. @returns how many writes there were */
function failAt(number: number): () => number {
  const write = Object.getOwnPropertyDescriptor(ControlFile.prototype, 'write')?.value as ControlFile['write'];
  let calls = 0;
  jest.spyOn(ControlFile.prototype, 'write').mockImplementation(function (this: ControlFile, ...change) {
    if (++calls >= number) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    write.apply(this, change);
  });
  return () => calls;
}

test.each([
  ['a new file', true, () => undefined],
  ['an existing file', true, (file: string) => openDatabase(oldJournal(file, 10)).close()],
  [
    'a copied file',
    false,
    (file: string) => {
      openDatabase(oldJournal(file, 10)).close();
      rmSync(controlFile(file));
    },
  ],
])('the next open of %s succeeds', (_kind, mustAdopt, prepare) => {
  for (let number = 1; ; number++) {
    const file = fresh('journal.sqlite');
    prepare(file);
    const calls = failAt(number);
    let opened: SqliteDatabase | undefined;
    try {
      opened = openDatabase(oldJournal(file, 10));
    } catch {
      // The next open is tested.
    }
    opened?.close();
    const isReached = calls() >= number;
    jest.restoreAllMocks();
    const options = { ...oldJournal(file, 10), ...(mustAdopt && { adoptCommand: 'adopt' }) };
    expect(count(closing(openDatabase(options)))).toEqual([10]);
    if (!isReached) return;
  }
});
