import { createHash } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeAddress, encodeAddress } from '@wrkz/core-types';
import { UsageError } from '@wrkz/service-kit';
import { utcDayOf } from '@wrkz/wallet-core';
import { readWalletApiConfig, WALLET_ROUTES } from '../src';
import { authorize } from '../src/http';
import { Authenticator, KEY_SCOPES, type KeyScope, readKeyFile } from '../src/keys';
import { ADDRESSES, ChainAStage, codeOf, hashOf, parsed, requireStatus, send } from './support/chain-a-service';
import type { ServiceResponse, TestService } from './support/service';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const keyOf = (name: string, scope: KeyScope, more: object = {}) => ({
  name,
  hash: sha256(`key ${name}`),
  scope,
  ...more,
});

let folder: string;
let stage: ChainAStage;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wrkz-scoped-keys-'));
  stage = await ChainAStage.set();
});

// All copies of the wallet select the same inputs, so each test starts with an empty pool.
afterEach(async () => {
  if (stage.node.pool().length > 0) await stage.node.generate(ADDRESSES.grace, 1);
});

afterAll(async () => {
  await stage.strike();
  rmSync(folder, { recursive: true, force: true });
});

function keyFile(content: unknown): string {
  const path = join(folder, 'keys.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const ROUTES: Readonly<Record<KeyScope, readonly string[]>> = {
  read: [
    'GET /addresses',
    'GET /addresses/primary',
    'GET /addresses/{address}/{paymentId}',
    'POST /addresses/validate',
    'GET /balance',
    'GET /balance/{address}',
    'GET /balances',
    'GET /labels',
    'GET /node',
    'GET /status',
    'GET /transactions',
    'GET /transactions/address/{address}/{startHeight}',
    'GET /transactions/address/{address}/{startHeight}/{endHeight}',
    'POST /transactions/estimate',
    'POST /transactions/estimate/sweep',
    'GET /transactions/export',
    'GET /transactions/hash/{hash}',
    'GET /transactions/paymentid',
    'GET /transactions/paymentid/{hash}',
    'GET /transactions/unconfirmed',
    'GET /transactions/unconfirmed/{address}',
    'GET /transactions/{startHeight}',
    'GET /transactions/{startHeight}/{endHeight}',
  ],
  receive: ['POST /addresses/create', 'DELETE /labels/{subject}', 'PUT /labels/{subject}', 'PUT /save'],
  send: [
    'POST /transactions/prepare/advanced',
    'POST /transactions/prepare/basic',
    'DELETE /transactions/prepared/{hash}',
    'GET /transactions/privatekey/{hash}',
    'POST /transactions/send/advanced',
    'POST /transactions/send/basic',
    'POST /transactions/send/prepared',
    'POST /transactions/send/sweep',
    'POST /transactions/send/sweep/all',
  ],
  admin: [
    'DELETE /addresses/{address}',
    'POST /backup',
    'POST /addresses/import',
    'POST /addresses/import/deterministic',
    'POST /addresses/import/view',
    'POST /export/json',
    'GET /keys',
    'GET /keys/mnemonic/{address}',
    'GET /keys/{address}',
    'PUT /node',
    'PUT /reset',
    'PUT /sync/refresh',
    'DELETE /transactions/pending/{hash}',
    'POST /sends/pause',
    'POST /sends/resume',
    'DELETE /wallet',
    'POST /wallet/create',
    'POST /wallet/import/key',
    'POST /wallet/import/seed',
    'POST /wallet/import/view',
    'POST /wallet/open',
    'PUT /wallet/password',
  ],
};

test('declares the scope of the table for every route', () => {
  for (const scope of KEY_SCOPES) {
    const declared = WALLET_ROUTES.filter(({ labels }) => labels?.scope === scope);
    expect(declared.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([...ROUTES[scope]].sort());
  }
  expect(WALLET_ROUTES.filter(({ labels }) => labels === undefined)).toEqual([]);
});

test.each(WALLET_ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s accepts keys of its scope and higher ones only',
  async (_, { labels }) => {
    const authenticator = new Authenticator(
      'main',
      readKeyFile(keyFile(KEY_SCOPES.map((scope) => keyOf(scope, scope))), 'main'),
    );
    const wallets = { current: undefined } as Parameters<typeof authorize>[1]['wallets'];
    const needed = KEY_SCOPES.indexOf(labels?.scope ?? 'admin');
    for (const [rank, scope] of KEY_SCOPES.entries()) {
      const request = new IncomingMessage(new Socket());
      expect(await authenticator.authenticate(`key ${scope}`, request)).toBeUndefined();
      const exchange = { request, response: new ServerResponse(request), params: {}, query: {} };
      const admitted = (): void =>
        authorize(labels && { ...labels, wallet: 'any' }, { audit: undefined, authenticator, wallets }, exchange);
      if (rank < needed) expect(admitted).toThrow(expect.objectContaining({ status: 403 }));
      else expect(admitted).not.toThrow();
    }
  },
);

test.each([
  ['no JSON', '[{', /JSON|position/i],
  ['no list', {}, /array/],
  ['a name with a blank', [keyOf('a b', 'read')], /0\.name/],
  ['the name of the main key', [keyOf('', 'read')], /0\.name/],
  ['an invalid hash', [{ ...keyOf('a', 'read'), hash: 'ff' }], /0\.hash/],
  ['an unknown scope', [{ ...keyOf('a', 'read'), scope: 'root' }], /0\.scope/],
  ['a member that nobody knows', [keyOf('a', 'read', { limit: 5 })], /limit/],
  ['a negative limit', [keyOf('a', 'send', { dailyLimit: -1 })], /0\.dailyLimit/],
  ['a limit with a fraction', [keyOf('a', 'send', { dailyLimit: 1.5 })], /0\.dailyLimit/],
  ['an invalid address', [keyOf('a', 'send', { allowedAddresses: ['Wrkz'] })], /a allows Wrkz: /],
  ['two keys of one name', [keyOf('a', 'read'), { ...keyOf('b', 'send'), name: 'a' }], /two keys are named a/],
  ['one key twice', [keyOf('a', 'read'), { ...keyOf('b', 'send'), hash: sha256('key a').toUpperCase() }], /same as a/],
  ['the main key', [{ ...keyOf('a', 'read'), hash: sha256('main') }], /same as the main one/],
])('refuses to start with a key file with %s', (_, content, said) => {
  const path = keyFile(content);
  expect(() => readWalletApiConfig(['-r', 'main', '--rpc-key-file', path])).toThrow(UsageError);
  expect(() => readWalletApiConfig(['-r', 'main', '--rpc-key-file', path])).toThrow(said);
});

test('refuses to start with a missing key file', () => {
  expect(() => readKeyFile(join(folder, 'none'), 'main')).toThrow(/no such file/);
});

const DAY_MS = 86_400_000;
/** Time of the service's clock: noon. */
const NOON = utcDayOf(Date.now()) * DAY_MS + DAY_MS / 2;
const LIMIT = 1_000_000;

interface Shop {
  readonly service: TestService;
  readonly clock: { now: number };
  readonly args: readonly string[];
}

/** Starts a service with alice's wallet and keys with different limits. */
async function shop(): Promise<Shop> {
  const args = [
    '--rpc-key-file',
    keyFile([
      keyOf('shop', 'send', { dailyLimit: LIMIT }),
      keyOf('till', 'send', { allowedAddresses: [ADDRESSES.bob] }),
      keyOf('view', 'read'),
      keyOf('poor', 'send', { dailyLimit: 0 }),
      keyOf('thrifty', 'send', { maxFee: 10_000, maxUnlockBlocks: 200 }),
      keyOf('rich', 'send', { dailyLimit: 1_000_000_000_000 }),
      keyOf('boss', 'admin'),
    ]),
  ];
  const clock = { now: NOON };
  const service = await stage.service(args, { now: () => clock.now });
  await stage.open(service, 'alice');
  await service.synced(stage.node.height);
  return { service, clock, args };
}

const spentOn = ({ api }: TestService, day: number, name = 'shop'): bigint | undefined =>
  api.current?.wallet.db.spending.spent(name, day);
const to = (amount: number, destination = ADDRESSES.bob) => ({ destination, amount });
const SHOP = { rpcKey: 'key shop' };

test('charges amount and fee before the submission, concurrently and across restarts', async () => {
  const { service, clock, args } = await shop();
  const today = utcDayOf(NOON);
  const responses = await Promise.all(Array.from({ length: 5 }, () => send(service, to(300_000), SHOP)));
  const sent = responses.filter(({ status }) => status === 201);
  expect(sent).toHaveLength(3);
  for (const reply of responses.filter(({ status }) => status !== 201)) {
    expect([reply.status, codeOf(reply)]).toEqual([403, 1004]);
  }
  const fees = sent.reduce((sum, reply) => sum + parsed<{ fee: number }>(reply).fee, 0);
  expect(spentOn(service, today)).toBe(BigInt(900_000 + fees));

  // The folder now has the state after a kill.
  const next = await stage.afterKill(service, args);
  await service.json('DELETE', '/wallet');
  await stage.open(next, 'alice', true);
  // This service uses the clock of the machine: the day is the same unless midnight has passed.
  expect(spentOn(next, today)).toBe(BigInt(900_000 + fees));
  await next.json('DELETE', '/wallet');

  await stage.open(service, 'alice', true);
  expect(codeOf(await send(service, to(300_000), SHOP))).toBe(1004);
  // A new day begins at midnight UTC. When the clock is set back, the first day has its old sum.
  clock.now = (today + 1) * DAY_MS - 1;
  expect(codeOf(await send(service, to(300_000), SHOP))).toBe(1004);
  clock.now += 1;
  requireStatus(await send(service, to(300_000), SHOP), 201);
  clock.now -= 1;
  expect(codeOf(await send(service, to(300_000), SHOP))).toBe(1004);
  // The main key has no limit.
  requireStatus(await send(service, to(300_000)), 201);
});

test('refunds a rejected send, but not an uncertain one', async () => {
  const { service } = await shop();
  const today = utcDayOf(NOON);
  stage.standIn.on('/sendrawtransaction', () => ({ json: { status: 'Failed', error: 'no' } }));
  expect(codeOf(await send(service, to(900_000), SHOP))).toBe(31);
  expect(spentOn(service, today)).toBe(0n);
  const cut = () => (response: { destroy(): unknown }) => void response.destroy();
  stage.standIn.on('/sendrawtransaction', cut).on('/get_transactions_status', cut);
  expect(codeOf(await send(service, to(900_000), SHOP))).toBe(55);
  stage.standIn.off('/sendrawtransaction').off('/get_transactions_status');
  expect(spentOn(service, today)).toBeGreaterThan(900_000n);
  expect(codeOf(await send(service, to(200_000), SHOP))).toBe(1004);
});

test('charges the resubmission of a rejected send', async () => {
  const { service } = await shop();
  const today = utcDayOf(NOON);
  const keyed = { ...SHOP, key: 'rejected' };
  stage.standIn.on('/sendrawtransaction', () => ({ json: { status: 'Failed', error: 'no' } }));
  expect(codeOf(await send(service, to(900_000), keyed))).toBe(31);
  stage.standIn.off('/sendrawtransaction');
  expect(spentOn(service, today)).toBe(0n);
  hashOf(await send(service, to(900_000), keyed));
  expect(spentOn(service, today)).toBeGreaterThan(900_000n);
  expect(codeOf(await send(service, to(200_000), SHOP))).toBe(1004);
});

test('charges a rejected send again when it is mined after all', async () => {
  const { service } = await shop();
  const today = utcDayOf(NOON);
  stage.standIn
    .on('/sendrawtransaction', async (_request, behind) => {
      await behind();
      return { json: { status: 'Failed', error: 'no' } };
    })
    .on('/get_transactions_status', ({ body }) => ({
      json: {
        status: 'OK',
        transactionsInPool: [],
        transactionsInBlock: [],
        transactionsUnknown: body['transactionHashes'],
      },
    }));
  expect(codeOf(await send(service, to(900_000), SHOP))).toBe(31);
  stage.standIn.off('/sendrawtransaction').off('/get_transactions_status');
  expect(spentOn(service, today)).toBe(0n);
  await stage.mine(service, 1);
  expect(spentOn(service, today)).toBeGreaterThan(900_000n);
  expect(codeOf(await send(service, to(200_000), SHOP))).toBe(1004);
});

test('charges an uncertain prepared transaction once for all resubmissions', async () => {
  const { service } = await shop();
  const request = (path: string, body: object, headers = {}) =>
    service.request({ method: 'POST', path, key: 'key shop', headers, body: JSON.stringify(body) });
  const prepared = parsed(requireStatus(await request('/transactions/prepare/basic', to(600_000)), 201));
  const go = (headers = {}) =>
    request('/transactions/send/prepared', { transactionHash: prepared['transactionHash'] }, headers);
  const cut = () => (response: { destroy(): unknown }) => void response.destroy();
  stage.standIn.on('/sendrawtransaction', cut).on('/get_transactions_status', cut);
  expect(codeOf(await go())).toBe(55);
  const spent = spentOn(service, utcDayOf(NOON));
  expect(spent).toBeGreaterThan(600_000n);
  for (const headers of [{}, { 'Idempotency-Key': 'again' }]) expect(codeOf(await go(headers))).toBe(55);
  stage.standIn.off('/get_transactions_status').on('/sendrawtransaction', () => ({ status: 503 }));
  expect(codeOf(await go())).toBe(55);
  stage.standIn.off('/sendrawtransaction');
  requireStatus(await go({ 'Idempotency-Key': 'again' }), 201);
  expect(spentOn(service, utcDayOf(NOON))).toBe(spent);
});

test('charges sweeps and prepared sends, but not preparing and estimating', async () => {
  const { service } = await shop();
  const sweep = { rpcKey: 'key poor', path: '/transactions/send/sweep' };
  const refused = await send(service, to(5_000), sweep);
  expect([refused.status, codeOf(refused)]).toEqual([403, 1004]);
  const request = (path: string, key: string, body: object, method = 'POST') =>
    service.request({ method, path, key, body: JSON.stringify(body) });
  const prepared = await request('/transactions/prepare/basic', 'key poor', to(5_000));
  const { transactionHash } = parsed(requireStatus(prepared, 201));
  expect(codeOf(await request('/transactions/send/prepared', 'key poor', { transactionHash }))).toBe(1004);
  requireStatus(
    await request('/transactions/estimate', 'key poor', { destinations: [{ address: ADDRESSES.bob, amount: 5_000 }] }),
    200,
  );
  expect(stage.node.pool()).not.toContain(transactionHash);
  // The inputs of the transaction remain available: another key can send it.
  requireStatus(await request('/transactions/send/prepared', 'key shop', { transactionHash }), 201);
  expect(spentOn(service, utcDayOf(NOON))).toBeGreaterThan(5_000n);
});

test('charges payments to a spend key of the wallet with a foreign view key, which the wallet cannot spend', async () => {
  const { service } = await shop();
  const { spendPublic } = decodeAddress(ADDRESSES.alice);
  const { viewPublic } = decodeAddress(ADDRESSES.bob);
  const mixed = encodeAddress({ spendPublic, viewPublic });
  expect(codeOf(await send(service, to(1_500_000, mixed), SHOP))).toBe(1004);
  expect(spentOn(service, utcDayOf(NOON))).toBe(0n);
});

test('confines a key with allowedAddresses on every route', async () => {
  const { service } = await shop();
  const TILL = 'key till';
  const carol = to(1_000, ADDRESSES.carol);
  const request = (path: string, body: object) =>
    service.request({ method: 'POST', path, key: TILL, body: JSON.stringify(body) });
  const destinations = [
    { address: ADDRESSES.bob, amount: 1_000 },
    { address: ADDRESSES.carol, amount: 1_000 },
  ];
  for (const reply of [
    await request('/transactions/send/basic', carol),
    await request('/transactions/send/advanced', { destinations }),
    await request('/transactions/send/sweep', carol),
    await request('/transactions/send/sweep/all', carol),
    await request('/transactions/prepare/basic', carol),
    await request('/transactions/prepare/advanced', { destinations }),
  ]) {
    expect([reply.status, codeOf(reply)]).toEqual([403, 1004]);
  }
  // Another key prepared the transaction, so this key did not choose the receiver.
  const { transactionHash } = parsed(await service.json('POST', '/transactions/prepare/basic', carol));
  expect(codeOf(await request('/transactions/send/prepared', { transactionHash }))).toBe(1004);
  const forget = (hash: unknown) =>
    service.request({ method: 'DELETE', path: `/transactions/prepared/${String(hash)}`, key: TILL });
  expect((await forget(transactionHash)).status).toBe(404);
  expect((await service.json('DELETE', `/transactions/prepared/${String(transactionHash)}`)).status).toBe(200);
  const dropped = parsed(requireStatus(await request('/transactions/prepare/basic', to(1_000)), 201));
  expect((await forget(dropped['transactionHash'])).status).toBe(200);
  const own = parsed(requireStatus(await request('/transactions/prepare/basic', to(1_000)), 201));
  requireStatus(await request('/transactions/send/prepared', { transactionHash: own['transactionHash'] }), 201);
  const integrated = await service.json('GET', `/addresses/${ADDRESSES.bob}/${'ab'.repeat(32)}`);
  const { integratedAddress } = parsed<{ integratedAddress: string }>(integrated);
  requireStatus(await request('/transactions/send/basic', to(1_000, integratedAddress)), 201);
  // No key may send change to an address outside of the wallet.
  const strange = { destinations: destinations.slice(0, 1), changeAddress: ADDRESSES.carol };
  expect((await request('/transactions/send/advanced', strange)).status).toBe(400);
});

test('does not send a prepared transaction to an address that a reload removed from allowedAddresses', async () => {
  const { service } = await shop();
  const request = (path: string, body: object) =>
    service.request({ method: 'POST', path, key: 'key till', body: JSON.stringify(body) });
  const { transactionHash } = parsed(requireStatus(await request('/transactions/prepare/basic', to(1_000)), 201));
  keyFile([keyOf('till', 'send', { allowedAddresses: [ADDRESSES.carol] })]);
  await service.api.reload[0]?.run();
  expect(codeOf(await request('/transactions/send/prepared', { transactionHash }))).toBe(1004);
  requireStatus(await service.json('POST', '/transactions/send/prepared', { transactionHash }), 201);
});

test('separates idempotency keys by API key, and rereads the key file only on a reload', async () => {
  const { service } = await shop();
  const key = 'same';
  const hashes = [
    hashOf(await send(service, to(1_000), { key })),
    hashOf(await send(service, to(1_000), { key, rpcKey: 'key shop' })),
    hashOf(await send(service, to(1_000), { key, rpcKey: 'key till' })),
  ];
  expect(new Set(hashes).size).toBe(3);
  const bare = await send(service, to(1_000), { rpcKey: 'key view' });
  expect([bare.status, bare.text]).toEqual([403, '']);
  requireStatus(await service.request({ method: 'GET', path: '/balance', key: 'key view' }), 200);
  keyFile([keyOf('late', 'admin')]);
  expect((await service.request({ method: 'GET', path: '/balance', key: 'key late' })).status).toBe(401);
  requireStatus(await service.request({ method: 'GET', path: '/balance', key: 'key view' }), 200);
  const [task] = service.api.reload;
  await task?.run();
  requireStatus(await service.request({ method: 'GET', path: '/balance', key: 'key late' }), 200);
  expect((await service.request({ method: 'GET', path: '/balance', key: 'key view' })).status).toBe(401);
  requireStatus(await service.request({ method: 'GET', path: '/balance' }), 200);
  keyFile('{');
  expect(() => task?.run()).toThrow(UsageError);
  requireStatus(await service.request({ method: 'GET', path: '/balance', key: 'key late' }), 200);
});

describe('a key below admin', () => {
  const MAX_UNLOCK_BLOCKS = 1_440;

  function advanced(service: TestService, name: string, options: object): Promise<ServiceResponse> {
    const destinations = [{ address: ADDRESSES.alice, amount: 5_000 }];
    const body = JSON.stringify({ destinations, ...options });
    return service.request({ method: 'POST', path: '/transactions/send/advanced', key: `key ${name}`, body });
  }

  async function expectRefused(reply: Promise<ServiceResponse>, text: string): Promise<void> {
    const { status, text: body } = await reply;
    expect([status, body]).toEqual([403, expect.stringContaining(text)]);
  }

  test('cannot lock outputs for more than 1,440 blocks, by height or by unix time, or its own maxUnlockBlocks', async () => {
    const { service } = await shop();
    const { height } = stage.node;
    const text = 'may not lock outputs';
    await expectRefused(advanced(service, 'rich', { unlockTime: height + MAX_UNLOCK_BLOCKS + 1 }), text);
    const seconds = NOON / 1000 + (MAX_UNLOCK_BLOCKS + 1) * 60;
    await expectRefused(advanced(service, 'rich', { unlockTime: seconds }), text);
    await expectRefused(advanced(service, 'thrifty', { unlockTime: height + 201 }), text);
    requireStatus(await advanced(service, 'thrifty', { unlockTime: height + 200 }), 201);
    expect(stage.node.pool()).toHaveLength(1);
    const far = { unlockTime: height + 100_000_000 };
    const prepared = await service.json('POST', '/transactions/prepare/advanced', {
      destinations: [{ address: ADDRESSES.alice, amount: 5_000 }],
      ...far,
    });
    const { transactionHash } = parsed(requireStatus(prepared, 201));
    const body = JSON.stringify({ transactionHash });
    const path = '/transactions/send/prepared';
    await expectRefused(service.request({ method: 'POST', path, key: 'key rich', body }), text);
    requireStatus(await advanced(service, 'boss', far), 201);
  });

  test('is charged for change that it locks beyond the default unlock time', async () => {
    const { service } = await shop();
    const today = utcDayOf(NOON);
    const unlocked = async (): Promise<bigint> =>
      BigInt(parsed<{ unlocked: number }>(await service.json('GET', '/balance')).unlocked);
    const before = await unlocked();
    const far = { unlockTime: stage.node.height + 1_000 };
    expect(codeOf(await advanced(service, 'poor', far))).toBe(1004);
    requireStatus(await advanced(service, 'rich', far), 201);
    expect(spentOn(service, today, 'rich')).toBe(before - (await unlocked()));
    const charged = spentOn(service, today, 'rich') ?? 0n;
    const result = parsed<{ fee: number }>(requireStatus(await advanced(service, 'rich', {}), 201));
    expect(spentOn(service, today, 'rich')).toBe(charged + BigInt(result.fee));
  });

  test('cannot pay a higher fee than its maxFee', async () => {
    const { service } = await shop();
    await expectRefused(advanced(service, 'thrifty', { fee: 10_001 }), 'may not pay a fee');
    expect(stage.node.pool()).toEqual([]);
    requireStatus(await advanced(service, 'thrifty', { fee: 10_000 }), 201);
  });
});
