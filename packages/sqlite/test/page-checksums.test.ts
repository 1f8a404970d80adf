import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { failureText, isDamage, openDatabase, SqliteConnection } from '../src';
import { cleanUp, closing, fresh } from './support/folder';
import { journal, oldJournal } from './support/journal';

afterEach(cleanUp);

const PAGE = 4096;
const FRAME = PAGE + 24;

/** A file with a table of three levels, an index, overflow pages and free pages, and without a log. */
function filled(): string {
  const file = fresh('filled.sqlite');
  const connection = new SqliteConnection(file);
  connection.pragma('journal_mode = WAL');
  connection.exec('CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT UNIQUE); CREATE TABLE texts (text TEXT)');
  const insert = connection.prepare('INSERT INTO names (name) VALUES (?)');
  connection.transaction(() => {
    for (let i = 0; i < 4000; i++) insert.run(`name ${String((i * 7919) % 4001)}`);
    for (let i = 0; i < 10; i++) connection.prepare('INSERT INTO texts VALUES (?)').run('x'.repeat(20_000));
    connection.exec('DELETE FROM texts WHERE rowid > 5');
  })();
  connection.close();
  return file;
}

/** All rows of a file, read through tables and indexes. */
function contentOf(file: string): unknown {
  const connection = new SqliteConnection(file, { readonly: true });
  try {
    return [
      connection.prepare('SELECT * FROM names').all(),
      connection.prepare('SELECT name FROM names ORDER BY name').all(),
      connection.prepare('SELECT text FROM texts').all(),
    ];
  } finally {
    connection.close();
  }
}

function firstBadPage(file: string): number | null {
  const connection = new SqliteConnection(file, { readonly: true });
  try {
    const row = connection.prepare<[], [number | null]>('SELECT first_bad_page(1, 1000000)').raw(true).get();
    return row?.[0] ?? null;
  } finally {
    connection.close();
  }
}

function failureOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(isDamage(error)).toBe(true);
    return failureText(error);
  }
  throw new Error('no error');
}

/** The format: two sums over the little-endian words of the page without its last 8 bytes. */
function checksumOf(page: Buffer): Buffer {
  let [first, second] = [0, 0];
  for (let at = 0; at < page.length - 8; at += 8) {
    first = (first + page.readUInt32LE(at) + second) >>> 0;
    second = (second + page.readUInt32LE(at + 4) + first) >>> 0;
  }
  const sums = Buffer.alloc(8);
  sums.writeUInt32LE(first, 0);
  sums.writeUInt32LE(second, 4);
  return sums;
}

test('each page of a new file ends with the checksum of its other bytes', () => {
  const bytes = readFileSync(filled());
  expect(bytes[20]).toBe(8);
  expect(bytes.length / PAGE).toBeGreaterThan(50);
  for (let at = 0; at < bytes.length; at += PAGE) {
    const page = bytes.subarray(at, at + PAGE);
    expect(page.subarray(-8)).toEqual(checksumOf(page));
  }
});

test('a flipped bit is found by the scan of the file, and the page is never used', () => {
  const sound = filled();
  const [bytes, content] = [readFileSync(sound), contentOf(sound)];
  const flip = fc.record({ at: fc.nat(bytes.length - 1), bit: fc.nat(7) });
  let refused = 0;
  fc.assert(
    fc.property(flip, ({ at, bit }) => {
      const file = fresh('flipped.sqlite');
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
      writeFileSync(file, flipped);
      try {
        expect(firstBadPage(file)).toBe(Math.floor(at / PAGE) + 1);
      } catch (error) {
        // The header is read by every open.
        expect(at).toBeLessThan(PAGE);
        expect(isDamage(error)).toBe(true);
      }
      try {
        expect(contentOf(file)).toEqual(content);
      } catch (error) {
        expect(isDamage(error)).toBe(true);
        refused++;
      }
      cleanUp();
    }),
    { numRuns: 60 },
  );
  // The other bits are in free pages.
  expect(refused).toBeGreaterThan(20);
});

test('the error of a damaged page contains file and page', () => {
  const file = filled();
  const bytes = readFileSync(file);
  bytes[PAGE * 7 + 2000] = (bytes[PAGE * 7 + 2000] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  expect(failureOf(() => contentOf(file))).toBe(`${file}: page 8 does not fit its checksum`);
});

test('a log frame with a wrong checksum is not used while the database is open', () => {
  const file = fresh('journal.sqlite');
  const { connection } = closing(openDatabase(oldJournal(file, 300)));
  connection.prepare('UPDATE entries SET text = ?').run('changed');
  const frames = (statSync(`${file}-wal`).size - 32) / FRAME;
  const sound = readFileSync(`${file}-wal`);
  for (let frame = 0; frame < frames; frame++) {
    for (const at of [2, 100, FRAME - 1]) {
      const log = Buffer.from(sound);
      const place = 32 + frame * FRAME + at;
      log[place] = (log[place] ?? 0) ^ 4;
      writeFileSync(`${file}-wal`, log, { flag: 'r+' });
      const reader = new SqliteConnection(file, { readonly: true });
      try {
        const rows = reader.prepare<[], [string]>('SELECT DISTINCT text FROM entries').raw(true).all();
        expect(rows).toEqual([['changed']]);
      } catch (error) {
        expect(failureText(error)).toMatch(
          new RegExp(`^${file}-wal: frame ${String(frame + 1)}, page \\d+, does not fit`),
        );
      } finally {
        reader.close();
      }
    }
  }
  writeFileSync(`${file}-wal`, sound, { flag: 'r+' });
});

test('a log whose header has another page size is neither used nor copied', () => {
  const file = filled();
  const before = readFileSync(file);
  const connection = closing(new SqliteConnection(file));
  connection.exec("UPDATE names SET name = 'changed' WHERE id = 1");
  const log = readFileSync(`${file}-wal`);
  const flip = (): void => {
    log[10] = (log[10] ?? 0) ^ 1;
    writeFileSync(`${file}-wal`, log, { flag: 'r+' });
  };
  flip();
  expect(failureOf(() => contentOf(file))).toMatch(/-wal: frame \d+, page \d+, does not fit its checksum$/);
  expect(() => connection.pragma('wal_checkpoint(PASSIVE)')).toThrow('disk I/O error');
  expect(readFileSync(file).equals(before)).toBe(true);
  flip();
  connection.pragma('wal_checkpoint(PASSIVE)');
  expect(firstBadPage(file)).toBeNull();
});

test('a checkpoint with a damaged -shm file fails and writes nothing', () => {
  const file = filled();
  const before = readFileSync(file);
  const connection = new SqliteConnection(file);
  connection.pragma('wal_autocheckpoint = 0');
  // More frames than the first region of the index can hold.
  const insert = connection.prepare('INSERT INTO texts VALUES (?)');
  for (let i = 0; i < 50; i++) insert.run('x'.repeat(400_000));
  const [log, index] = [readFileSync(`${file}-wal`), readFileSync(`${file}-shm`)];
  const frames = (log.length - 32) / FRAME;
  expect(frames).toBeGreaterThan(4096);
  const [REGION, HASHES] = [32_768, 16_384];
  const flips = [
    { at: 136, bit: 1, frame: 1 },
    { at: 139, bit: 128, frame: 1 },
    { at: 136 + 4 * 4061, bit: 4, frame: 4062 },
    { at: REGION, bit: 1, frame: 4063 },
    { at: REGION + 4 * (frames - 4063), bit: 1, frame: frames },
    ...[0, REGION].map((region) => {
      const slot = index.findIndex((byte, at) => at >= region + HASHES && at % 2 === 0 && byte !== 0);
      return { at: slot, bit: 1, frame: undefined };
    }),
  ];
  for (const { at, bit, frame = '\\d+' } of flips) {
    const flipped = Buffer.from(index);
    flipped[at] = (flipped[at] ?? 0) ^ bit;
    writeFileSync(`${file}-shm`, flipped, { flag: 'r+' });
    expect(failureOf(() => connection.pragma('wal_checkpoint(PASSIVE)'))).toMatch(
      new RegExp(
        `filled\\.sqlite: the -shm file does not lead to frame ${String(frame)} of the log, page \\d+\\. Stop all `,
      ),
    );
    expect(readFileSync(file).equals(before)).toBe(true);
    writeFileSync(`${file}-shm`, index, { flag: 'r+' });
  }
  expect(connection.pragma('wal_checkpoint(PASSIVE)')).toEqual([{ busy: 0, log: frames, checkpointed: frames }]);
  connection.close();
});

/** Changes a bit of the page number of a frame in the index; calling it again restores it. */
function flipIndexOf(file: string, frame: number): void {
  const at = 136 + 4 * (frame - 1);
  const index = readFileSync(`${file}-shm`);
  index[at] = (index[at] ?? 0) ^ 1;
  writeFileSync(`${file}-shm`, index, { flag: 'r+' });
}

test('the checkpoint of the last close fails with a damaged -shm file, and the next open recovers the log', () => {
  const file = filled();
  const before = readFileSync(file);
  const connection = new SqliteConnection(file);
  connection.pragma('wal_autocheckpoint = 0');
  const insert = connection.prepare('INSERT INTO texts VALUES (?)');
  for (let i = 0; i < 20; i++) insert.run('x'.repeat(20_000));
  flipIndexOf(file, 20);
  connection.close();
  expect(readFileSync(file).equals(before)).toBe(true);
  const next = closing(new SqliteConnection(file));
  expect(next.prepare('SELECT count(*) FROM texts').raw(true).get()).toEqual([25]);
  expect(next.pragma('integrity_check', { simple: true })).toBe('ok');
});

test('a connection that has mapped only some regions of the index can run a checkpoint', () => {
  const file = fresh('regions.sqlite');
  const writer = closing(new SqliteConnection(file));
  for (const setting of ['page_size = 512', 'journal_mode = WAL', 'synchronous = OFF', 'wal_autocheckpoint = 0'])
    writer.pragma(setting);
  writer.exec('CREATE TABLE texts (text TEXT)');
  const insert = writer.prepare('INSERT INTO texts VALUES (?)');
  writer.transaction(() => {
    for (let i = 0; i < 9000; i++) insert.run('x'.repeat(450));
  })();
  writer.exec('CREATE TABLE last (id INTEGER)');
  const frames = (statSync(`${file}-wal`).size - 32) / (512 + 24);
  expect(frames).toBeGreaterThan(2 * 4096);
  // Finds the pages of the schema in the last region, and never maps the one before.
  const other = closing(new SqliteConnection(file));
  expect(other.prepare('SELECT * FROM last').all()).toEqual([]);
  expect(other.pragma('wal_checkpoint(PASSIVE)')).toEqual([{ busy: 0, log: frames, checkpointed: frames }]);
  expect(other.pragma('integrity_check', { simple: true })).toBe('ok');
});

test('a checkpoint verifies only the index of the frames that it copies', () => {
  const file = filled();
  const connection = closing(new SqliteConnection(file));
  connection.pragma('wal_autocheckpoint = 0');
  connection.exec("INSERT INTO texts VALUES ('before')");
  const reader = closing(new SqliteConnection(file, { readonly: true }));
  reader.exec('BEGIN; SELECT * FROM texts');
  const checkpoint = (): unknown => connection.pragma('wal_checkpoint(PASSIVE)');
  const [{ checkpointed }] = checkpoint() as [{ checkpointed: number }];
  connection.exec("INSERT INTO texts VALUES ('after')");
  // While a reader prevents checkpoints, a verification per commit would read the whole log each time.
  flipIndexOf(file, 1);
  flipIndexOf(file, checkpointed + 1);
  expect(checkpoint()).toMatchObject([{ busy: 0, checkpointed }]);
  reader.exec('COMMIT');
  expect(failureOf(checkpoint)).toContain(
    `the -shm file does not lead to frame ${String(checkpointed + 1)} of the log`,
  );
  flipIndexOf(file, checkpointed + 1);
  expect(checkpoint()).toMatchObject([{ busy: 0, checkpointed: checkpointed + 1 }]);
});

test('transactions larger than the cache can read their own writes', () => {
  const file = filled();
  const connection = closing(new SqliteConnection(file));
  connection.pragma('cache_size = 5');
  connection.pragma('wal_autocheckpoint = 0');
  const rename = connection.prepare("UPDATE names SET name = name || 'x' WHERE id % ? = 0");
  const count = (): unknown => connection.prepare('SELECT count(*), sum(length(name)) FROM names').raw(true).get();
  for (let round = 0; round < 6; round++) {
    const before = count();
    try {
      connection.transaction(() => {
        for (const step of [1, 3, 2, 1]) {
          rename.run(step);
          count();
        }
        // A savepoint whose pages are already in the log.
        const undone = connection.transaction(() => {
          rename.run(1);
          throw new RangeError('undone');
        });
        expect(undone).toThrow(RangeError);
        if (round % 2 === 1) throw new RangeError('undone');
      })();
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
      expect(count()).toEqual(before);
    }
    if (round === 3) connection.pragma('wal_checkpoint(RESTART)');
    expect(connection.pragma('integrity_check', { simple: true })).toBe('ok');
  }
  connection.pragma('wal_checkpoint(TRUNCATE)');
  expect(firstBadPage(file)).toBeNull();
});

test('rejects a file that reserves no bytes, or another number of bytes', () => {
  const file = filled();
  const bytes = readFileSync(file);
  bytes[20] = 0;
  writeFileSync(file, bytes);
  const refusal = `${file}: page 1 reserves 0 bytes instead of 8`;
  expect(failureOf(() => contentOf(file))).toBe(refusal);
  expect(() => openDatabase(journal(file))).toThrow(refusal);
});

test('a page beyond the end of the file is damage, not a page of zeros', () => {
  const file = filled();
  const writer = closing(new SqliteConnection(file));
  writer.exec("UPDATE names SET name = 'changed' WHERE id = 1");
  const copy = fresh('copy.sqlite');
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy + suffix);
  // SQLite reads the number of pages from the log, so the open does not detect the truncation.
  truncateSync(copy, 20 * PAGE);
  expect(failureOf(() => contentOf(copy))).toMatch(/: page \d+ is missing: the file ends before it$/);
});

test('the page size of a file cannot be changed, and the attempt changes nothing', () => {
  const file = filled();
  const copy = fresh('copy.sqlite');
  copyFileSync(file, copy);
  const connection = new SqliteConnection(file);
  connection.pragma('journal_mode = DELETE');
  connection.pragma('page_size = 1024');
  expect(failureOf(() => connection.exec('VACUUM'))).toBe(`${file}: the page size cannot be changed`);
  connection.close();
  expect(contentOf(file)).toEqual(contentOf(copy));
});

const PROGRAM = `
  const { SqliteConnection } = require(${JSON.stringify(join(__dirname, '../src'))});
  const connection = new SqliteConnection(process.argv[1]);
  connection.exec('CREATE TABLE a (b)');
  connection.close();
`;

test('files of other threads and of other processes have checksums, too', async () => {
  const loader = join(__dirname, '../../../scripts/source-loader.cjs');
  const [ofThread, ofProcess] = [fresh('thread.sqlite'), fresh('process.sqlite')];
  const worker = new Worker(
    `require(${JSON.stringify(loader)}); process.argv[1] = ${JSON.stringify(ofThread)}; ${PROGRAM}`,
    {
      eval: true,
    },
  );
  await new Promise((resolve) => void worker.once('exit', resolve));
  execFileSync(process.execPath, ['-r', loader, '-e', PROGRAM, ofProcess]);
  for (const file of [ofThread, ofProcess]) {
    const bytes = readFileSync(file);
    expect(bytes[20]).toBe(8);
    expect(bytes.subarray(PAGE - 8, PAGE)).toEqual(checksumOf(bytes.subarray(0, PAGE)));
  }
});
