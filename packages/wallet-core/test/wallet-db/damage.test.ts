import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { fitsChecksum, SqliteConnection } from '@wrkz/sqlite';
import { SeededRandom } from '@wrkz/testing';
import { DamagedSealedRow } from '../../src/wallet-db/sealed-table';
import { FILE_SUFFIXES, WalletDb, WalletDbDamaged, walletDbName } from '../../src/wallet-db/wallet-db';
import { fresh, removeFolders } from '../support/folder';
import { fillDb, HASH, openDb, signedSend, TABLES, VIEW_KEY } from './support/filled';

/** Number of flipped bits; a campaign sets more with WRKZ_FLIPS=<number>. */
const FLIPS = Number(process.env['WRKZ_FLIPS'] ?? 25);

let walletFile: string;

beforeEach(() => {
  walletFile = fresh('a.wallet');
});

afterEach(removeFolders);

type Row = [sequence: bigint, id: Buffer, sealed: Buffer];

/** Changes a closed database with a separate connection, like another program. */
function withRaw<Result>(work: (connection: SqliteConnection) => Result): Result {
  const connection = new SqliteConnection(walletDbName(walletFile));
  // For speed: these changes need not be durable.
  connection.pragma('synchronous = OFF');
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

/** All rows that differ from a row in one bit. */
function* flipped([sequence, id, sealed]: Row): Generator<Row> {
  for (let bit = 0n; bit < 64n; bit++) yield [BigInt.asIntN(64, sequence ^ (1n << bit)), id, sealed];
  for (const changed of flippedBytes(id)) yield [sequence, changed, sealed];
  for (const changed of flippedBytes(sealed)) yield [sequence, id, changed];
}

function* flippedBytes(bytes: Buffer): Generator<Buffer> {
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    yield changed;
  }
}

function readError(db: WalletDb, table: string): unknown {
  try {
    TABLES[table]!.read(db);
    return undefined;
  } catch (error) {
    return error;
  }
}

test.each(Object.keys(TABLES))('every flipped bit of a row of %s is detected when the row is read', (table) => {
  fillDb(walletFile);
  const db = openDb(walletFile);
  const raw = new SqliteConnection(walletDbName(walletFile));
  raw.pragma('synchronous = OFF');
  const row = raw.prepare(`SELECT * FROM ${table}`).raw(true).safeIntegers(true).get() as Row;
  const write = raw.prepare(`UPDATE ${table} SET sequence = ?, id = ?, sealed = ?`);
  let count = 0;
  for (const changed of flipped(row)) {
    write.run(...changed);
    const error = readError(db, table);
    if (!(error instanceof DamagedSealedRow))
      throw new Error(`flipped bit ${count} was not detected`, { cause: error });
    count++;
  }
  expect(count).toBe(64 + 16 * 8 + row[2].length * 8);
  expect(db.damage).toBe(table);
  write.run(...row);
  expect(readError(db, table)).toBeUndefined();
  raw.close();
  db.close();
});

test(`each of ${FLIPS} single flipped bits of the file is an error when its page is read`, () => {
  fillDb(walletFile);
  const readAll = (): string => {
    const db = openDb(walletFile);
    try {
      return inspect(
        Object.values(TABLES).map(({ read }) => read(db)),
        { depth: Infinity },
      );
    } finally {
      db.close();
    }
  };
  const right = readAll();
  const sound = FILE_SUFFIXES.map((suffix) => walletDbName(walletFile) + suffix).filter((file) => existsSync(file));
  const random = new SeededRandom(5);
  let noticed = 0;
  for (let flip = 0; flip < FLIPS; flip++) {
    walletFile = fresh('a.wallet');
    for (const file of sound) copyFileSync(file, join(dirname(walletFile), basename(file)));
    const bytes = readFileSync(walletDbName(walletFile));
    const bit = random.below(bytes.length * 8);
    bytes[bit >> 3]! ^= 1 << (bit & 7);
    writeFileSync(walletDbName(walletFile), bytes);
    const page = bit >> 15;
    expect(fitsChecksum(bytes.subarray(page * 4096, (page + 1) * 4096))).toBe(false);
    try {
      expect(readAll()).toBe(right);
    } catch (error) {
      if (!(error instanceof WalletDbDamaged || error instanceof DamagedSealedRow)) throw error;
      noticed++;
    }
  }
  expect(noticed).toBeGreaterThan(FLIPS / 2);
});

test('a row with the seal of another table or sequence number is damaged', () => {
  fillDb(walletFile);
  withRaw((raw) => {
    raw.exec('UPDATE rings SET sealed = (SELECT sealed FROM sends)');
    raw.exec('UPDATE sends SET sequence = sequence + 1');
  });
  const db = openDb(walletFile);
  expect(() => db.rings.get(HASH)).toThrow(DamagedSealedRow);
  expect(() => db.sends.get(HASH)).toThrow(DamagedSealedRow);
  db.close();
});

test.each(['identity', 'state'])('a damaged row of %s is damage of the database', (table) => {
  fillDb(walletFile);
  withRaw((raw) => raw.exec(`UPDATE ${table} SET sealed = zeroblob(length(sealed))`));
  expect(() => openDb(walletFile)).toThrow(WalletDbDamaged);
  fillDb((walletFile = fresh('b.wallet')));
  withRaw((raw) => raw.exec(`UPDATE ${table} SET id = zeroblob(16)`));
  expect(() => openDb(walletFile)).toThrow(WalletDbDamaged);
  withRaw((raw) => raw.exec(`DELETE FROM ${table}`));
  expect(() => openDb(walletFile)).toThrow(WalletDbDamaged);
});

describe('a refused open changes no byte of the database', () => {
  const state = (): string[] =>
    ['', '-control'].map((suffix) =>
      createHash('sha256')
        .update(readFileSync(walletDbName(walletFile) + suffix))
        .digest('hex'),
    );

  function refusal(): unknown {
    const before = state();
    let refused: unknown;
    try {
      openDb(walletFile).close();
    } catch (error) {
      refused = error;
    }
    expect(state()).toEqual(before);
    return refused;
  }

  test.each(['identity', 'state'])('with a damaged row of %s', (table) => {
    fillDb(walletFile);
    withRaw((raw) => raw.exec(`UPDATE ${table} SET sealed = zeroblob(length(sealed))`));
    expect(refusal()).toBeInstanceOf(WalletDbDamaged);
  });

  test.each(['identity', 'sends', 'sqlite_autoindex_requests_1'])(
    'with a damaged page of %s, which the error names',
    (name) => {
      fillDb(walletFile);
      const file = walletDbName(walletFile);
      const page = withRaw((raw) =>
        raw.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(name),
      ) as number;
      const bytes = readFileSync(file);
      bytes[page * 4096 - 100]! ^= 1;
      writeFileSync(file, bytes);
      const refused = refusal() as WalletDbDamaged;
      expect(refused).toBeInstanceOf(WalletDbDamaged);
      expect(refused.reason).toContain(`${file}: page ${page} does not fit its checksum`);
    },
  );
});

test('damage persists until damaged rows are dropped, and the other rows remain', () => {
  fillDb(walletFile);
  let db = openDb(walletFile);
  db.sends.put({ hash: '01', state: 'pending', created: 2, signed: signedSend('01') });
  db.close();
  withRaw((raw) => raw.exec('UPDATE sends SET sealed = zeroblob(99) WHERE sequence = 1'));
  db = openDb(walletFile);
  expect(db.damage).toBeUndefined();
  expect(() => db.transaction(() => db.sends.all())).toThrow(DamagedSealedRow);
  db.close();
  db = openDb(walletFile);
  expect(db.damage).toBe('sends');
  db.dropDamagedRows(77);
  const check = (): void => {
    expect(db.damage).toBeUndefined();
    expect(db.identity).toMatchObject({ loss: 'damaged', isLossAcknowledged: true, since: 77 });
    expect(db.sends.all().map(({ hash }) => hash)).toEqual(['01', expect.any(String)]);
    expect(db.events.after(0, 10)).toHaveLength(1);
    expect(db.log.floor).toBe(db.mark.position);
  };
  check();
  db.close();
  db = openDb(walletFile);
  check();
  db.close();
});

test.each([
  ['the oldest', 'sequence = 1', 9],
  ['one in the middle', 'sequence = 4', 6],
  ['the newest', 'sequence = 10', 0],
])('a missing event is damage: %s', (_which, where, left) => {
  let db = openDb(walletFile);
  for (let i = 1; i <= 10; i++) db.events.append({ kind: 'k', time: i });
  db.close();
  withRaw((raw) => raw.exec(`DELETE FROM events WHERE ${where}`));
  db = openDb(walletFile);
  expect(() => db.events.after(0, 100)).toThrow(DamagedSealedRow);
  if (left > 0) expect(() => db.events.after(0, 5)).toThrow(DamagedSealedRow);
  db.dropDamagedRows(1);
  expect(db.events.after(0, 100)).toHaveLength(left);
  expect(db.events.append({ kind: 'k', time: 11 })).toBe(11);
  expect(db.events.after(0, 100)).toHaveLength(left + 1);
  db.close();
});

test.each(['the first', 'one in the middle', 'the last'])(
  'a missing entry of the ledger log is damage: %s',
  (which) => {
    let db = openDb(walletFile);
    const positions = [1, 2, 3].map((change) => {
      db.spending.reserve('a', change, 1n, 1n);
      return db.log.append(change as never);
    });
    db.close();
    const missing = { 'the first': positions[0], 'the last': positions[2] }[which] ?? positions[1];
    withRaw((raw) => raw.prepare('DELETE FROM log WHERE sequence = ?').run(missing));
    db = openDb(walletFile);
    expect(() => [...db.log.after(0)]).toThrow(DamagedSealedRow);
    db.dropDamagedRows(1);
    const next = db.log.append('new' as never);
    expect([...db.log.after(db.log.floor)]).toEqual([{ position: next, change: 'new' }]);
    db.close();
  },
);

test('a hidden entry of an index is detected when the database is opened', () => {
  fillDb(walletFile);
  withRaw((raw) => {
    raw.unsafeMode(true);
    raw.pragma('writable_schema = ON');
    const index = "name = 'sqlite_autoindex_requests_1'";
    const other = "(SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_labels_1')";
    raw.exec(`UPDATE sqlite_schema SET rootpage = ${other} WHERE ${index}`);
  });
  expect(() => openDb(walletFile)).toThrow(/ is damaged: table requests: .*row/);
});

test('a page of a table that cannot be read is damage of the table, a closed database is not', () => {
  fillDb(walletFile);
  const file = walletDbName(walletFile);
  const [page, size] = withRaw((raw) => [
    raw.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_labels_1'").pluck().get() as number,
    raw.pragma('page_size', { simple: true }) as number,
  ]);
  const bytes = readFileSync(file);
  bytes.fill(0xff, (page - 1) * size, page * size);
  writeFileSync(file, bytes);
  const db = openDb(walletFile);
  expect(() => db.labels.get(HASH)).toThrow(
    expect.objectContaining({
      name: 'DamagedSealedRow',
      message: 'the table labels of the wallet database is damaged',
      table: 'labels',
      cause: expect.objectContaining({ code: 'SQLITE_IOERR_DATA' }),
    }),
  );
  expect(db.damage).toBe('labels');
  db.close();
  expect(() => db.rings.get(HASH)).toThrow('The database connection is not open');
});

test('a failure of SQLite other than corruption is not damage', () => {
  fillDb(walletFile);
  const db = openDb(walletFile);
  withRaw((raw) => raw.exec('DROP TABLE labels'));
  expect(() => db.labels.get(HASH)).toThrow('no such table');
  expect(db.damage).toBeUndefined();
  db.close();
});

test('stored rows are padded and do not contain the view key', () => {
  fillDb(walletFile);
  withRaw((raw) => {
    const rows = raw.prepare('SELECT sequence, id, sealed FROM sends').raw(true).all() as [number, Buffer, Buffer][];
    expect(rows).toHaveLength(1);
    expect(rows[0]![2].length % 64).toBe(12 + 16);
    expect(rows[0]![2].includes(VIEW_KEY)).toBe(false);
  });
});
