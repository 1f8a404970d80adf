import { request } from 'node:http';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { respondAsJuly2025, type StandInHandler } from '@wrkz/testing';
import { CONFIRMATIONS as FINAL_CONFIRMATIONS } from '@wrkz/wallet-core';
import {
  ADDRESSES,
  BLOCKS_TO_UNLOCK,
  ChainAStage,
  codeOf,
  hashOf,
  hasIndexes,
  parsed,
  requireStatus,
  send,
  untilWallet,
} from './support/chain-a-service';
import { PASSWORD, type TestService } from './support/service';

const RELAY = '/sendrawtransaction';
const STATUS_ROUTE = '/get_transactions_status';
const PAYMENT = { destination: ADDRESSES.bob, amount: 12_345 };

let stage: ChainAStage;

beforeAll(async () => {
  stage = await ChainAStage.set();
});

afterAll(() => stage.strike());

afterEach(async () => {
  stage.standIn.off(RELAY).off(STATUS_ROUTE);
  await stage.clear();
  // Each test begins with an empty pool.
  await stage.node.generate(ADDRESSES.grace, 1);
});

const relays = (): number => stage.standIn.requestsTo(RELAY).length;
const cutOff: StandInHandler = () => (response) => void response.destroy();
const cutAfterwards: StandInHandler = async (_request, behind) => {
  await behind();
  return (response) => void response.destroy();
};

/** Starts a service with alice's wallet, and waits until it has the height of the node. */
async function alice(args: readonly string[] = []): Promise<TestService> {
  const service = await stage.service(args);
  await stage.open(service, 'alice');
  await service.synced(stage.node.height);
  return service;
}

/** The node accepts the transaction, and its responses and status are lost. */
function loseResponse(): void {
  stage.standIn.on(RELAY, cutAfterwards).on(STATUS_ROUTE, cutOff);
}

/** The transaction does not reach the node, and the status request fails. */
function loseRequest(): void {
  stage.standIn.on(RELAY, cutOff).on(STATUS_ROUTE, cutOff);
}

test('makes one payment for five concurrent requests with one key and returns one response, even after a restart', async () => {
  const service = await alice();
  const before = relays();
  const responses = await Promise.all(Array.from({ length: 5 }, () => send(service, PAYMENT, { key: 'five' })));
  const hashes = new Set(responses.map(hashOf));
  expect(hashes.size).toBe(1);
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  expect(relays() - before).toBe(1);
  expect(stage.node.pool()).toEqual([...hashes]);

  expect(codeOf(await send(service, { ...PAYMENT, amount: 1 }, { key: 'five' }))).toBe(1002);
  expect((await send(service, { ...PAYMENT, amount: 1 }, { key: 'five' })).status).toBe(422);
  // The same body on another route is a different request.
  expect(codeOf(await send(service, PAYMENT, { key: 'five', path: '/transactions/send/sweep' }))).toBe(1002);
  expect((await send(service, PAYMENT, { key: 'a b' })).status).toBe(400);
  expect((await send(service, PAYMENT, { key: 'x'.repeat(256) })).status).toBe(400);

  const next = await stage.afterKill(service);
  await service.json('DELETE', '/wallet');
  await stage.open(next, 'alice', true);
  expect((await send(next, PAYMENT, { key: 'five' })).text).toBe(responses[0]?.text);
  expect(relays() - before).toBe(1);
});

test('frees the key of a request that changed nothing, including a sweep of failures', async () => {
  const service = await alice();
  expect(codeOf(await send(service, { ...PAYMENT, amount: 10 ** 15 }, { key: 'poor' }))).toBe(11);
  stage.standIn.on('/getrandom_outs', cutOff);
  expect(codeOf(await send(service, PAYMENT, { key: 'poor' }))).toBe(30);
  const sweep = await send(service, PAYMENT, { key: 'sweep', path: '/transactions/send/sweep' });
  expect(parsed<{ transactions: unknown[] }>(sweep).transactions).toMatchObject([{ errorCode: 30, success: false }]);
  stage.standIn.off('/getrandom_outs');
  const swept = await send(service, PAYMENT, { key: 'sweep', path: '/transactions/send/sweep' });
  expect(parsed<{ transactions: unknown[] }>(swept).transactions).toMatchObject([{ success: true }]);
  expect(await send(service, PAYMENT, { key: 'sweep', path: '/transactions/send/sweep' })).toMatchObject({
    text: swept.text,
  });
  expect(stage.node.pool()).toHaveLength(1);
});

test.each([
  ['today', false],
  ['of July 2025', true],
])('frees the key of a transaction that the node rejected; a node %s', async (_, isOld) => {
  if (isOld) respondAsJuly2025(stage.standIn);
  const service = await alice();
  stage.standIn.on(RELAY, () => ({ json: { status: 'Failed', error: 'not today' } }));
  expect(codeOf(await send(service, PAYMENT, { key: 'refused' }))).toBe(31);
  stage.standIn.off(RELAY);
  const hash = hashOf(await send(service, PAYMENT, { key: 'refused' }));
  expect(stage.node.pool()).toEqual([hash]);
  for (const path of ['/info', '/getinfo', '/getrandom_outs', '/getwalletsyncdata']) stage.standIn.off(path);
});

test('makes one payment if a node accepts a transaction but reports a rejection', async () => {
  const service = await alice();
  stage.standIn.on(STATUS_ROUTE, cutOff).on(RELAY, async (_request, behind) => {
    await behind();
    return { json: { status: 'Failed', error: 'a false word' } };
  });
  expect(codeOf(await send(service, PAYMENT, { key: 'false' }))).toBe(55);
  const pool = stage.node.pool();
  await stage.mine(service, 1);
  stage.standIn.off(RELAY).off(STATUS_ROUTE);
  expect([hashOf(await send(service, PAYMENT, { key: 'false' }))]).toEqual(pool);
  expect(stage.node.pool()).toEqual([]);
});

test.each([503, 429])(
  'finds a transaction by its hash after status %i, and returns 55 while no node reports it',
  async (status) => {
    const service = await alice();
    stage.standIn.on(RELAY, async (_request, behind) => {
      await behind();
      return { status };
    });
    const hash = hashOf(await send(service, PAYMENT, { key: 'proxy' }));
    expect(stage.node.pool()).toEqual([hash]);
    stage.standIn.on(STATUS_ROUTE, cutOff);
    expect(codeOf(await send(service, PAYMENT, { key: 'proxy-in-doubt' }))).toBe(55);
    const pool = stage.node.pool();
    await stage.mine(service, 1);
    stage.standIn.off(RELAY).off(STATUS_ROUTE);
    expect(pool).toContain(hashOf(await send(service, PAYMENT, { key: 'proxy-in-doubt' })));
    expect(stage.node.pool()).toEqual([]);
  },
);

test('reports an uncertain prepared send as sent once it is mined, and stores that response', async () => {
  const service = await alice();
  const prepared = await service.json('POST', '/transactions/prepare/basic', PAYMENT);
  const { transactionHash } = parsed(requireStatus(prepared, 201));
  const body = JSON.stringify({ transactionHash });
  const go = (headers: Record<string, string> = {}) =>
    service.request({ method: 'POST', path: '/transactions/send/prepared', headers, body });
  loseResponse();
  expect(codeOf(await go())).toBe(55);
  stage.standIn.off(RELAY).off(STATUS_ROUTE);
  await stage.mine(service, 1);
  const keyed = { 'Idempotency-Key': 'mined' };
  expect(parsed(requireStatus(await go(keyed), 201))).toEqual({ transactionHash });
  expect(codeOf(await go())).toBe(58);
  expect(parsed(requireStatus(await go(keyed), 201))).toEqual({ transactionHash });
});

test('finds an accepted transaction by its hash when the response of the node was lost', async () => {
  const service = await alice();
  stage.standIn.on(RELAY, cutAfterwards);
  const hash = hashOf(await send(service, PAYMENT, { key: 'cut' }));
  expect(stage.node.pool()).toEqual([hash]);
  expect(hashOf(await send(service, PAYMENT, { key: 'cut' }))).toBe(hash);
});

test.each([
  ['the node accepted it', loseResponse],
  ['the node never received it', loseRequest],
])(
  'returns 55 for an unknown outcome, and resubmits the same transaction for a repeated request: %s',
  async (_, lose) => {
    const service = await alice();
    lose();
    expect(codeOf(await send(service, PAYMENT, { key: 'doubt' }))).toBe(55);
    expect(codeOf(await send(service, PAYMENT, { key: 'doubt' }))).toBe(55);
    const given = new Set(
      stage.standIn
        .requestsTo(RELAY)
        .slice(-2)
        .map(({ body }) => body['tx_as_hex']),
    );
    expect(given.size).toBe(1);
    stage.standIn.off(RELAY).off(STATUS_ROUTE);
    const hash = hashOf(await send(service, PAYMENT, { key: 'doubt' }));
    expect(stage.node.pool()).toEqual([hash]);
  },
);

test('stores no response for a sweep with an unknown outcome, and resubmits it for a repeated request', async () => {
  const service = await alice();
  const path = '/transactions/send/sweep';
  const entries = async (): Promise<unknown> =>
    parsed(requireStatus(await send(service, PAYMENT, { key: 'sweep-in-doubt', path }), 200))['transactions'];
  loseRequest();
  expect(await entries()).toMatchObject([{ errorCode: 55, success: false }]);
  stage.standIn.off(RELAY).off(STATUS_ROUTE);
  const found = await entries();
  expect(found).toEqual([{ success: true, transactionHash: stage.node.pool()[0] }]);
  expect(await entries()).toEqual(found);
  expect(stage.node.pool()).toHaveLength(1);
});

test('responds to every running send when the wallet is closed, and starts none afterwards', async () => {
  const service = await alice();
  const sends = Array.from({ length: 8 }, (_, i) => send(service, PAYMENT, { key: `close-${String(i % 6)}` }));
  await untilWallet(service, (snapshot) => snapshot.unconfirmed().length > 0);
  requireStatus(await service.json('DELETE', '/wallet'), 200);
  const responses = await Promise.all(sends);
  expect(responses.filter(({ status }) => status !== 201 && status !== 403)).toEqual([]);
  const hashes = new Set(responses.filter(({ status }) => status === 201).map(hashOf));
  expect(stage.node.pool()).toEqual([...hashes].sort());
});

test.each([
  ['before the transaction came to the node', loseRequest],
  ['after the node accepted it', loseResponse],
])('resubmits the same transaction after a kill %s', async (_, lose) => {
  const service = await alice();
  lose();
  expect(codeOf(await send(service, PAYMENT, { key: 'kill' }))).toBe(55);
  const next = await stage.afterKill(service);
  await service.json('DELETE', '/wallet');
  await stage.open(next, 'alice', true);
  expect(codeOf(await send(next, { ...PAYMENT, amount: 1 }, { key: 'kill' }))).toBe(1002);
  stage.standIn.off(RELAY).off(STATUS_ROUTE);
  const hash = hashOf(await send(next, PAYMENT, { key: 'kill' }));
  expect(stage.node.pool()).toEqual([hash]);
  const [first, second] = stage.standIn.requestsTo(RELAY).slice(-2);
  expect(first?.body['tx_as_hex']).toBe(second?.body['tx_as_hex']);
  await stage.mine(next, 1);
  expect((await next.json('GET', `/transactions/hash/${hash}`)).status).toBe(200);
  expect(hashOf(await send(next, PAYMENT, { key: 'kill' }))).toBe(hash);
});

test('resubmits or finds the recorded transaction after a reset', async () => {
  const service = await alice();
  loseResponse();
  expect(codeOf(await send(service, PAYMENT, { key: 'pool' }))).toBe(55);
  expect(codeOf(await send(service, PAYMENT, { key: 'block' }))).toBe(55);
  const [first] = stage.node.pool();
  expect(stage.node.pool()).toHaveLength(2);
  stage.standIn.off(RELAY).off(STATUS_ROUTE);

  requireStatus(await service.json('PUT', '/reset', { scanHeight: 0 }), 200);
  expect(
    parsed<{ transactions: unknown[] }>(await service.json('GET', '/transactions/unconfirmed')).transactions,
  ).toEqual([]);
  // During the rescan the inputs of the transaction are unknown.
  expect(codeOf(await send(service, PAYMENT, { key: 'pool' }))).toBe(1009);
  await service.synced(stage.node.height);
  expect(stage.node.pool()).toContain(hashOf(await send(service, PAYMENT, { key: 'pool' })));
  expect(stage.node.pool()).toHaveLength(2);
  expect(first).toBeDefined();

  await stage.mine(service, 1);
  requireStatus(await service.json('PUT', '/reset', { scanHeight: 0 }), 200);
  await service.synced(stage.node.height);
  const found = hashOf(await send(service, PAYMENT, { key: 'block' }));
  expect((await service.json('GET', `/transactions/hash/${found}`)).status).toBe(200);
  expect(stage.node.pool()).toEqual([]);
});

test('reports a confirmed payment below the height of a reset as sent', async () => {
  const service = await alice();
  loseResponse();
  expect(codeOf(await send(service, PAYMENT, { key: 'below' }))).toBe(55);
  const [hash] = stage.node.pool();
  await stage.mine(service, 2);
  requireStatus(await service.json('PUT', '/reset', { scanHeight: stage.node.height }), 200);
  await service.synced(stage.node.height);
  expect(hashOf(await send(service, PAYMENT, { key: 'below' }))).toBe(hash);
  expect(stage.node.pool()).toEqual([]);
});

test('gives up a payment once another transaction with final confirmations has spent an input', async () => {
  const giver = await alice();
  const service = await stage.service();
  const node = { daemonHost: '127.0.0.1', daemonPort: stage.standIn.port };
  const file = { filename: 'one.wallet', password: 'secret_one' };
  requireStatus(await service.json('POST', '/wallet/create', { ...file, ...node }), 200);
  const { address } = parsed<{ address: string }>(await service.json('GET', '/addresses/primary'));
  hashOf(await send(giver, { destination: address, amount: 1_000_000 }));
  await stage.mine(service, BLOCKS_TO_UNLOCK);
  await untilWallet(service, hasIndexes);
  requireStatus(await service.json('PUT', '/save'), 200);
  const twin = await stage.afterKill(service);
  requireStatus(
    await twin.json('POST', '/wallet/open', { ...file, daemonPort: Number(new URL(stage.node.url).port) }),
    200,
  );
  await twin.synced(stage.node.height);
  await untilWallet(twin, hasIndexes);

  loseRequest();
  const givenUp = new Promise<string | undefined>((resolve) => {
    service.api.current?.wallet.on('event', ({ kind, transaction }) => {
      if (kind === 'send-given-up') resolve(transaction);
    });
  });
  expect(codeOf(await send(service, PAYMENT, { key: 'gone' }))).toBe(55);
  // The node never receives the transaction, and another program with the same keys spends its only input.
  const back = { destination: address, amount: 0 };
  requireStatus(await send(twin, back, { path: '/transactions/send/sweep/all' }), 200);
  await stage.mine(service, FINAL_CONFIRMATIONS);
  expect(codeOf(await send(service, PAYMENT, { key: 'gone' }))).toBe(55);
  await stage.mine(service, 1);
  const hash = (await givenUp) ?? 'no hash';
  const reply = requireStatus(await send(service, PAYMENT, { key: 'gone' }), 409);
  expect([codeOf(reply), reply.text]).toEqual([1006, expect.stringContaining(hash)]);
  expect(stage.node.pool()).toEqual([]);
});

test('stores the response for a client that disconnected during its send', async () => {
  const service = await alice();
  let left = (): void => undefined;
  const underWay = new Promise<void>((resolve) => {
    stage.standIn.on('/getrandom_outs', async (_request, behind) => {
      resolve();
      await new Promise<void>((gone) => (left = gone));
      return behind();
    });
  });
  const headers = { 'X-API-KEY': PASSWORD, 'Idempotency-Key': 'leaver' };
  const port = service.api.port;
  const client = request({ port, host: '127.0.0.1', method: 'POST', path: '/transactions/send/basic', headers });
  client.on('error', () => undefined);
  client.end(JSON.stringify(PAYMENT));
  await underWay;
  client.destroy();
  stage.standIn.off('/getrandom_outs');
  left();
  const before = relays();
  const hash = hashOf(await send(service, PAYMENT, { key: 'leaver' }));
  expect(stage.node.pool()).toEqual([hash]);
  expect(relays() - before).toBeLessThanOrEqual(1);
});

test('pauses sends when the wallet database is outdated, missing or damaged, until the operator resumes them', async () => {
  const service = await alice();
  const hash = hashOf(await send(service, PAYMENT, { key: 'side' }));
  const yesterday = join(service.folder, 'yesterday');
  await service.json('DELETE', '/wallet');
  const file = join(service.folder, 'alice.wallet.db');
  copyFileSync(file, yesterday);
  const replaceWith = (from: string | undefined): void => {
    for (const suffix of ['', '-wal', '-shm', '-control']) rmSync(file + suffix, { force: true });
    if (from !== undefined) copyFileSync(from, file);
  };
  const pause = async (): Promise<string | undefined> => {
    await stage.open(service, 'alice', true);
    const { sendsPaused } = parsed<{ sendsPaused?: { reason: string } }>(await service.json('GET', '/status'));
    return sendsPaused?.reason;
  };
  const resumed = async (): Promise<void> => {
    requireStatus(await service.json('POST', '/sends/resume'), 200);
    expect(parsed(await service.json('GET', '/status'))['sendsPaused']).toBeUndefined();
    await service.json('DELETE', '/wallet');
  };
  expect(await pause()).toBeUndefined();
  await service.synced(stage.node.height);
  hashOf(await send(service, PAYMENT, { key: 'since-then' }));
  await service.json('DELETE', '/wallet');
  replaceWith(yesterday);
  expect(await pause()).toContain('outdated');
  expect(codeOf(await send(service, PAYMENT, { key: 'other' }))).toBe(1008);
  // The wallet continues to work.
  expect(hashOf(await send(service, PAYMENT, { key: 'side' }))).toBe(hash);
  await resumed();
  replaceWith(undefined);
  expect(await pause()).toContain('missing');
  await resumed();
  replaceWith(undefined);
  service.file('alice.wallet.db', 'no database');
  expect(await pause()).toContain('is not a database');
  await resumed();
});

test.each(['/transactions/send/basic', '/transactions/send/sweep'])(
  'returns hash and reason for the key of a given-up send of %s',
  async (path) => {
    const service = await alice();
    const reply = await send(service, PAYMENT, { key: 'given-up', path });
    // The first hash of a sweep is that of its first transaction.
    const [hash = ''] = /[0-9a-f]{64}/.exec(reply.text) ?? [];
    requireStatus(await service.json('DELETE', `/transactions/pending/${hash}`), 200);
    requireStatus(await service.json('DELETE', `/transactions/pending/${hash}`), 404);
    const repeated = requireStatus(await send(service, PAYMENT, { key: 'given-up', path }), 409);
    expect(codeOf(repeated)).toBe(1006);
    expect(repeated.text).toContain(hash);
    expect(repeated.text).toContain('the operator gave it up');
  },
);

test('returns the key of a given-up send as sent once it is mined after all', async () => {
  const service = await alice();
  const first = await send(service, PAYMENT, { key: 'mined-after-all' });
  requireStatus(await service.json('DELETE', `/transactions/pending/${hashOf(first)}`), 200);
  await stage.mine(service, 1);
  expect((await send(service, PAYMENT, { key: 'mined-after-all' })).text).toBe(first.text);
});
