import { readFileSync, writeFileSync } from 'node:fs';
import {
  childPages,
  firstBadPage,
  openDatabase,
  pageOwner,
  rebuiltPage,
  replaceBadPage,
  SqliteConnection,
} from '../src';
import { cleanUp, closing, fresh } from './support/folder';
import { journal } from './support/journal';

afterEach(cleanUp);

const PAGE = 4096;

/** Tables with inner pages and overflow pages, and an index, over more pages than one pointer map describes. */
function filled(): { file: string; connection: SqliteConnection } {
  const file = fresh('journal.sqlite');
  const { connection } = closing(openDatabase(journal(file, { settings: { autoVacuum: 'incremental' } })));
  connection.exec('CREATE TABLE long (text TEXT); CREATE INDEX by_text ON entries (text)');
  const insert = connection.prepare('INSERT INTO entries (text) VALUES (?)');
  connection.transaction(() => {
    for (let i = 0; i < 30_000; i++) insert.run(`entry ${String(i)} ${'x'.repeat(i % 90)}`);
    for (let i = 0; i < 12; i++) connection.prepare('INSERT INTO long VALUES (?)').run('y'.repeat(50_000));
  })();
  connection.pragma('wal_checkpoint(TRUNCATE)');
  return { file, connection };
}

test('assigns each page to the same table as SQLite', () => {
  const { file, connection } = filled();
  const pages = readFileSync(file).length / PAGE;
  expect(pages).toBeGreaterThan(900);
  const counted = connection.prepare<[], [number, string]>('SELECT pageno, name FROM dbstat').raw(true).all();
  expect(counted.length).toBeGreaterThan(900);
  for (const [page, name] of counted) expect([page, pageOwner(connection, page)?.table]).toEqual([page, name]);
  // A pointer map belongs to no table.
  expect(pageOwner(connection, 2)).toBeUndefined();
});

test('a scan in steps finds each damaged page, and stops at the end of the file', () => {
  const { file, connection } = filled();
  const bytes = readFileSync(file);
  const damaged = [3, 400, 401, bytes.length / PAGE];
  for (const page of damaged) {
    const at = (page - 1) * PAGE + 77;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
  }
  writeFileSync(file, bytes, { flag: 'r+' });
  const found: number[] = [];
  for (let first = 1; first <= bytes.length / PAGE + 200;) {
    const bad = firstBadPage(connection, first, 100);
    if (bad !== undefined) found.push(bad);
    first = bad === undefined ? first + 100 : bad + 1;
  }
  expect(found).toEqual(damaged);
});

describe('a table with rows of any length', () => {
  type Row = readonly [id: number, number: number, bytes: Buffer];

  /** 64 rows: short, just fitting into a leaf, filling the part in the leaf, and with one to ten overflow pages; gaps in ids. */
  function table(): { file: string; connection: SqliteConnection; rows: Row[] } {
    const file = fresh('journal.sqlite');
    const { connection } = closing(openDatabase(journal(file, { settings: { autoVacuum: 'incremental' } })));
    connection.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT');
    const rows = Array.from({ length: 64 }, (_, i): Row => {
      const size = [0, 30, 900, PAGE - 60, PAGE - 40, 8_132, 9_999 + i, 40_000][i % 8] as number;
      return [1 + i + Math.floor(i / 7), [0, 1, 200, 70_000, 2 ** 24, 2 ** 40][i % 6] as number, Buffer.alloc(size, i)];
    });
    const insert = connection.prepare('INSERT INTO items VALUES (?, ?, ?)');
    connection.transaction(() => {
      // Not inserted in the order of the ids, so that the pages of the tree are not in that order either.
      for (let i = 0; i < rows.length; i++) insert.run(...(rows[(i * 37) % rows.length] as Row));
    })();
    connection.pragma('wal_checkpoint(TRUNCATE)');
    return { file, connection, rows };
  }

  test('each of its pages can be rebuilt from its rows, and SQLite accepts the result', () => {
    const { file, connection, rows } = table();
    const pages = connection.prepare<[], [number]>("SELECT pageno FROM dbstat WHERE name = 'items'").raw(true).all();
    expect(pages.length).toBeGreaterThan(120);
    for (const [page] of pages) {
      const sound = readFileSync(file);
      const damaged = Buffer.from(sound);
      for (let at = (page - 1) * PAGE + 10; at < page * PAGE; at += 7) damaged[at] = (damaged[at] ?? 0) ^ 0x11;
      writeFileSync(file, damaged, { flag: 'r+' });
      const owner = pageOwner(connection, page);
      const range = owner?.rows ?? { first: 1, last: 0 };
      const own = rows.filter(([id]) => id >= range.first && id <= range.last);
      const bytes =
        owner &&
        rebuiltPage(
          connection,
          page,
          owner,
          own.map(([id, ...columns]) => ({ id, columns: [null, ...columns] })),
        );
      expect([page, bytes !== undefined && replaceBadPage(connection, page, bytes)]).toEqual([page, true]);
    }
    const other = new SqliteConnection(file, { readonly: true });
    expect(other.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(other.prepare('SELECT * FROM items ORDER BY id').raw(true).all()).toEqual(rows);
    other.close();
  });

  test('does not rebuild a page from rows that do not match the neighbouring pages', () => {
    const { connection, rows } = table();
    const pages = connection.prepare<[], [number]>("SELECT pageno FROM dbstat WHERE name = 'items'").raw(true).all();
    let [leaves, refused] = [0, 0];
    for (const [page] of pages) {
      const owner = pageOwner(connection, page);
      if (owner?.overflow !== undefined || childPages(connection, page).length > 0) continue;
      leaves++;
      const range = owner?.rows ?? { first: 1, last: 0 };
      const wrong = rows
        .filter(([id]) => id >= range.first && id <= range.last)
        .map(([id, number, bytes]) => ({ id, columns: [null, number, Buffer.alloc(bytes.length + 20_000, 0xee)] }));
      if (owner !== undefined && rebuiltPage(connection, page, owner, wrong) === undefined) refused++;
    }
    expect(leaves).toBeGreaterThan(10);
    expect(refused).toBe(leaves);
  });

  test('does not rebuild a leaf without one of its long rows, nor with too many rows', () => {
    const { connection, rows } = table();
    const pages = connection.prepare<[], [number]>("SELECT pageno FROM dbstat WHERE name = 'items'").raw(true).all();
    let withLong = 0;
    for (const [page] of pages) {
      const owner = pageOwner(connection, page);
      if (owner === undefined || owner.overflow !== undefined || childPages(connection, page).length > 0) continue;
      const range = owner.rows ?? { first: 1, last: 0 };
      const own = rows
        .filter(([id]) => id >= range.first && id <= range.last)
        .map(([id, number, bytes]) => ({ id, columns: [null, number, bytes] }));
      const short = own.filter(({ columns }) => (columns[2] as Buffer).length < PAGE - 50);
      if (short.length < own.length) {
        withLong++;
        expect(rebuiltPage(connection, page, owner, short)).toBeUndefined();
        continue;
      }
      // Each is a cell of 9 bytes with a pointer of 2: 370 fit beside the header.
      const tiny = (count: number): Buffer | undefined =>
        rebuiltPage(
          connection,
          page,
          owner,
          Array.from({ length: count }, (_, i) => ({ id: 200 + i, columns: [null, 200, Buffer.alloc(0)] })),
        );
      expect([369, 370, 371, 500].map((count) => tiny(count) !== undefined)).toEqual([true, true, false, false]);
    }
    expect(withLong).toBeGreaterThan(5);
  });

  test('does not rebuild an overflow page from a row with more pages, or fewer', () => {
    const { connection, rows } = table();
    const pages = connection.prepare<[], [number]>("SELECT pageno FROM dbstat WHERE name = 'items'").raw(true).all();
    let tried = 0;
    for (const [page] of pages) {
      const owner = pageOwner(connection, page);
      if (owner?.overflow === undefined) continue;
      tried++;
      const range = owner.rows ?? { first: 1, last: 0 };
      const changed = (by: number): Buffer | undefined =>
        rebuiltPage(
          connection,
          page,
          owner,
          rows
            .filter(([id]) => id >= range.first && id <= range.last)
            .map(([id, number, bytes]) => ({
              id,
              columns: [null, number, Buffer.alloc(Math.max(0, bytes.length + by * (PAGE - 12)))],
            })),
        );
      const isLast = changed(0)?.readUInt32BE(0) === 0;
      expect([page, changed(1), isLast ? changed(-1) : undefined]).toEqual([
        page,
        isLast ? undefined : expect.any(Buffer),
        undefined,
      ]);
    }
    expect(tried).toBeGreaterThan(50);
  });

  test('does not rebuild a page next to a damaged page', () => {
    const { file, connection } = table();
    connection.exec('CREATE TABLE keyed (key BLOB PRIMARY KEY) STRICT, WITHOUT ROWID');
    for (let i = 0; i < 200; i++) connection.prepare('INSERT INTO keyed VALUES (?)').run(Buffer.alloc(99, i));
    connection.pragma('wal_checkpoint(TRUNCATE)');
    const root = (name: string): number =>
      connection
        .prepare<[string], [number]>('SELECT rootpage FROM sqlite_schema WHERE name = ?')
        .raw(true)
        .get(name)![0];
    const rebuiltRoot = (name: string): Buffer | undefined => {
      const owner = pageOwner(connection, root(name));
      return owner && rebuiltPage(connection, root(name), owner, []);
    };
    expect(rebuiltRoot('keyed')).toBeUndefined();
    expect(rebuiltRoot('items')).toBeInstanceOf(Buffer);
    const [child = 0] = childPages(connection, root('items'));
    const flip = (page: number): void => {
      const content = readFileSync(file);
      content[page * PAGE - 20] = (content[page * PAGE - 20] ?? 0) ^ 1;
      writeFileSync(file, content, { flag: 'r+' });
    };
    flip(child);
    expect(rebuiltRoot('items')).toBeUndefined();
    flip(child);
    // Page 2 is the pointer map.
    flip(2);
    expect(() => pageOwner(connection, child)).toThrow('page 2 does not fit its checksum');
  });

  test('never replaces an intact page', () => {
    const { file, connection } = table();
    const before = readFileSync(file);
    expect(replaceBadPage(connection, 5, Buffer.alloc(PAGE))).toBe(false);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(() => replaceBadPage(connection, 5, Buffer.alloc(100))).toThrow();
  });
});
