import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { utcDayOf, WalletDb } from '@wrkz/wallet-core';
import { deleteExpired, RETENTION } from '../src';

const DAY_MS = 86_400_000;
const NOW = 20_000 * DAY_MS;
const HASH = 'ab'.repeat(32);

let folder: string;
let db: WalletDb;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wrkz-retention-'));
  const walletFile = join(folder, 'w');
  db = WalletDb.open({ walletFile, privateViewKey: '0b'.repeat(32), expected: undefined, now: NOW });
});

afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

function respond(key: string, begun: number): void {
  db.requests.begin({ owner: '', key }, 'body', begun);
  db.requests.complete({ owner: '', key }, { status: 201, body: '{}' });
}

const isKept = (key: string): boolean => db.requests.begin({ owner: '', key }, 'body', NOW).kind === 'completed';

test('deletes responses older than 30 days beyond the newest ones, but never a request whose transaction is not settled', async () => {
  expect(RETENTION.responses).toEqual({ days: 30, newest: 10_000 });
  const kept = { ...RETENTION, responses: { days: 30, newest: 5 } };
  respond('old', NOW - 31 * DAY_MS);
  db.requests.begin({ owner: '', key: 'open' }, 'body', NOW - 90 * DAY_MS);
  db.requests.link({ owner: '', key: 'open' }, HASH);
  db.sends.put({ hash: HASH, state: 'pending', created: NOW });
  await deleteExpired(db, NOW, () => true, kept);
  expect(isKept('old')).toBe(true);
  for (let i = 0; i < 4; i++) db.requests.begin({ owner: '', key: `n${String(i)}` }, 'body', NOW);
  respond('young', NOW - 29 * DAY_MS);
  await deleteExpired(db, NOW, () => true, kept);
  expect(isKept('young')).toBe(true);
  expect(isKept('old')).toBe(false);
  expect(db.requests.begin({ owner: '', key: 'open' }, 'body', NOW)).toEqual({ kind: 'incomplete', sends: [HASH] });
});

test('retains the latest days of each key when the clock jumps ahead', async () => {
  const today = utcDayOf(NOW);
  db.spending.reserve('shop', today, 5n, 5n);
  await deleteExpired(db, NOW + 1_000 * DAY_MS, () => true);
  expect(db.spending.spent('shop', today)).toBe(5n);
  for (let day = 1; day <= 36; day++) db.spending.reserve('shop', today + day, 1n, 5n);
  await deleteExpired(db, NOW + 36 * DAY_MS, () => true);
  expect(db.spending.spent('shop', today)).toBe(0n);
  expect(db.spending.spent('shop', today + 1)).toBe(1n);
});
