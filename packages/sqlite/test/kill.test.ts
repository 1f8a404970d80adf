import { openDatabase } from '../src';
import { runProgram } from './support/child';
import { crashed } from './support/crash';
import { cleanUp, fresh } from './support/folder';
import { BATCH, HISTORY, journal, oldJournal } from './support/journal';
import { contents, looking, pragma } from './support/rows';

afterEach(cleanUp);

const ENTRIES = 3000;

test('killed in mid-migration it keeps the batches that were committed, and finishes them later', async () => {
  const [file, twin] = [fresh('journal.sqlite'), fresh('journal.sqlite')];
  for (const one of [file, twin]) openDatabase(oldJournal(one, ENTRIES)).close();
  openDatabase(journal(twin)).close();
  let reached = 0;
  for (const batches of [1, 5, 20]) {
    const child = runProgram('migrate.ts', file);
    let line = '';
    for (let i = 0; i < batches; i++) line = await child.line();
    child.kill();
    expect(await child.ended).toBe('SIGKILL');
    const printed = Number(/^3 (\d+)\//.exec(line)?.[1]);
    expect(printed).toBeGreaterThanOrEqual(reached + batches * BATCH);
    // SQLite alone would delete the log when it closes.
    reached = looking(crashed(file, fresh('copy')), (connection) => {
      expect(pragma(connection, 'user_version')).toBe(2);
      expect(pragma(connection, 'integrity_check')).toBe('ok');
      const done = connection.prepare<[], [number]>('SELECT count(length) FROM entries').raw(true).get()?.[0] ?? 0;
      const [, cursor] = connection
        .prepare<[], [number, number]>('SELECT * FROM migration_progress')
        .raw(true)
        .get() ?? [0, 0];
      expect(cursor).toBe(done);
      return done;
    });
    expect(reached).toBeGreaterThanOrEqual(printed);
    expect(reached).toBeLessThan(ENTRIES);
  }
  const last = runProgram('migrate.ts', file);
  expect(await last.line()).toBe(`3 ${reached + BATCH}/${ENTRIES}`);
  expect(await last.ended).toBe(0);
  expect(contents(file)).toEqual(contents(twin));
}, 60_000);

test('killed in mid-write it comes up sound, with each commit whole and none lost that was reported', async () => {
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
}, 60_000);

function opened(file: string) {
  const database = openDatabase(journal(file, { migrations: HISTORY }));
  return { connection: database.connection, close: () => database.close() };
}
