import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { walletErrorRows } from '@wrkz/wallet-core';
import { WALLET_ROUTES } from '../src';
import { ADDRESSES, ChainAStage, hashOf, parsed, requireStatus, send } from './support/chain-a-service';
import { exercises } from './support/exercises';
import { PASSWORD, type TestService } from './support/service';

exercises('audit-log');

let stage: ChainAStage;
let folder: string;
let service: TestService;
let file: string;

beforeAll(async () => {
  stage = await ChainAStage.set();
  folder = mkdtempSync(join(tmpdir(), 'wrkz-audit-'));
  file = join(folder, 'audit.jsonl');
  const hash = createHash('sha256').update('key of the shop').digest('hex');
  writeFileSync(join(folder, 'keys.json'), JSON.stringify([{ name: 'shop', hash, scope: 'send' }]));
  service = await stage.service(['--audit-log', file, '--rpc-key-file', join(folder, 'keys.json')]);
  await stage.open(service, 'alice');
});

afterAll(async () => {
  await stage.strike();
  rmSync(folder, { recursive: true });
});

/** The last line, once the log has more lines than before. The line is written after the client has its response. */
async function nextLine(before: number): Promise<Record<string, unknown>> {
  for (;;) {
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    if (lines.length > before) return JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const lineCount = (): number => readFileSync(file, 'utf8').split('\n').length - 1;

test('writes key name, request id, action and result', async () => {
  expect(statSync(file).mode & 0o777).toBe(0o600);
  let count = lineCount();
  const created = await service.json('POST', '/addresses/create');
  const { address } = parsed(requireStatus(created, 201));
  expect(await nextLine(count)).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    requestId: created.headers['x-request-id'],
    key: '(main)',
    client: '127.0.0.1',
    action: 'create-address',
    request: 'POST /addresses/create',
    status: 201,
    address,
  });

  count = lineCount();
  const response = await send(service, { destination: ADDRESSES.bob, amount: 1000 }, { rpcKey: 'key of the shop' });
  expect(await nextLine(count)).toMatchObject({
    key: 'shop',
    action: 'send',
    status: 201,
    transactions: [hashOf(response)],
  });

  count = lineCount();
  expect((await service.request({ method: 'GET', path: '/keys', key: 'key of the shop' })).status).toBe(403);
  expect(await nextLine(count)).toMatchObject({ key: 'shop', action: 'read-keys', status: 403 });

  count = lineCount();
  await send(service, { destination: ADDRESSES.bob, amount: 1e15 }, { rpcKey: 'key of the shop' });
  const { code } = walletErrorRows.notEnoughBalance;
  expect(await nextLine(count)).toMatchObject({ action: 'send', status: 400, errorCode: code });
});

test('contains no keys, seeds or passwords', async () => {
  const count = lineCount();
  const { privateViewKey } = parsed(await service.json('GET', '/keys'));
  const { privateSpendKey } = parsed(await service.json('GET', `/keys/${ADDRESSES.alice}`));
  await service.json('POST', '/addresses/import', { privateSpendKey });
  await service.json('PUT', '/wallet/password', { password: 'secret_alice', newPassword: 'secret_new' });
  await nextLine(count + 3);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('import-address');
  expect(text).toContain('"file":"alice.wallet"');
  for (const secret of [privateViewKey, privateSpendKey, 'secret_alice', 'secret_new', PASSWORD, 'key of the shop']) {
    expect(text).not.toContain(String(secret));
  }
});

test('does not start with a file that cannot be written', async () => {
  await expect(stage.service(['--audit-log', join(folder, 'missing', 'audit.jsonl')])).rejects.toThrow(/--audit-log/);
});

test('starts a new file after the log file was renamed', async () => {
  const before = lineCount();
  requireStatus(await service.json('POST', '/addresses/create'), 201);
  await nextLine(before);
  renameSync(file, `${file}.1`);
  requireStatus(await service.json('POST', '/addresses/create'), 201);
  while (!existsSync(file)) await new Promise((resolve) => setImmediate(resolve));
  expect(lineCount()).toBe(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(`${file}.1`, 'utf8').split('\n').length - 1).toBe(before + 1);
});

test('starts a new line after one that a full disk has cut', async () => {
  appendFileSync(file, '{"time":"20');
  const before = lineCount();
  requireStatus(await service.json('POST', '/addresses/create'), 201);
  while (lineCount() === before) await new Promise((resolve) => setImmediate(resolve));
  const last = readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toMatchObject({ action: 'create-address' });
});

test('logs every route but reads, saves and estimates', () => {
  const unlogged = WALLET_ROUTES.filter(({ method, labels }) => method !== 'GET' && labels?.audit === undefined);
  expect(unlogged.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'POST /addresses/validate',
    'POST /transactions/estimate',
    'POST /transactions/estimate/sweep',
    'PUT /save',
    'PUT /sync/refresh',
  ]);
  const logged = WALLET_ROUTES.filter(({ method, labels }) => method === 'GET' && labels?.audit !== undefined);
  expect(logged.map(({ path }) => path).sort()).toEqual([
    '/keys',
    '/keys/mnemonic/{address}',
    '/keys/{address}',
    '/transactions/privatekey/{hash}',
  ]);
});
