import { SqliteConnection } from '@wrkz/sqlite';
import { closeSync, openSync, writeSync } from 'node:fs';
import { type ChainDb, databaseFile, rulesDigest, verifyChain } from '../src';
import { writeMeta } from '../src/modes/floors';
import { chainA } from './support/chain-a';
import { cleanUp, openHere, writerOf } from './support/directories';
import { makeChain } from './support/maker';
import { pruneTo } from './support/modes';

afterAll(cleanUp);

const FLOOR = 12;
const STORAGE = ['full', 'pruned', 'lite'] as const;

/** Genesis and 20 blocks with transactions; the lower twelve are pruned or lite. */
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

test('an intact database of any mode has no problems and the same rules digest; only a full node has a state digest', async () => {
  const rules = new Set<string | undefined>();
  for (const storage of STORAGE) {
    const db = small(storage);
    const { problems, height, digest, rulesDigest: found } = await verifyChain(db);
    expect([storage, problems, height]).toEqual([storage, [], 20]);
    expect(typeof digest).toBe(storage === 'full' ? 'string' : 'undefined');
    rules.add(found).add(rulesDigest(db.reader));
  }
  expect([...rules]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
});

test.each(STORAGE)('an empty database and one with only genesis have no problems: %s', async (storage) => {
  const db = openHere(storage === 'lite' ? { lite: FLOOR } : {});
  for (const height of [-1, 0]) {
    expect(await verifyChain(db)).toMatchObject({ problems: [], height });
    if (height < 0) writerOf(db).append(chainA().slice(0, 1));
  }
});

test('a lite database below its height has no problems, and the digest of a full one', async () => {
  const db = openHere({ lite: 300 });
  writerOf(db).append(chainA().slice(0, 100));
  const full = openHere();
  writerOf(full).append(chainA().slice(0, 100));
  const { rulesDigest: wanted } = await verifyChain(full);
  expect(await verifyChain(db)).toMatchObject({ problems: [], height: 99, rulesDigest: wanted });
});

test('the rules digest differs for chains that differ in one block', async () => {
  const db = small('lite');
  const before = rulesDigest(db.reader);
  writerOf(db).rewindTo(19);
  expect(rulesDigest(db.reader)).not.toBe(before);
  expect((await verifyChain(db)).rulesDigest).toBe(rulesDigest(db.reader));
});

/** Each column in which a bit is flipped, in a row of the reduced part and in a row above it. */
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

/** Columns of reduced blocks that are not redundant: only the page checksums protect them. */
const UNKNOWN_BELOW: Readonly<Record<string, readonly string[]>> = {
  pruned: ['blocks.size', 'blocks.timestamp'],
  lite: ['blocks.size', 'blocks.timestamp', 'blocks.generated_transactions', 'outputs.key', 'outputs.unlock_time'],
};

describe.each(STORAGE)('in a %s database', (storage) => {
  let db: ChainDb | undefined;

  test.each(COLUMNS)('a changed %s.%s is found', async (table, column, key) => {
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
      const { problems } = await verifyChain(own);
      const isReduced = order === 'ASC' && storage !== 'full';
      const isKnown = !isReduced || UNKNOWN_BELOW[storage]?.includes(`${table}.${column}`) !== true;
      expect([order, problems.length > 0]).toEqual([order, isKnown]);
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
  ])('%s is found', async (sql) => {
    const own = small(storage);
    tamper(own, (connection) => connection.exec(sql));
    const problems = await verifyChain(own).then(
      (report) => report.problems,
      (error: unknown) => [String(error)],
    );
    expect(problems).not.toEqual([]);
  });
});

test.each([
  ['pruned', 'block_bodies', 'INSERT INTO block_bodies SELECT 4, codec, body FROM block_bodies WHERE height = 15'],
  [
    'lite',
    'transactions',
    'INSERT INTO transactions SELECT 4, hash, height, global_indexes, codec, prefix FROM transactions WHERE id = 50',
  ],
] as const)('a %s database with a row of %s too many below its floor is reported', async (storage, table, sql) => {
  const db = small(storage);
  tamper(db, (connection) => connection.exec(sql));
  expect((await verifyChain(db)).problems.join('\n')).toContain(table);
});

test('a floor above the pruned blocks is reported', async () => {
  const db = small('pruned');
  tamper(db, (connection) => writeMeta(connection, 'body_floor', '10'));
  expect((await verifyChain(db)).problems).not.toEqual([]);
});

test('a signal ends the verification', async () => {
  const db = openHere();
  writerOf(db).append(chainA());
  const stop = new AbortController();
  const onProgress = (height: number): void => {
    if (height > 100) stop.abort(new Error('enough'));
  };
  await expect(verifyChain(db, { onProgress, signal: stop.signal })).rejects.toThrow('enough');
});

test('a child process checks the pages of a large database, with the same findings; a signal kills it', async () => {
  const db = small('full');
  expect(await verifyChain(db, { childProcessBytes: 0 })).toEqual(await verifyChain(db));
  const stop = new AbortController();
  const stopped = verifyChain(db, { childProcessBytes: 0, signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(stopped).rejects.toThrow('enough');
  db.close();
  const file = openSync(databaseFile(db.directory), 'r+');
  writeSync(file, Buffer.alloc(200, 0xa5), 0, 200, 8192);
  closeSync(file);
  const { problems } = await verifyChain(db, { childProcessBytes: 0 });
  expect(problems).toEqual(['page 2 does not fit its checksum']);
  expect(problems).toEqual((await verifyChain(db)).problems);
});

function flipped(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  const at = Math.floor(bytes.length / 2);
  changed.writeUInt8((changed[at] ?? 0) ^ 4, at);
  return changed;
}
