import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { FileLocked, SqliteConnection } from '@wrkz/sqlite';
import { createdWallet } from '../../src/keys/wallet-keys';
import { type WalletDbMark, walletDbMarkOf, withWalletDbMark } from '../../src/wallet-db/identity';
import { DamagedSealedRow } from '../../src/wallet-db/sealed-table';
import {
  backupWalletDb,
  ForeignWalletDb,
  WalletDb,
  WalletDbDamaged,
  walletDbName,
} from '../../src/wallet-db/wallet-db';
import { endPrograms, runProgram } from '../support/child';
import { fresh, removeFolders } from '../support/folder';
import { ADDRESS, AMOUNT, fillDb, HASH, openDb, OTHER_HASH, OTHER_VIEW_KEY, output, VIEW_KEY } from './support/filled';

let walletFile: string;
let file: string;

beforeEach(() => {
  walletFile = fresh('a.wallet');
  file = walletDbName(walletFile);
});

afterEach(async () => {
  await endPrograms();
  removeFolders();
});

/** Every file beside the container, with its content. */
function folder(): Record<string, string> {
  const names = readdirSync(dirname(walletFile)).filter((name) => !name.endsWith('.lock'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(dirname(walletFile), name), 'hex')]));
}

/** Leaves the database in the state after a kill, with a write-ahead log. */
async function fillAndKill(): Promise<void> {
  const program = runProgram('wallet-db.ts', [walletFile]);
  for (let i = 0; i < 4; i++) await program.line();
  program.kill();
  await program.ended;
}

test('a new database is readable only by its owner and has no loss', () => {
  const db = openDb(walletFile, { now: 5 });
  for (const name of Object.keys(folder())) expect(statSync(join(dirname(file), name)).mode & 0o077).toBe(0);
  expect(db.identity).toEqual({
    database: expect.stringMatching(/^[0-9a-f]{32}$/),
    since: 5,
    isLossAcknowledged: false,
  });
  expect(db.mark).toEqual({ database: db.identity.database, position: 0 });
  expect(db.isNamedByContainer).toBe(false);
  db.close();
  expect(Object.keys(folder())).toEqual(['a.wallet.db', 'a.wallet.db-control']);
});

test('a database can be open only once', () => {
  const db = openDb(walletFile);
  expect(() => openDb(walletFile)).toThrow(FileLocked);
  db.close();
  db.close();
  openDb(walletFile).close();
});

test('the files contain no hash, address, amount, name or key in plain text', async () => {
  fillDb(walletFile);
  const stolen = [readFileSync(file)];
  await fillAndKill();
  stolen.push(readFileSync(`${file}-wal`));
  const secrets = [
    HASH,
    OTHER_HASH,
    ADDRESS,
    String(AMOUNT),
    VIEW_KEY,
    output.key,
    'shop',
    'rent',
    'pause',
    'the bytes',
  ];
  for (const secret of secrets) {
    for (const bytes of stolen) {
      expect(bytes.includes(secret)).toBe(false);
      if (/^([0-9a-f]{2})+$/.test(secret)) expect(bytes.includes(Buffer.from(secret, 'hex'))).toBe(false);
    }
  }
});

test('equal rows of two databases differ', () => {
  const sealed = ['b.wallet', 'c.wallet'].map((name) => {
    const other = join(dirname(walletFile), name);
    const db = openDb(other, { privateViewKey: name === 'b.wallet' ? VIEW_KEY : OTHER_VIEW_KEY });
    db.labels.put(ADDRESS, { subject: ADDRESS, text: 'rent' });
    db.close();
    return readFileSync(walletDbName(other));
  });
  const label = sealed[0]!.subarray(-200);
  expect(sealed[1]!.includes(label)).toBe(false);
});

describe('the database of another wallet is refused and not changed', () => {
  test('after it was closed', () => {
    fillDb(walletFile);
    const before = folder();
    expect(() => openDb(walletFile, { privateViewKey: OTHER_VIEW_KEY })).toThrow(ForeignWalletDb);
    expect(folder()).toEqual(before);
    openDb(walletFile).close();
  });

  test('with the log of a killed program', async () => {
    await fillAndKill();
    const before = folder();
    expect(Object.keys(before).sort()).toEqual(
      ['', '-control', '-shm', '-wal'].map((end) => `a.wallet.db${end}`).sort(),
    );
    expect(() => openDb(walletFile, { privateViewKey: OTHER_VIEW_KEY })).toThrow(ForeignWalletDb);
    expect(folder()).toEqual(before);
    openDb(walletFile).close();
  });

  test('if the container has its marker', () => {
    fillDb(walletFile);
    const db = openDb(walletFile);
    const { mark } = db;
    db.close();
    expect(() => openDb(walletFile, { privateViewKey: OTHER_VIEW_KEY, expected: mark })).toThrow(ForeignWalletDb);
  });
});

describe('with a marker in the container,', () => {
  test('a database at or after the position continues', () => {
    let db = openDb(walletFile);
    db.log.append('a' as never);
    const { mark } = db;
    db.log.append('b' as never);
    db.close();
    db = openDb(walletFile, { expected: mark });
    expect(db.isNamedByContainer).toBe(true);
    expect(db.identity.loss).toBeUndefined();
    expect([...db.log.after(mark.position)].map(({ change }) => change)).toEqual(['b']);
    db.close();
  });

  test('a missing database is replaced with a new one that reports the loss, even after a restart', () => {
    const expected = { database: 'ab'.repeat(16), position: 40 };
    let db = openDb(walletFile, { expected, now: 9 });
    expect(db.isNamedByContainer).toBe(false);
    expect(db.identity).toMatchObject({ loss: 'missing', isLossAcknowledged: false, since: 9 });
    expect(db.mark.position).toBe(40);
    expect(db.log.append('a' as never)).toBe(41);
    const { mark } = db;
    db.acknowledgeLoss();
    db.close();
    db = openDb(walletFile, { expected: mark, now: 10 });
    expect(db.identity).toMatchObject({ loss: 'missing', isLossAcknowledged: true, since: 9 });
    expect(db.isNamedByContainer).toBe(true);
    db.close();
  });

  test('an older copy reports the loss, continues at the position of the container and discards its log', () => {
    fillDb(walletFile);
    const copy = readFileSync(file);
    let db = openDb(walletFile);
    db.log.append('lost' as never);
    db.sends.put({ hash: OTHER_HASH, state: 'pending', created: 1 });
    const { mark } = db;
    db.close();
    writeFileSync(file, copy);
    db = openDb(walletFile, { expected: mark, now: 12 });
    expect(db.identity).toMatchObject({
      database: mark.database,
      loss: 'outdated',
      isLossAcknowledged: false,
      since: 12,
    });
    expect(db.mark).toEqual(mark);
    expect(db.log.floor).toBe(mark.position);
    expect(db.log.progress()).toBeUndefined();
    expect(db.sends.get(HASH)).toBeDefined();
    expect(db.isNamedByContainer).toBe(false);
    const next = db.log.append('new' as never);
    expect([...db.log.after(mark.position)]).toEqual([{ position: next, change: 'new' }]);
    db.close();
    // The container now has the marker of this database.
    db = openDb(walletFile, { expected: mark, now: 13 });
    expect(db.identity).toMatchObject({ loss: 'outdated', since: 12 });
    expect(db.isNamedByContainer).toBe(true);
    db.close();
  });

  test('another database of the same wallet reports a missing database', () => {
    fillDb(walletFile);
    const expected = { database: '00'.repeat(16), position: 3 };
    const db = openDb(walletFile, { expected });
    expect(db.identity.loss).toBe('missing');
    expect(db.mark.position).toBeGreaterThan(3);
    expect(db.log.floor).toBe(db.mark.position);
    expect(db.sends.get(HASH)).toBeDefined();
    db.close();
  });

  test('a container without a marker has no loss', () => {
    fillDb(walletFile);
    const db = openDb(walletFile);
    expect(db.isNamedByContainer).toBe(false);
    expect(db.identity.loss).toBeUndefined();
    expect([...db.log.after(0)]).toHaveLength(1);
    db.close();
  });
});

describe('a damaged file is not moved', () => {
  const damages: Record<string, () => void> = {
    'is not a database': () => writeFileSync(file, 'text '.repeat(1_000)),
    'is the database of another program': () => {
      const bytes = readFileSync(file);
      bytes.writeUInt8(0, 68);
      writeFileSync(file, bytes);
    },
    'is truncated': () => truncateSync(file, statSync(file).size - 4096),
    'lacks a column': () => {
      const bytes = readFileSync(file);
      bytes.fill(0x78, bytes.indexOf('sealed BLOB'), bytes.indexOf('sealed BLOB') + 6);
      writeFileSync(file, bytes);
    },
    'is a folder': () => {
      rmSync(file);
      mkdirSync(file);
    },
  };

  test.each(Object.keys(damages))('and can be replaced when it %s', (what) => {
    fillDb(walletFile);
    const expected = { database: 'ab'.repeat(16), position: 5 };
    damages[what]!();
    expect(() => openDb(walletFile, { expected })).toThrow(
      expect.objectContaining({ name: 'WalletDbDamaged', message: expect.stringMatching(/ is damaged: .*\w/) }),
    );
    expect(existsSync(file) || existsSync(`${file}-wal`)).toBe(true);
    const db = WalletDb.replaceDamaged({ walletFile, privateViewKey: VIEW_KEY, expected, now: 33 });
    expect(db.identity).toMatchObject({ loss: 'damaged', isLossAcknowledged: false, since: 33 });
    expect(db.mark.position).toBe(5);
    expect(db.sends.all()).toEqual([]);
    db.close();
    expect(readdirSync(dirname(file)).some((name) => name.startsWith('a.wallet.db.33.damaged'))).toBe(true);
  });

  test('and is not changed when file or log is missing, or the log belongs to another database', async () => {
    await fillAndKill();
    renameSync(file, `${file}.away`);
    expect(() => openDb(walletFile)).toThrow(WalletDbDamaged);
    renameSync(`${file}.away`, file);
    const log = readFileSync(`${file}-wal`);
    rmSync(`${file}-wal`);
    expect(() => openDb(walletFile)).toThrow(WalletDbDamaged);
    const other = join(dirname(walletFile), 'b.wallet');
    const program = runProgram('wallet-db.ts', [other]);
    for (let i = 0; i < 4; i++) await program.line();
    program.kill();
    await program.ended;
    copyFileSync(`${walletDbName(other)}-wal`, `${file}-wal`);
    expect(() => openDb(walletFile)).toThrow(WalletDbDamaged);
    writeFileSync(`${file}-wal`, log);
    const db = openDb(walletFile);
    expect(db.events.last).toBeGreaterThanOrEqual(3);
    db.close();
  });
});

test('damage is reported with its cause, and a folder at the path of the file by its name', () => {
  const damageOf = (): unknown => {
    try {
      openDb(walletFile).close();
      return undefined;
    } catch (error) {
      return error;
    }
  };
  writeFileSync(file, 'text '.repeat(1_000));
  const damage = damageOf() as WalletDbDamaged;
  expect(damage).toBeInstanceOf(WalletDbDamaged);
  expect(damage.cause).toBeInstanceOf(Error);
  rmSync(file);
  mkdirSync(file);
  expect(damageOf()).toMatchObject({
    file,
    message: `the wallet database ${file} is damaged: ${file} is not a regular file`,
  });
});

test('a file without read permission is not damaged', () => {
  fillDb(walletFile);
  chmodSync(file, 0);
  // Root can read every file.
  if (process.getuid?.() !== 0) expect(() => openDb(walletFile)).not.toThrow(WalletDbDamaged);
  chmodSync(file, 0o600);
  openDb(walletFile).close();
});

test('a marker is added to the container without other changes', () => {
  const content = { ...createdWallet({ height: 0, timestamp: 0 }), unknownFields: new Map([['', { other: 1 }]]) };
  expect(walletDbMarkOf(content)).toBeUndefined();
  const mark = { database: 'ab'.repeat(16), position: 7 };
  const marked = withWalletDbMark(content, mark);
  expect(walletDbMarkOf(marked)).toEqual(mark);
  expect(withWalletDbMark(marked, mark)).toEqual(marked);
  expect(marked.unknownFields.get('')).toMatchObject({ other: 1 });
});

test.each([
  ['-1', 0],
  ['7x', 0],
  ['x7', 0],
  ['1'.repeat(16), 0],
  [7, 0],
  ['12', 12],
])('a marker with the position %p continues at %s', (walletDbPosition, position) => {
  const unknownFields = new Map([['', { walletDb: 'x', walletDbPosition }]]);
  expect(walletDbMarkOf({ unknownFields })).toEqual({ database: 'x', position });
});

test('the control file follows the transactions', () => {
  const db = openDb(walletFile);
  const control = (): string => Buffer.from(folder()['a.wallet.db-control'] ?? '', 'hex').toString();
  const first = control();
  expect(first).toContain('needed');
  db.sends.put({ hash: HASH, state: 'pending', created: 1 });
  expect(control()).not.toBe(first);
  db.close();
  expect(control()).toContain('copied');
});

test('a foreign file is detected without opening it as the database', () => {
  const check = (key: string) => () => WalletDb.checkNotForeign(walletFile, key);
  expect(check(VIEW_KEY)).not.toThrow();
  writeFileSync(file, 'short');
  expect(check(VIEW_KEY)).not.toThrow();
  rmSync(file);
  fillDb(walletFile);
  expect(check(VIEW_KEY)).not.toThrow();
  const text = `${file} is the database of another wallet. Move it away, or put the right one in its place.`;
  expect(check(OTHER_VIEW_KEY)).toThrow(text);
  expect(check(OTHER_VIEW_KEY)).toThrow(expect.objectContaining({ name: 'ForeignWalletDb', file }));
});

test('a restored database reports the changes after the backup as lost', () => {
  const db = openDb(walletFile);
  db.acknowledgeLoss();
  db.noteRestored(44);
  expect(db.identity).toMatchObject({ since: 44, loss: 'outdated', isLossAcknowledged: false });
  db.close();
});

describe('a backup', () => {
  const open = (): { db: WalletDb; to: string } => {
    fillDb(walletFile);
    return { db: openDb(walletFile), to: walletDbName(fresh('copy.wallet')) };
  };

  test('continues a container of the same position, also one whose log was removed up to there', async () => {
    const { db, to } = open();
    db.log.truncate(db.mark.position);
    await backupWalletDb(walletFile, to, VIEW_KEY, db.mark);
    const copy = openDb(to.slice(0, -'.db'.length), { expected: db.mark });
    expect(copy.isNamedByContainer).toBe(true);
    expect(copy.sends.all()).toEqual(db.sends.all());
    copy.close();
    db.close();
  });

  test.each<[string, (db: WalletDb) => WalletDbMark | undefined]>([
    ['without a marker', () => undefined],
    ['of another database', ({ mark }) => ({ ...mark, database: '00'.repeat(16) })],
    ['that is newer', ({ mark }) => ({ ...mark, position: mark.position + 1 })],
    [
      'that is older than the log',
      (db) => {
        db.log.truncate(db.mark.position);
        return { ...db.mark, position: db.mark.position - 1 };
      },
    ],
  ])('does not continue a container %s', async (_what, expectedOf) => {
    const { db, to } = open();
    await expect(backupWalletDb(walletFile, to, VIEW_KEY, expectedOf(db))).rejects.toThrow(
      new RangeError('the copied database does not continue the copied container'),
    );
    expect(existsSync(to)).toBe(false);
    db.close();
  });

  test('is refused for a damaged row', async () => {
    const { db, to } = open();
    const { mark } = db;
    db.close();
    const raw = new SqliteConnection(file);
    raw.exec('UPDATE labels SET sealed = zeroblob(99)');
    raw.close();
    await expect(backupWalletDb(walletFile, to, VIEW_KEY, mark)).rejects.toThrow(DamagedSealedRow);
  });
});
