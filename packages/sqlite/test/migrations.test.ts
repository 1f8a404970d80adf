import { MigrationFailed, openDatabase, type Migration, WrongSchemaVersion } from '../src';
import { cleanUp, fresh } from './support/folder';
import { HISTORY, journal, oldJournal } from './support/journal';
import { contents, looking, pragma } from './support/rows';

afterEach(cleanUp);

const version = (file: string): unknown => looking(file, (connection) => pragma(connection, 'user_version'));

/** A closed journal of version 2 with 95 entries. */
function old(): string {
  const file = fresh('journal.sqlite');
  openDatabase(oldJournal(file, 95)).close();
  return file;
}

test('an open runs the migrations that a file lacks, once', () => {
  const file = old();
  for (let open = 0; open < 2; open++) {
    openDatabase(journal(file)).close();
    expect(version(file)).toBe(3);
    looking(file, (connection) => {
      const wrong = connection.prepare('SELECT count(*) AS wrong FROM entries WHERE length IS NOT length(text)');
      expect(wrong.get()).toEqual({ wrong: 0 });
    });
  }
});

test('a new file and an upgraded one have the same schema', () => {
  const [upgraded, made] = [fresh('journal.sqlite'), fresh('journal.sqlite')];
  for (let length = 1; length <= HISTORY.length; length++) {
    openDatabase(journal(upgraded, { migrations: HISTORY.slice(0, length) })).close();
    expect(version(upgraded)).toBe(length);
  }
  openDatabase(journal(made)).close();
  expect(contents(upgraded)).toEqual(contents(made));
});

test('a failed migration rolls back the preceding ones as well', () => {
  const file = fresh('journal.sqlite');
  openDatabase(journal(file, { migrations: HISTORY.slice(0, 1) })).close();
  const before = contents(file);
  const breaking: Migration = (connection) => {
    connection.exec("CREATE TABLE half (id INTEGER); INSERT INTO entries (text) VALUES ('half')");
    connection.exec('INSERT INTO nowhere VALUES (1)');
  };
  const open = (): unknown => openDatabase(journal(file, { migrations: [...HISTORY.slice(0, 2), breaking] }));
  expect(open).toThrow(MigrationFailed);
  expect(open).toThrow(`the migration of the journal ${file} to schema version 3 failed: no such table: nowhere`);
  expect(contents(file)).toEqual(before);
  openDatabase(journal(file)).close();
  expect(version(file)).toBe(3);
});

test('a new file whose schema fails has no schema', () => {
  const file = fresh('journal.sqlite');
  const breaking: Migration = (connection) => connection.exec('nonsense');
  const open = (): unknown => openDatabase(journal(file, { migrations: [...HISTORY.slice(0, 1), breaking] }));
  expect(open).toThrow(MigrationFailed);
  expect(contents(file)).toEqual(['application_id 0', 'user_version 0']);
});

test('programs with fewer migrations reject the file, and so do readers with more', () => {
  const file = fresh('journal.sqlite');
  openDatabase(journal(file)).close();
  const before = contents(file);
  for (const mode of ['read', 'write'] as const) {
    const open = (): unknown => openDatabase(journal(file, { mode, migrations: HISTORY.slice(0, 2) }));
    expect(open).toThrow(WrongSchemaVersion);
    expect(open).toThrow(/version 3, this program reads 2: .*newer/);
  }
  expect(() => openDatabase(journal(old(), { mode: 'read' }))).toThrow(/open it for writing first/);
  expect(contents(file)).toEqual(before);
});
