import { readFileSync, writeFileSync } from 'node:fs';
import { firstBadPage, openDatabase, type SqliteConnection, tableOfPage } from '../src';
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

test('each page is that of the table by which SQLite counts it', () => {
  const { file, connection } = filled();
  const pages = readFileSync(file).length / PAGE;
  expect(pages).toBeGreaterThan(900);
  const counted = connection.prepare<[], [number, string]>('SELECT pageno, name FROM dbstat').raw(true).all();
  expect(counted.length).toBeGreaterThan(900);
  for (const [page, name] of counted) expect([page, tableOfPage(connection, page)]).toEqual([page, name]);
});

test('a scan in pieces finds each damaged page, and stops at the end of the file', () => {
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
