import fc from 'fast-check';
import { openDatabase, FileInaccessible, type SqliteConnection, type SqliteSettings } from '../src';
import { journal } from './support/journal';
import { cleanUp, closing, fresh } from './support/folder';
import { pragma } from './support/rows';

afterEach(cleanUp);

const COMMON = { mmap_size: 0, trusted_schema: 0, cell_size_check: 1, temp_store: 2, journal_mode: 'wal' };

function found(connection: SqliteConnection, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, pragma(connection, name)]));
}

test('applies the fixed settings at each open, also of an existing file', () => {
  const file = fresh('journal.sqlite');
  for (let i = 0; i < 2; i++) {
    const database = openDatabase(journal(file));
    const writing = { ...COMMON, synchronous: 2, query_only: 0 };
    expect(found(database.connection, Object.keys(writing))).toEqual(writing);
    const reading = { ...COMMON, query_only: 1 };
    expect(found(database.openReader(), Object.keys(reading))).toEqual(reading);
    database.close();
  }
});

test('chosen settings are applied', () => {
  const MIB = 1024 * 1024;
  const settings: fc.Arbitrary<SqliteSettings> = fc.record({
    writerCache: fc.integer({ min: 1024, max: 512 * MIB }),
    readerCache: fc.integer({ min: 1024, max: 512 * MIB }),
    checkpointAt: fc.integer({ min: 1, max: 64 * MIB }),
    walLimit: fc.integer({ min: 0, max: 1024 * MIB }),
    foreignKeys: fc.boolean(),
    pageSize: fc.constantFrom(512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536),
    autoVacuum: fc.constantFrom('none', 'full', 'incremental'),
  });
  fc.assert(
    fc.property(settings, (chosen) => {
      const file = fresh('journal.sqlite');
      for (const requested of [chosen, { ...chosen, pageSize: 4096, autoVacuum: 'none' as const }]) {
        // The second open finds an existing file, whose layout does not change.
        const { connection, openReader, ...rest } = handles(openDatabase(journal(file, { settings: requested })));
        const common = {
          foreign_keys: chosen.foreignKeys ? 1 : 0,
          page_size: chosen.pageSize,
          auto_vacuum: ['none', 'full', 'incremental'].indexOf(chosen.autoVacuum),
        };
        const writing = {
          ...common,
          cache_size: -Math.ceil(chosen.writerCache / 1024),
          journal_size_limit: chosen.walLimit,
          wal_autocheckpoint: Math.max(1, Math.floor(chosen.checkpointAt / chosen.pageSize)),
        };
        expect(found(connection, Object.keys(writing))).toEqual(writing);
        const reading = { ...common, cache_size: -Math.ceil(chosen.readerCache / 1024) };
        expect(found(openReader(), Object.keys(reading))).toEqual(reading);
        rest.close();
      }
      cleanUp();
    }),
    { numRuns: 30 },
  );
});

function handles(database: ReturnType<typeof openDatabase>) {
  return {
    connection: database.connection,
    openReader: () => database.openReader(),
    close: () => database.close(),
  };
}

test('default settings suit a small database', () => {
  const { connection } = closing(openDatabase(journal(fresh('journal.sqlite'))));
  const wanted = {
    cache_size: -16_384,
    busy_timeout: 5000,
    wal_autocheckpoint: 1024,
    journal_size_limit: 16_777_216,
    foreign_keys: 1,
    page_size: 4096,
    auto_vacuum: 0,
  };
  expect(found(connection, Object.keys(wanted))).toEqual(wanted);
});

test('a setting that SQLite does not apply is an error with its name', () => {
  const refused: [Partial<SqliteSettings>, RegExp][] = [
    [{ pageSize: 1000 }, /page_size = 1000 \(it is 4096\)/],
    [{ walLimit: -7 }, /journal_size_limit = -7 \(it is -1\)/],
  ];
  for (const [settings, message] of refused) {
    const file = fresh('journal.sqlite');
    expect(() => openDatabase(journal(file, { settings }))).toThrow(FileInaccessible);
    expect(() => openDatabase(journal(file, { settings }))).toThrow(message);
    // No file is left that correct settings cannot open.
    openDatabase(journal(file)).close();
  }
});

test('free pages are returned to the file system if enabled', () => {
  const pages = (['none', 'incremental'] as const).map((autoVacuum) => {
    const { connection } = closing(openDatabase(journal(fresh('journal.sqlite'), { settings: { autoVacuum } })));
    const insert = connection.prepare('INSERT INTO entries (text) VALUES (?)');
    for (let i = 0; i < 200; i++) insert.run('x'.repeat(2000));
    connection.exec('DELETE FROM entries');
    connection.pragma('incremental_vacuum');
    return Number(pragma(connection, 'page_count'));
  });
  expect(pages[0]).toBeGreaterThan(90);
  expect(pages[1]).toBeLessThan(10);
});

test('a reading connection changes nothing', () => {
  const file = fresh('journal.sqlite');
  closing(openDatabase(journal(file)));
  const { connection } = closing(openDatabase(journal(file, { mode: 'read' })));
  expect(() => connection.exec("INSERT INTO entries (text) VALUES ('no')")).toThrow(/readonly/);
  expect(() => connection.exec('CREATE TABLE more (id INTEGER)')).toThrow(/readonly/);
});
