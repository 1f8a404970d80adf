import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { rootCause } from '@wrkz/service-kit/base';
import { contentText } from '../../src';
import { WalletFile } from '../../src/container/wallet-file';
import type { Ledger } from '../../src/ledger/ledger';
import { WalletDb, walletDbName } from '../../src/wallet-db/wallet-db';
import { type OpenedStorage, WalletStorage } from '../../src/wallet/storage';
import { containerOf } from '../support/container-bytes';
import { walletAt } from '../support/contents';
import { fresh, removeFolders } from '../support/folder';
import { walletErrorRows } from '../../src/errors';
import { errorNameOf } from '../support/rejection';
import { balanceOf, emptySubWallet } from '../ledger/support/contents';
import { hashOf } from '../ledger/support/model-chain';

/* The container and its wallet database after a crash, after writes of another program, and with damage. */

const PASSWORD = 'secret';
const open = new Set<WalletStorage>();

afterEach(async () => {
  for (const storage of open) await storage.close().catch(() => undefined);
  open.clear();
  removeFolders();
});

function container(): string {
  const file = fresh('a.wallet');
  writeFileSync(file, containerOf(PASSWORD, contentText(walletAt(3))));
  return file;
}

async function opened(file: string): Promise<OpenedStorage> {
  const result = await WalletStorage.open({ file, password: PASSWORD, now: () => 1_000, warn: () => undefined });
  open.add(result.storage);
  return result;
}

/** Copies the files in the state that a kill would leave. @returns the path of the copy */
function crashImage(file: string): string {
  const copy = fresh('a.wallet');
  for (const suffix of ['', '.db', '.db-wal', '.db-control']) {
    if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  }
  return copy;
}

async function closed({ storage }: OpenedStorage): Promise<void> {
  await storage.close();
  open.delete(storage);
}

const payment = (ledger: Ledger, height: number) => {
  const [{ publicSpendKey = '' } = {}] = ledger.content().subWallets;
  const transaction = {
    hash: hashOf(`transaction ${height}`),
    transactionPublicKey: hashOf('key'),
    unlockTime: 0n,
    paymentId: '',
    inputs: [],
    outputs: [{ key: hashOf(`output ${height}`), amount: 700n }],
  };
  const block = {
    height,
    hash: hashOf(`block ${height}`),
    timestamp: height,
    coinbase: undefined,
    transactions: [transaction],
  };
  const found = [
    {
      transaction: 1,
      output: 0,
      publicSpendKey,
      keyImage: hashOf('image'),
      privateEphemeral: hashOf('e'),
      globalIndex: 5,
    },
  ];
  ledger.apply(block, found, new Map());
};

test('changes that were committed are in the ledger after a crash, although the container lacks them', async () => {
  const file = container();
  const first = await opened(file);
  const before = balanceOf(first.ledger, 10_000, 0);
  payment(first.ledger, 9_000);
  first.storage.commit();
  payment(first.ledger, 9_001);
  const expected = comparable(first.ledger);
  first.storage.commit();
  const second = await opened(crashImage(file));
  expect(comparable(second.ledger)).toEqual(expected);
  expect(balanceOf(second.ledger, 10_000, 0).unlocked).toBe(before.unlocked + 1_400n);
  expect(second.ledger.appliedHeight).toBe(9_001);
  expect(second.containerChange).toBeUndefined();
});

test('a change whose transaction fails stays queued and is stored by the next one', async () => {
  const file = container();
  const { storage, ledger } = await opened(file);
  payment(ledger, 9_000);
  expect(() =>
    storage.commit(() => {
      throw new Error('refused');
    }),
  ).toThrow('refused');
  storage.commit();
  const expected = comparable(ledger);
  expect(comparable((await opened(crashImage(file))).ledger)).toEqual(expected);
});

test('a save stores attached writes with the changes, and a failed commit leaves them to the next one', async () => {
  const { storage, ledger } = await opened(container());
  const calls: string[] = [];
  storage.attach((commit) => {
    try {
      commit(() => {
        calls.push('write');
        storage.db.events.append({ kind: 'attached', time: 1 });
      });
    } catch (error) {
      calls.push('failed');
      throw error;
    }
    calls.push('committed');
  });
  payment(ledger, 9_000);
  expect(() =>
    storage.commit(() => {
      throw new Error('refused');
    }),
  ).toThrow('refused');
  expect([calls.splice(0), storage.db.events.last]).toEqual([['write', 'failed'], 0]);
  await storage.save();
  expect([calls, storage.db.events.last]).toEqual([['write', 'committed'], 1]);
});

test('a container written by another program is used, and the difference is reported', async () => {
  const file = container();
  const original = readFileSync(file);
  const first = await opened(file);
  payment(first.ledger, 9_000);
  first.storage.commit();
  await closed(first);
  writeFileSync(file, original);
  const second = await opened(file);
  expect(second.containerChange).toMatch(/another program wrote the container.*height 9000 -> 0/);
  expect(second.ledger.position().height).toBe(0);
  await closed(second);
  expect((await opened(file)).containerChange).toBeUndefined();
});

test('an older container that lacks addresses pauses sends, because they would be created again', async () => {
  const file = container();
  const first = await opened(file);
  await first.storage.save();
  const original = readFileSync(file);
  first.ledger.addSubWallet(emptySubWallet(hashOf('carol')), 2);
  for (let i = 0; i < 2; i++) await first.storage.save();
  await closed(first);
  writeFileSync(file, original);
  const second = await opened(file);
  expect(second.containerChange).toMatch(/container is older than the log.*addresses 2 -> 1/);
  expect(second.storage.damage).toMatch(/addresses may be missing/);
  await closed(second);
  const third = await opened(file);
  expect(third.storage.damage).toBeDefined();
  await third.storage.acknowledgeDamage();
  expect(third.storage.damage).toBeUndefined();
});

test.each([
  ['that were created since the last save', [], ['carol']],
  ['in place of removed ones', ['bob'], ['carol']],
])('an older container that lacks addresses %s pauses sends', async (_, removed, created) => {
  const file = container();
  const first = await opened(file);
  first.ledger.addSubWallet(emptySubWallet(hashOf('bob')), 1);
  await first.storage.save();
  const original = readFileSync(file);
  for (const height of [9_000, 9_001]) {
    payment(first.ledger, height);
    await first.storage.save();
  }
  for (const name of removed) first.ledger.removeSubWallet(hashOf(name));
  for (const name of created) first.ledger.addSubWallet(emptySubWallet(hashOf(name)), 2);
  first.storage.commit();
  const crashed = crashImage(file);
  writeFileSync(crashed, original);
  const second = await opened(crashed);
  expect(second.containerChange).toMatch(/container is older than the log/);
  expect(second.storage.damage).toMatch(/addresses may be missing/);
});

test('a container of a program that stores no address index does not pause sends', async () => {
  const file = container();
  const first = await opened(file);
  first.ledger.addSubWallet(emptySubWallet(hashOf('bob')), 1);
  await first.storage.save();
  const content = first.ledger.content();
  await closed(first);
  writeFileSync(file, containerOf(PASSWORD, contentText({ ...content, subWalletIndexCounter: 0 })));
  const second = await opened(file);
  expect(second.containerChange).toMatch(/another program wrote the container.*addresses 2 -> 2/);
  expect(second.storage.damage).toBeUndefined();
});

test('the previous container is brought up to date by the log', async () => {
  const file = container();
  const first = await opened(file);
  await first.storage.save();
  payment(first.ledger, 9_000);
  first.storage.commit();
  const older = readFileSync(file);
  await first.storage.save();
  const expected = comparable(first.ledger);
  await closed(first);
  writeFileSync(file, older);
  const second = await opened(file);
  expect(second.containerChange).toBeUndefined();
  expect(comparable(second.ledger)).toEqual(expected);
});

test('the previous container is brought up to date after concurrent saves', async () => {
  const file = container();
  const first = await opened(file);
  await first.storage.save();
  const saves: Promise<void>[] = [];
  for (const height of [9_000, 9_001, 9_002]) {
    payment(first.ledger, height);
    first.storage.commit();
    saves.push(first.storage.save());
  }
  await Promise.all(saves);
  const expected = comparable(first.ledger);
  await closed(first);
  copyFileSync(`${file}.previous`, file);
  const second = await opened(file);
  expect(second.containerChange).toBeUndefined();
  expect(comparable(second.ledger)).toEqual(expected);
});

test('the database of another wallet is refused, and neither file changes', async () => {
  const file = container();
  const other = fresh('other.wallet');
  await closed(
    await WalletStorage.create({ file: other, password: PASSWORD, now: () => 1, warn: () => undefined }, () => ({
      ...walletAt(2),
      privateViewKey: '0b'.repeat(31) + '00',
    })),
  );
  copyFileSync(walletDbName(other), walletDbName(file));
  const before = contentsOf(dirname(file));
  expect(await errorNameOf(opened(file))).toBe('walletDatabaseForeign');
  expect(contentsOf(dirname(file))).toEqual(before);
});

test('a new container beside the database of another wallet is refused, and no file is left', async () => {
  const other = container();
  await closed(await opened(other));
  const file = fresh('new.wallet');
  copyFileSync(walletDbName(other), walletDbName(file));
  const create = () =>
    WalletStorage.create({ file, password: PASSWORD, now: () => 1, warn: () => undefined }, () => ({
      ...walletAt(2),
      privateViewKey: '0b'.repeat(31) + '00',
    }));
  expect(await errorNameOf(create())).toBe('walletDatabaseForeign');
  expect(existsSync(file)).toBe(false);
  expect(await errorNameOf(create())).toBe('walletDatabaseForeign');
});

const kinds: [string, (path: string) => void][] = [
  ['folder', (path) => mkdirSync(path)],
  ['pipe', (path) => void execFileSync('mkfifo', [path])],
  ['device', (path) => symlinkSync('/dev/zero', path)],
  ['link to itself', (path) => symlinkSync(path, path)],
];

test.each(kinds)(
  'a %s at the path of the database is damage: the wallet is read-only until the operator resumes sends',
  async (_kind, make) => {
    const file = container();
    const bytes = readFileSync(file);
    make(walletDbName(file));
    const { storage, ledger } = await opened(file);
    expect(storage.damage).toContain('is not a regular file');
    expect(ledger.position().height).toBe(0);
    expect(() => storage.db).toThrow(expect.objectContaining({ code: walletErrorRows.walletDatabaseDamaged.code }));
    storage.commit();
    expect(readFileSync(file).equals(bytes)).toBe(true);
    await storage.acknowledgeDamage();
    expect(storage.damage).toBeUndefined();
    expect(statSync(walletDbName(file)).isFile()).toBe(true);
  },
);

test('a damaged page is damage, and the container is not changed until the operator resumes sends', async () => {
  const file = container();
  await closed(await opened(file));
  const bytes = readFileSync(file);
  const db = readFileSync(walletDbName(file));
  db.fill(0xa5, 4_096, 8_192);
  writeFileSync(walletDbName(file), db);
  const first = await opened(file);
  expect(first.storage.damage).toBeDefined();
  await closed(first);
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test('a new password is in force although the database cannot be written after the container', async () => {
  const file = container();
  const { storage, ledger } = await opened(file);
  payment(ledger, 9_000);
  const expected = comparable(ledger);
  const truncate = jest.spyOn(storage.db.log, 'truncate').mockImplementation(() => {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  });
  await storage.changePassword('another');
  truncate.mockRestore();
  expect(storage.isPassword('another')).toBe(true);
  const copy = crashImage(file);
  const left = await WalletStorage.open({ file: copy, password: 'another', now: () => 1_000, warn: () => undefined });
  open.add(left.storage);
  expect([comparable(left.ledger), left.containerChange]).toEqual([expected, undefined]);
});

describe('a creation that fails', () => {
  const create = (file: string, content = walletAt(3)): Promise<OpenedStorage> =>
    WalletStorage.create({ file, password: PASSWORD, now: () => 1_000, warn: () => undefined }, () => content);
  const full = (): never => {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  };

  let handles: { sync(): Promise<void> };

  beforeAll(async () => {
    const folder = await openFile(dirname(fresh('a.wallet')));
    handles = Object.getPrototypeOf(folder) as typeof handles;
    await folder.close();
  });

  afterEach(() => jest.restoreAllMocks());

  /** Lets the fsync with this number fail. */
  function failSync(number: number): void {
    const { sync } = handles;
    let calls = 0;
    jest.spyOn(handles, 'sync').mockImplementation(async function (this: typeof handles) {
      if (++calls === number) throw Object.assign(new Error('input/output error'), { code: 'EIO' });
      await sync.call(this);
    });
  }

  test.each<[string, () => void]>([
    ['in the sync of the folder', () => failSync(2)],
    ['in the database', () => void jest.spyOn(WalletDb, 'open').mockImplementation(full)],
    ['in a transaction', () => void jest.spyOn(WalletDb.prototype, 'transaction').mockImplementation(full)],
    ['in the save', () => void jest.spyOn(WalletFile.prototype, 'save').mockImplementation(async () => full())],
  ])('%s leaves no file but the lock, and can be repeated', async (_where, fail) => {
    const file = fresh('a.wallet');
    fail();
    expect(await errorNameOf(create(file))).toBe('invalidWalletFilename');
    expect(readdirSync(dirname(file)).filter((name) => !name.endsWith('.lock'))).toEqual([]);
    jest.restoreAllMocks();
    open.add((await create(file)).storage);
  });

  test('keeps the database of an earlier wallet with the same keys', async () => {
    const file = fresh('a.wallet');
    const content = walletAt(3);
    await closed(await create(file, content));
    renameSync(file, `${file}.moved`);
    jest.spyOn(WalletFile.prototype, 'save').mockImplementation(async () => full());
    expect(await errorNameOf(create(file, content))).toBe('invalidWalletFilename');
    expect([existsSync(file), existsSync(walletDbName(file))]).toEqual([false, true]);
  });
});

test('a database that cannot be created is an error of the file, with the reason of the system', async () => {
  const file = container();
  symlinkSync('/no/disk/is/mounted/here', `${file}.db`);
  const result = await opened(file).catch((error: unknown) => error);
  expect(result).toMatchObject({ code: walletErrorRows.invalidWalletFilename.code });
  expect(rootCause(result)).toMatchObject({ code: 'EEXIST' });
});

test('a missing database is reported until the operator acknowledges it', async () => {
  const file = container();
  await closed(await opened(file));
  for (const name of readdirSync(dirname(file))) if (name.includes('.db')) removeFile(`${dirname(file)}/${name}`);
  const first = await opened(file);
  expect(first.storage.damage).toContain('the wallet database was missing');
  await closed(first);
  const second = await opened(file);
  expect(second.storage.damage).toContain('the wallet database was missing');
  await second.storage.acknowledgeDamage();
  await closed(second);
  expect((await opened(file)).storage.damage).toBeUndefined();
});

test('a close that does not wait for a slow save releases the lock after it', async () => {
  const file = container();
  const { storage, ledger } = await opened(file);
  open.delete(storage);
  ledger.markTip(100, '64'.repeat(32));
  let release = (): void => undefined;
  const slow = new Promise<void>((resolve) => (release = resolve));
  const writing = jest.spyOn(WalletFile.prototype as unknown as { write(): Promise<void> }, 'write');
  writing.mockImplementationOnce(() => slow);
  const timer = setTimeout;
  const timers = jest.spyOn(globalThis, 'setTimeout');
  timers.mockImplementation((work: () => void) => timer(work, 0));
  await storage.close();
  timers.mockRestore();
  const inUse = { code: walletErrorRows.walletFileInUse.code };
  await expect(opened(file)).rejects.toMatchObject(inUse);
  release();
  await new Promise(setImmediate);
  await closed(await opened(file));
});

function comparable(ledger: Ledger): unknown {
  return { ...ledger.content(), unknownFields: undefined };
}

/** SHA-256 of each file; the empty lock file remains beside a container. */
function contentsOf(folder: string): [string, string][] {
  return readdirSync(folder)
    .filter((name) => !name.endsWith('.lock'))
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(`${folder}/${name}`))
        .digest('hex'),
    ]);
}

function removeFile(path: string): void {
  execFileSync('rm', [path]);
}
