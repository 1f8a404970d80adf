import { openDatabase } from '../src';
import { runProgram } from './support/child';
import { crashed } from './support/crash';
import { cleanUp, fresh } from './support/folder';
import { HISTORY, journal, oldJournal } from './support/journal';
import { contents, looking, pragma } from './support/rows';

afterEach(cleanUp);

test('has the previous version after a kill during a migration, and is upgraded later', async () => {
  const [file, twin] = [fresh('journal.sqlite'), fresh('journal.sqlite')];
  for (const one of [file, twin]) openDatabase(oldJournal(one, 3000)).close();
  const before = contents(twin);
  openDatabase(journal(twin)).close();
  const child = runProgram('migrate.ts', file, 'wait');
  expect(await child.line()).toBe('migrating');
  child.kill();
  expect(await child.ended).toBe('SIGKILL');
  // SQLite alone would delete the log when it closes.
  const copy = crashed(file, fresh('copy'));
  expect(contents(copy)).toEqual(before);
  expect(looking(copy, (connection) => pragma(connection, 'integrity_check'))).toBe('ok');
  const last = runProgram('migrate.ts', file);
  expect([await last.line(), await last.line()]).toEqual(['migrating', 'up to date']);
  expect(await last.ended).toBe(0);
  expect(contents(file)).toEqual(contents(twin));
});

test('is intact after a kill during a write: commits are atomic, and no reported one is lost', async () => {
  const file = fresh('journal.sqlite');
  for (const commits of [1, 10, 100]) {
    const child = runProgram('write.ts', file);
    let reported = 0;
    for (let i = 0; i < commits; i++) reported = Number(await child.line());
    child.kill();
    expect(await child.ended).toBe('SIGKILL');
    const { connection, close } = opened(file);
    const rows = connection
      .prepare<[], [number, number]>('SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM authors)')
      .raw(true)
      .get() ?? [0, 0];
    expect(rows[0]).toBe(rows[1]);
    expect(rows[0]).toBeGreaterThanOrEqual(reported);
    expect(pragma(connection, 'integrity_check')).toBe('ok');
    close();
  }
});

function opened(file: string) {
  const database = openDatabase(journal(file, { migrations: HISTORY }));
  return { connection: database.connection, close: () => database.close() };
}
