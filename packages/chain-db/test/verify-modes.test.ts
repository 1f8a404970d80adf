import { SqliteConnection } from '@wrkz/sqlite';
import { closeSync, openSync, writeSync } from 'node:fs';
import { type ChainDb, databaseFile, rulesDigest, verifyChain, type VerifyMode } from '../src';
import { writeMeta } from '../src/meta';
import { chainA } from './support/chain-a';
import { cleanUp, openHere, writerOf } from './support/directories';
import { makeChain } from './support/maker';
import { pruneTo } from './support/modes';

afterAll(cleanUp);

const FLOOR = 12;
const STORAGE = ['full', 'pruned', 'lite'] as const;
const MODES: readonly VerifyMode[] = ['fast', 'full'];

/** Genesis and 20 blocks with transactions; the lower twelve reduced. */
function small(storage: (typeof STORAGE)[number]): ChainDb {
  const genesis = chainA().slice(0, 1);
  const plan = (salt: number) => ({
    salt,
    transactions: [
      { amounts: [7, 900], inputs: 2, unlockTime: 60n },
      { amounts: [7], inputs: 1, paymentId: salt % 3 },
    ],
  });
  const plans = Array.from({ length: 20 }, (_, i) => plan(i));
  const db = openHere(storage === 'lite' ? { lite: FLOOR } : {});
  writerOf(db).append([...genesis, ...makeChain(plans, genesis)]);
  if (storage === 'pruned') pruneTo(db, FLOOR);
  return db;
}

function tamper(db: ChainDb, change: (connection: SqliteConnection) => void): void {
  const connection = new SqliteConnection(databaseFile(db.directory));
  try {
    change(connection);
  } finally {
    connection.close();
  }
}

test('a sound database of any mode has no problems; the rules digest is one, the state digest a full node alone has', async () => {
  const rules = new Set<string | undefined>();
  for (const storage of STORAGE) {
    const db = small(storage);
    for (const mode of MODES) {
      const { problems, height, digest, rulesDigest: found } = await verifyChain(db, { mode });
      expect([storage, mode, problems, height]).toEqual([storage, mode, [], 20]);
      expect(typeof digest).toBe(storage === 'full' && mode === 'full' ? 'string' : 'undefined');
      rules.add(found).add(rulesDigest(db.reader));
    }
  }
  expect([...rules]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
});

test.each(STORAGE)('an empty database and one of genesis alone are sound: %s', async (storage) => {
  const db = openHere(storage === 'lite' ? { lite: FLOOR } : {});
  for (const height of [-1, 0]) {
    for (const mode of MODES) expect(await verifyChain(db, { mode })).toMatchObject({ problems: [], height });
    if (height < 0) writerOf(db).append(chainA().slice(0, 1));
  }
});

test('a lite database below its height is sound, and its digest is that of a full one', async () => {
  const db = openHere({ lite: 300 });
  writerOf(db).append(chainA().slice(0, 100));
  const full = openHere();
  writerOf(full).append(chainA().slice(0, 100));
  const { rulesDigest: wanted } = await verifyChain(full);
  for (const mode of MODES) {
    expect(await verifyChain(db, { mode })).toMatchObject({ problems: [], height: 99, rulesDigest: wanted });
  }
});

test('the rules digest tells chains apart that differ in one block', async () => {
  const db = small('lite');
  const before = rulesDigest(db.reader);
  writerOf(db).rewindTo(19);
  expect(rulesDigest(db.reader)).not.toBe(before);
  expect((await verifyChain(db, { mode: 'fast' })).rulesDigest).toBe(rulesDigest(db.reader));
});

/** Each column with one bit changed in a row of the reduced part and in one above it. */
const COLUMNS: readonly [table: string, column: string, key: string][] = [
  ['blocks', 'hash', 'height'],
  ['blocks', 'timestamp', 'height'],
  ['blocks', 'timestamp_lag', 'height'],
  ['blocks', 'size', 'height'],
  ['blocks', 'cumulative_difficulty', 'height'],
  ['blocks', 'generated_coins', 'height'],
  ['blocks', 'generated_transactions', 'height'],
  ['block_bodies', 'body', 'height'],
  ['transactions', 'hash', 'id'],
  ['transactions', 'global_indexes', 'id'],
  ['transactions', 'prefix', 'id'],
  ['signatures', 'signatures', 'id'],
  ['outputs', 'key', 'global_index'],
  ['outputs', 'height', 'global_index'],
  ['outputs', 'unlock_time', 'global_index'],
  ['key_images', 'image', 'id'],
  ['key_images', 'height', 'id'],
  ['payment_ids', 'payment_id', 'id'],
];

describe.each(STORAGE)('in a %s database', (storage) => {
  let db: ChainDb | undefined;

  test.each(COLUMNS)('a changed %s.%s is found by both modes, wherever it stands', async (table, column, key) => {
    const own = (db ??= small(storage));
    for (const order of ['ASC', 'DESC']) {
      let undo: (() => void) | undefined;
      tamper(own, (connection) => {
        const where = table === 'outputs' ? 'amount_id = (SELECT id FROM amounts WHERE amount = 7)' : '1';
        const row = connection
          .prepare<[], [number, Buffer | number]>(
            `SELECT ${key}, ${column} FROM ${table} WHERE ${where} AND ${key} > 0 ORDER BY ${key} ${order} LIMIT 1`,
          )
          .raw(true)
          .get()!;
        const set = (value: Buffer | number): void =>
          tamper(own, (other) => {
            other.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where} AND ${key} = ?`).run(value, row[0]);
          });
        set(typeof row[1] === 'number' ? row[1] ^ 1 : flipped(row[1]));
        undo = () => set(row[1]);
      });
      for (const mode of MODES) {
        const { problems } = await verifyChain(own, { mode });
        expect([order, mode, problems.length > 0]).toEqual([order, mode, true]);
      }
      undo?.();
    }
  });

  test.each([
    'DELETE FROM blocks WHERE height = 5',
    'DELETE FROM block_bodies WHERE height = 15',
    'DELETE FROM transactions WHERE height = 15',
    'DELETE FROM outputs WHERE height = 5',
    'DELETE FROM key_images WHERE height = 5',
    'DELETE FROM key_images WHERE height = 20',
    'DELETE FROM hash_pages WHERE id = (SELECT max(id) FROM hash_pages)',
    'DELETE FROM hash_filters WHERE id = (SELECT max(id) FROM hash_filters)',
    "UPDATE hash_state SET manifest = '[]'",
    "UPDATE meta SET value = '9' WHERE key = 'body_floor'",
  ])('%s is found by both modes', async (sql) => {
    const own = small(storage);
    tamper(own, (connection) => connection.exec(sql));
    for (const mode of MODES) {
      const problems = await verifyChain(own, { mode }).then(
        (report) => report.problems,
        (error: unknown) => [String(error)],
      );
      expect([mode, problems.length > 0]).toEqual([mode, true]);
    }
  });
});

test.each([
  [
    'pruned',
    'block_bodies',
    'INSERT INTO block_bodies SELECT 4, codec, body, checksum FROM block_bodies WHERE height = 15',
  ],
  [
    'lite',
    'transactions',
    'INSERT INTO transactions SELECT 4, hash, height, global_indexes, checksum, codec, prefix_checksum, prefix FROM transactions WHERE id = 50',
  ],
] as const)('a %s database with a row of %s too many below its floor is told of', async (storage, table, sql) => {
  const db = small(storage);
  tamper(db, (connection) => connection.exec(sql));
  for (const mode of MODES) expect((await verifyChain(db, { mode })).problems.join('\n')).toContain(table);
});

test('a floor that names more than was dropped is told of', async () => {
  const db = small('pruned');
  tamper(db, (connection) => writeMeta(connection, 'body_floor', '10'));
  for (const mode of MODES) expect((await verifyChain(db, { mode })).problems).not.toEqual([]);
});

test.each(MODES)('a signal is answered within a second: %s', async (mode) => {
  const db = openHere();
  writerOf(db).append(chainA());
  const stop = new AbortController();
  let asked = 0;
  setTimeout(() => {
    asked = performance.now();
    stop.abort(new Error('enough'));
  }, 5);
  await expect(verifyChain(db, { mode, signal: stop.signal })).rejects.toThrow('enough');
  expect(performance.now() - asked).toBeLessThan(1000);
});

test('SQLite checks a large database in a process of its own: damage is told, a signal ends it', async () => {
  const db = small('full');
  expect((await verifyChain(db, { mode: 'fast', apartFrom: 0 })).problems).toEqual([]);
  const stop = new AbortController();
  const stopped = verifyChain(db, { mode: 'fast', apartFrom: 0, signal: stop.signal });
  setTimeout(() => stop.abort(new Error('enough')), 100);
  await expect(stopped).rejects.toThrow('enough');
  db.close();
  const file = openSync(databaseFile(db.directory), 'r+');
  // The map of pages, of which no row tells.
  writeSync(file, Buffer.alloc(200, 0xa5), 0, 200, 8192);
  closeSync(file);
  const { problems } = await verifyChain(db, { mode: 'fast', apartFrom: 0 });
  expect(problems.length).toBeGreaterThan(0);
  expect(problems).toEqual((await verifyChain(db, { mode: 'fast' })).problems);
}, 30_000);

function flipped(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  const at = Math.floor(bytes.length / 2);
  changed.writeUInt8((changed[at] ?? 0) ^ 4, at);
  return changed;
}
