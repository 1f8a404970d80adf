import { SqliteConnection } from '@wrkz/sqlite';
import { openSync, readSync, writeSync, closeSync, statSync } from 'node:fs';
import { BelowFloor, databaseFile, verifyChain, type ChainDb } from '../src';
import { HASH_KINDS } from '../src/hash-index/schema';
import { writeMeta } from '../src/modes/floors';
import { TABLES } from '../src/schema';
import { chainA } from './support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { loseEntry } from './support/entries';
import { makeChain } from './support/maker';

afterEach(cleanUp);

/** Genesis, 20 blocks with transactions, 2 alternatives. */
function small(): ChainDb {
  const genesis = chainA().slice(0, 1);
  const plan = (salt: number) => ({
    salt,
    transactions: [
      { amounts: [7, 900], inputs: 2, unlockTime: 60n },
      { amounts: [7], inputs: 1, paymentId: salt % 3 },
    ],
  });
  const main = makeChain(
    Array.from({ length: 20 }, (_, i) => plan(i)),
    genesis,
  );
  const db = openHere();
  writerOf(db).append([...genesis, ...main]);
  for (const block of makeChain([plan(50), plan(51)], [...genesis, ...main.slice(0, 18)]))
    writerOf(db).putAlternative(block);
  writerOf(db).digestStep();
  return db;
}

/** Changes the database file without the writer. */
function tamper(db: ChainDb, change: (connection: SqliteConnection) => void): void {
  const connection = new SqliteConnection(databaseFile(db.directory));
  try {
    change(connection);
  } finally {
    connection.close();
  }
}

test('an intact database has no problems; progress ends at the tip', async () => {
  const db = small();
  const seen: [number, number][] = [];
  const report = await verifyChain(db, { onProgress: (height, top) => seen.push([height, top]) });
  const hex = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
  expect(report).toEqual({ problems: [], height: 20, digest: hex, rulesDigest: hex });
  expect(seen[seen.length - 1]).toEqual([20, 20]);
  expect((await verifyChain(openHere())).height).toBe(-1);
});

test('is aborted by its signal', async () => {
  const db = openHere();
  writerOf(db).append(chainA());
  const stop = new AbortController();
  const reason = new Error('enough');
  const onProgress = (): void => stop.abort(reason);
  await expect(verifyChain(db, { onProgress, signal: stop.signal })).rejects.toBe(reason);
  await expect(verifyChain(db)).resolves.toMatchObject({ height: 720, problems: [] });
});

test('chain A has the same digest after another order of commits, a rewind and a compaction', async () => {
  const blocks = chainA();
  const one = openHere();
  writerOf(one).append(blocks);
  const report = await verifyChain(one);
  expect(report.problems).toEqual([]);

  const two = openHere();
  for (let i = 0; i < blocks.length; i += 17) writerOf(two).append(blocks.slice(i, i + 17));
  writerOf(two).rewindTo(300);
  writerOf(two).append(blocks.slice(301));
  two.close();
  tamper(two, (connection) => connection.exec('VACUUM'));
  expect(await verifyChain(two)).toEqual(report);
  writerOf(one).rewindTo(719);
  expect((await verifyChain(one)).digest).not.toBe(report.digest);
});

/** Each column of each table, and whether it is a BLOB. */
function columns(): [table: string, column: string, blob: boolean][] {
  const connection = new SqliteConnection(':memory:');
  const db = openHere({ directory: freshDirectory() });
  connection.exec(`ATTACH '${databaseFile(db.directory)}' AS chain`);
  const found = TABLES.flatMap((table) =>
    (connection.pragma(`chain.table_info(${table})`) as { name: string; type: string; pk: number }[])
      .filter(({ name }) => !(table === 'alternatives' && name === 'id'))
      .map(({ name, type }): [string, string, boolean] => [table, name, type === 'BLOB']),
  ).filter(([table]) => table !== 'meta');
  connection.close();
  cleanUp();
  return found;
}

test.each(columns())('a flipped bit in %s.%s is reported', async (table, column, blob) => {
  const db = small();
  const sound = await verifyChain(db);
  tamper(db, (connection) => {
    const rows = connection.prepare(`SELECT * FROM ${table}`).safeIntegers(true).all() as Record<
      string,
      bigint | Buffer
    >[];
    // The last row: its changed key cannot collide with that of another row.
    const row = rows[rows.length - 1]!;
    const old = row[column]!;
    const changed = typeof old === 'bigint' ? old ^ (1n << 40n) : flipped(old, Math.floor(old.length / 2));
    const where = Object.keys(row)
      .map((name) => `${name} = ?`)
      .join(' AND ');
    const { changes } = connection
      .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`)
      .run(changed, ...Object.values(row));
    expect(changes).toBe(1);
  });
  const report = await verifyChain(db);
  expect(report.problems.length).toBeGreaterThan(0);
  if (blob) expect(report.problems.length).toBeLessThan(20);
  // The digest covers the state of the chain and not its encoding.
  if (!['alternatives', 'rules_digests'].includes(table) && column !== 'codec')
    expect(report.digest).not.toBe(sound.digest);
});

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8((changed[at] ?? 0) ^ 4, at);
  return changed;
}

test.each(TABLES.filter((table) => !['meta', 'alternatives', 'rules_digests'].includes(table)))(
  'a missing row and an extra row in %s are reported',
  async (table) => {
    const db = small();
    const key =
      { outputs: 'amount_id', amounts: 'id' }[table as string] ?? (table.startsWith('block') ? 'height' : 'id');
    tamper(db, (connection) => {
      const row = connection
        .prepare(`SELECT * FROM ${table} ORDER BY ${key} LIMIT 1 OFFSET 2`)
        .safeIntegers(true)
        .get() as Record<string, bigint | Buffer>;
      const names = Object.keys(row);
      connection
        .prepare(`DELETE FROM ${table} WHERE ${names.map((name) => `${name} = ?`).join(' AND ')}`)
        .run(...Object.values(row));
    });
    expect((await verifyChain(db)).problems.length).toBeGreaterThan(0);

    const other = small();
    tamper(other, (connection) => {
      const row = connection.prepare(`SELECT * FROM ${table} LIMIT 1`).safeIntegers(true).get() as Record<
        string,
        bigint | Buffer
      >;
      const extra = {
        ...row,
        [key]: typeof row[key] === 'bigint' ? -5n : Buffer.alloc(32, 9),
        ...('amount' in row ? { amount: 4242n } : {}),
      };
      connection
        .prepare(
          `INSERT INTO ${table} VALUES (${Object.keys(extra)
            .map(() => '?')
            .join(', ')})`,
        )
        .run(...Object.values(extra));
    });
    expect((await verifyChain(other)).problems.join('\n')).toContain(table);
  },
);

test('a lost entry of the hash index is reported', async () => {
  const db = small();
  tamper(db, (connection) => {
    loseEntry(connection, HASH_KINDS.transaction, 4);
  });
  expect((await verifyChain(db)).problems.join('\n')).toMatch(/id found by its hash is missing/);
});

test('damage to any page is a finding, not a crash', async () => {
  const db = small();
  db.close();
  const file = databaseFile(db.directory);
  const pages = statSync(file).size / 8192;
  for (let page = 1; page < pages; page++) {
    const descriptor = openSync(file, 'r+');
    // The pointer map (page 2) begins with the root pages, which SQLite finds without it.
    const size = page === 1 ? 256 : 64;
    const sound = Buffer.alloc(size);
    readSync(descriptor, sound, 0, size, page * 8192);
    writeSync(descriptor, Buffer.alloc(size, 0xa5), 0, size, page * 8192);
    const report = await verifyChain(db).catch((error: unknown) => ({ problems: [String(error)] }));
    writeSync(descriptor, sound, 0, size, page * 8192);
    closeSync(descriptor);
    expect(report.problems.length).toBeGreaterThan(0);
  }
  expect((await verifyChain(db)).problems).toEqual([]);
});

test('a body below the floor is not stored, one above it is missing', () => {
  const db = small();
  const second = (height: number): Buffer => db.reader.transactionHashes(height)[1] ?? Buffer.alloc(32);
  const [inBlock4, inBlock7] = [second(4), second(7)];
  tamper(db, (connection) => {
    connection.exec(`
      DELETE FROM block_bodies WHERE height IN (3, 7);
      DELETE FROM signatures WHERE id IN (11, 20);
    `);
    writeMeta(connection, 'body_floor', '5');
  });
  expect(db.reader.floors()).toEqual({ bodies: 5, records: 0, lite: undefined });
  expect(() => db.reader.rawBlock(3)).toThrow(new BelowFloor(3, 5));
  expect(() => db.reader.rawBlock(7)).toThrow('row 7 of block_bodies is missing');
  expect(() => db.reader.transaction(inBlock4)).toThrow(new BelowFloor(4, 5));
  expect(() => db.reader.transaction(inBlock7)).toThrow('row 20 of signatures is missing');
});
