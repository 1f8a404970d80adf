import { StandInNode } from '@wrkz/testing';
import { Wallet, walletError, walletErrorRows } from '@wrkz/wallet-core';
import { WALLET_ROUTES } from '../../src';
import type { WalletRoute } from '../../src/routes/declare';
import { codeOf, parsed, requireStatus } from '../support/chain-a-service';
import { type ServiceResponse, TestService } from '../support/service';
import { knownWallet, World } from './world';

/* Errors caused by a state of the wallet: every route that declares one gets a request in that state. */

let world: World;
let node: StandInNode;
const [alice, bob] = [knownWallet('alice'), knownWallet('bob')];
const PASSWORD = 'secret_alice';

const BASIC = { destination: bob.address, amount: 1000 };
const ADVANCED = { destinations: [{ address: bob.address, amount: 1000 }] };
const FILE = { filename: 'n', password: 'pw' };
const KEYS = { privateViewKey: alice.privateViewKey, privateSpendKey: alice.privateSpendKey };

/** Bodies of valid requests by path. `{hash}` stands for a prepared transaction. */
const BODIES: Readonly<Record<string, object>> = {
  '/transactions/prepare/basic': BASIC,
  '/transactions/prepare/advanced': ADVANCED,
  '/transactions/estimate': ADVANCED,
  '/transactions/estimate/sweep': BASIC,
  '/transactions/send/basic': BASIC,
  '/transactions/send/advanced': ADVANCED,
  '/transactions/send/prepared': { transactionHash: '{hash}' },
  '/transactions/send/sweep': BASIC,
  '/transactions/send/sweep/all': { destination: bob.address },
  '/wallet/password': { password: PASSWORD, newPassword: PASSWORD },
  '/reset': { scanHeight: 700 },
  '/backup': { file: 'backup' },
  '/labels/{subject}': { text: 'Bob' },
  '/addresses/import': { privateSpendKey: bob.privateSpendKey, scanHeight: 0 },
  '/addresses/import/deterministic': { walletIndex: 1, scanHeight: 0 },
  '/addresses/import/view': { publicSpendKey: bob.publicSpendKey, scanHeight: 0 },
  '/wallet/open': { filename: 'n', password: PASSWORD },
  '/wallet/create': FILE,
  '/wallet/import/key': { ...FILE, ...KEYS },
  '/wallet/import/seed': { ...FILE, mnemonicSeed: alice.mnemonic },
  '/wallet/import/view': { ...FILE, privateViewKey: alice.privateViewKey, address: alice.address },
};

beforeAll(async () => {
  world = await World.start('--enable-metrics');
  node = await StandInNode.start(`http://127.0.0.1:${String(world.nodePort)}`);
  const change = { daemonHost: '127.0.0.1', daemonPort: node.port };
  requireStatus(await world.at('full').json('PUT', '/node', change), 200);
});

afterAll(async () => {
  await node.close();
  await world.stop();
});

type StateError = 'sendsPaused' | 'notSynchronized' | 'walletDatabaseDamaged' | 'refusedTransactionUnresolved';

const routesWith = (name: keyof typeof walletErrorRows): WalletRoute[] =>
  WALLET_ROUTES.filter(({ errors }) => errors.some(({ code }) => code === walletErrorRows[name].code));

async function requestRoute(
  service: TestService,
  { method, path }: WalletRoute,
  key: string,
  hash = '',
): Promise<ServiceResponse> {
  const body = BODIES[path] === undefined ? undefined : JSON.stringify(BODIES[path]).replace('{hash}', hash);
  const headers: Record<string, string> = path.includes('/send/') ? { 'Idempotency-Key': key } : {};
  return service.request({
    method,
    path: path.replace('{address}', alice.address).replace(/\{\w+\}/, hash),
    headers,
    body,
  });
}

/** Status and code of each route that declares the error. */
async function answersOf(service: TestService, name: StateError, hash = 'ab'.repeat(32)): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const route of routesWith(name)) {
    const reply = await requestRoute(service, route, name, hash);
    results.push([route.path, reply.status, codeOf(reply)]);
  }
  return results;
}

function expected(name: StateError, status: number): unknown[] {
  const routes = routesWith(name);
  expect(routes.length).toBeGreaterThan(4);
  return routes.map(({ path }) => [path, status, walletErrorRows[name].code]);
}

async function prepared(): Promise<string> {
  const reply = requireStatus(await world.at('full').json('POST', '/transactions/prepare/basic', BASIC), 201);
  return String(parsed(reply)['transactionHash']);
}

/** Waits until the wallet knows the state of its node. */
async function untilNodeHeight(holds: (node: number, wallet: number) => boolean): Promise<void> {
  const full = world.at('full');
  await full.json('PUT', '/sync/refresh');
  for (;;) {
    const status = parsed<{ localDaemonBlockCount: number; walletBlockCount: number }>(
      await full.json('GET', '/status'),
    );
    if (holds(status.localDaemonBlockCount, status.walletBlockCount)) return;
  }
}

test('refuses sends while the wallet is more than 20 blocks behind its node', async () => {
  const hash = await prepared();
  node.on('/info', async (_request, behind) => {
    const { status, json } = await behind();
    const raised = { height: Number(json['height']) + 30, network_height: Number(json['network_height']) + 30 };
    return { status, json: { ...json, ...raised } };
  });
  try {
    await untilNodeHeight((local, wallet) => local > wallet + 20);
    const results = await answersOf(world.at('full'), 'notSynchronized', hash);
    expect(results).toEqual(expected('notSynchronized', 503));
  } finally {
    node.off('/info');
    await untilNodeHeight((local, wallet) => local <= wallet + 1);
  }
});

test('refuses sends while the operator has paused them', async () => {
  const full = world.at('full');
  const hash = await prepared();
  requireStatus(await full.json('POST', '/sends/pause', { reason: 'maintenance' }), 200);
  requireStatus(await full.json('POST', '/sends/pause', { reason: 'again' }), 200);
  expect(await answersOf(full, 'sendsPaused', hash)).toEqual(expected('sendsPaused', 503));
  const { text } = await full.json('POST', '/transactions/send/basic', BASIC);
  expect(text).toContain('maintenance');
  expect(parsed(await full.json('GET', '/status'))['sendsPaused']).toMatchObject({
    source: 'operator',
    reason: 'maintenance',
  });
  expect((await full.json('GET', '/metrics')).text).toContain('wrkz_wallet_sends_paused 1');
  requireStatus(await full.json('POST', '/sends/resume'), 200);
  expect(parsed(await full.json('GET', '/status'))['sendsPaused']).toBeUndefined();
  expect((await full.json('GET', '/metrics')).text).toContain('wrkz_wallet_sends_paused 0');
  requireStatus(await full.json('POST', '/transactions/send/prepared', { transactionHash: hash }), 201);
});

test('reads a wallet with a damaged database, and refuses to write', async () => {
  const service = await TestService.start();
  try {
    service.copyWallet('alice.wallet', 'n');
    service.file('n.db', 'no database'.repeat(1000));
    const body = { filename: 'n', password: PASSWORD, daemonPort: node.port };
    requireStatus(await service.json('POST', '/wallet/open', body), 200);
    const results = await answersOf(service, 'walletDatabaseDamaged');
    expect(results).toEqual(expected('walletDatabaseDamaged', 503));
    requireStatus(await service.json('GET', '/balance'), 200);
    requireStatus(await service.json('POST', '/sends/resume'), 200);
    requireStatus(await service.json('PUT', '/save'), 200);
  } finally {
    await service.stop();
  }
});

test('refuses the database of another wallet', async () => {
  const service = await TestService.start();
  try {
    requireStatus(await service.json('POST', '/wallet/create', { filename: 'other', password: 'pw' }), 200);
    requireStatus(await service.json('DELETE', '/wallet'), 200);
    for (const route of routesWith('walletDatabaseForeign')) {
      for (const name of ['n', 'n.previous']) service.remove(name);
      if (route.path === '/wallet/open') service.copyWallet('alice.wallet', 'n');
      service.file('n.db', service.file('other.db'));
      const reply = await requestRoute(service, route, '');
      expect([route.path, reply.status, codeOf(reply)]).toEqual([route.path, 409, 1005]);
    }
  } finally {
    await service.stop();
  }
});

test('refuses to open a wallet with a node of another network, and opens it with one that does not respond', async () => {
  const service = await TestService.start();
  const node = await StandInNode.start();
  node.on('/json_rpc', () => ({
    json: { result: { block_header: { hash: 'cd'.repeat(32), height: 0, orphan_status: false }, status: 'OK' } },
  }));
  try {
    service.copyWallet('alice.wallet', 'n');
    const body = { filename: 'n', password: 'secret_alice', daemonPort: node.port };
    const reply = await service.json('POST', '/wallet/open', body);
    expect([reply.status, codeOf(reply)]).toEqual([400, 1012]);
    node.on('/json_rpc', () => (response) => void response.destroy());
    requireStatus(await service.json('POST', '/wallet/open', body), 200);
  } finally {
    await service.stop();
    await node.close();
  }
});

test('refuses sends while a rejected transaction may still be mined and its inputs are spent', async () => {
  const full = world.at('full');
  node.on('/sendrawtransaction', () => ({ json: { status: 'Failed', error: 'no' } }));
  expect(codeOf(await full.json('POST', '/transactions/send/basic', BASIC))).toBe(walletErrorRows.daemonError.code);
  node.off('/sendrawtransaction');
  // Each send spends one input of the refused transaction, until none is left.
  let reply = await full.json('POST', '/transactions/send/basic', BASIC);
  while (reply.status === 201) reply = await full.json('POST', '/transactions/send/basic', BASIC);
  // Simulates a prepared transaction with other inputs; wallet-core has a test with a real one.
  const refusal = walletError.refusedTransactionUnresolved('ab'.repeat(32));
  const sendPrepared = jest.spyOn(Wallet.prototype, 'sendPrepared').mockRejectedValueOnce(refusal);
  const results = await answersOf(full, 'refusedTransactionUnresolved');
  sendPrepared.mockRestore();
  expect(results).toEqual(expected('refusedTransactionUnresolved', 409));
  expect((await full.json('GET', '/metrics')).text).toContain('wrkz_wallet_sends{state="contested"} 1');
});
