import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayOf, SideFile } from '@wrkz/wallet-core';
import { deleteExpired, RETENTION } from '../src';

const DAY_MS = 86_400_000;
const NOW = 20_000 * DAY_MS;

let folder: string;
let side: SideFile;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wrkz-retention-'));
  side = SideFile.open({ walletFile: join(folder, 'w'), wallet: 'w', expected: undefined, now: NOW });
});

afterEach(() => {
  side.close();
  rmSync(folder, { recursive: true, force: true });
});

function answer(key: string, begun: number): void {
  side.answers.begin({ owner: '', key }, 'body', begun);
  side.answers.answered({ owner: '', key }, { status: 201, body: '{}' });
}

const isKept = (key: string): boolean => side.answers.begin({ owner: '', key }, 'body', NOW).kind === 'answered';

test('deletes responses older than 30 days beyond the newest ones, but never a request without a response', async () => {
  expect(RETENTION.answers).toEqual({ days: 30, newest: 10_000 });
  const kept = { ...RETENTION, answers: { days: 30, newest: 5 } };
  answer('old', NOW - 31 * DAY_MS);
  side.answers.begin({ owner: '', key: 'open' }, 'body', NOW - 90 * DAY_MS);
  await deleteExpired(side, NOW, () => true, kept);
  expect(isKept('old')).toBe(true);
  for (let i = 0; i < 4; i++) side.answers.begin({ owner: '', key: `n${String(i)}` }, 'body', NOW);
  answer('young', NOW - 29 * DAY_MS);
  await deleteExpired(side, NOW, () => true, kept);
  expect(isKept('young')).toBe(true);
  expect(isKept('old')).toBe(false);
  expect(side.answers.begin({ owner: '', key: 'open' }, 'body', NOW)).toEqual({ kind: 'unanswered', sends: [] });
});

test('retains the latest days of each key when the clock jumps ahead', async () => {
  const today = dayOf(NOW);
  side.spending.reserve('shop', today, 5n, 5n);
  await deleteExpired(side, NOW + 1_000 * DAY_MS, () => true);
  expect(side.spending.spent('shop', today)).toBe(5n);
  for (let day = 1; day <= 36; day++) side.spending.reserve('shop', today + day, 1n, 5n);
  await deleteExpired(side, NOW + 36 * DAY_MS, () => true);
  expect(side.spending.spent('shop', today)).toBe(0n);
  expect(side.spending.spent('shop', today + 1)).toBe(1n);
});
