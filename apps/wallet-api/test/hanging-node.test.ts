import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { CHAIN_A_HEIGHT } from '@wrkz/testing';
import type { WalletApiOverrides } from '../src';
import { ADDRESSES, codeOf, parsed, requireStatus, send } from './support/chain-a-service';
import { TestService } from './support/service';

/* A node that accepts connections and never responds. */

const sockets = new Set<Socket>();
let isMute = true;
const mute = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => undefined);
  if (!isMute) socket.destroy();
});
let service: TestService;

beforeAll(async () => {
  await once(mute.listen(0, '127.0.0.1'), 'listening');
});

afterEach(() => service.stop());

async function open(overrides: WalletApiOverrides = {}): Promise<void> {
  service = await TestService.start([], overrides);
  service.copyWallet('alice.restored.wallet', 'alice.wallet');
  const place = { daemonHost: '127.0.0.1', daemonPort: (mute.address() as AddressInfo).port };
  const body = { filename: 'alice.wallet', password: 'secret_alice', ...place };
  requireStatus(await service.json('POST', '/wallet/open', body), 200);
}

/** Closes all connections, and each new connection immediately. */
function cutConnections(): void {
  isMute = false;
  for (const socket of sockets) socket.destroy();
}

afterAll(async () => {
  cutConnections();
  mute.close();
  await once(mute, 'close');
});

const PAYMENT = { destination: ADDRESSES.bob, amount: 1_000 };
const FIRST_READS = [
  '/balance',
  '/balances',
  '/status',
  '/addresses',
  '/transactions',
  '/transactions/unconfirmed',
  '/node',
];

test('serves reads from the snapshot while a send waits', async () => {
  await open();
  const answered: string[] = [];
  const underWay = send(service, PAYMENT, { key: 'mute' }).then((response) => {
    answered.push('the send');
    return response;
  });
  for (const path of FIRST_READS) {
    requireStatus(await service.json('GET', path), 200);
    answered.push(path);
  }
  expect(answered).toEqual(FIRST_READS);
  cutConnections();
  expect(codeOf(await underWay)).toBe(30);
  const status = parsed<{ walletBlockCount: number; syncStall: { code: string } }>(
    await service.json('GET', '/status'),
  );
  expect(status.walletBlockCount).toBe(CHAIN_A_HEIGHT);
  expect(parsed<{ unlocked: number }>(await service.json('GET', '/balance')).unlocked).toBeGreaterThan(0);
  isMute = true;
});

test('does not report the wallet as synchronized before the node has responded', async () => {
  await open();
  const status = parsed(await service.json('GET', '/status'));
  expect(status).toMatchObject({ networkBlockCount: 0, isWalletSynced: false, isOutOfSync: true });
});

test('fails writes with a node error, and executes operations without a node', async () => {
  await open({ nodeTimeouts: { connectMs: 200, silenceMs: 400, responseMs: 600 } });
  const responses = await Promise.all([
    send(service, PAYMENT),
    send(service, PAYMENT, { key: 'a' }),
    service.json('POST', '/transactions/prepare/basic', PAYMENT),
    service.json('POST', '/transactions/estimate', { destinations: [{ address: ADDRESSES.bob, amount: 1_000 }] }),
  ]);
  expect(responses.map(codeOf)).toEqual([30, 30, 30, 30]);
  const sweep = await send(service, PAYMENT, { path: '/transactions/send/sweep' });
  expect(parsed(sweep)['transactions']).toMatchObject([{ errorCode: 30 }]);
  requireStatus(await service.json('PUT', '/save'), 200);
  requireStatus(await service.json('POST', '/addresses/create'), 201);
  requireStatus(await service.json('PUT', '/sync/refresh'), 200);
  requireStatus(await service.json('PUT', '/reset', { scanHeight: 0 }), 200);
  requireStatus(await service.json('DELETE', '/wallet'), 200);
});

test('stops during a send and saves the wallet', async () => {
  await open({ nodeTimeouts: { connectMs: 200, silenceMs: 400, responseMs: 600 } });
  const create = requireStatus(await service.json('POST', '/addresses/create'), 201);
  const sends = [1, 2, 3].map((i) => send(service, PAYMENT, { key: String(i) }).catch(() => undefined));
  await service.json('GET', '/status');
  await service.api.stop();
  await Promise.all(sends);
  const next = await TestService.start();
  try {
    next.file('alice.wallet', service.file('alice.wallet'));
    const body = { filename: 'alice.wallet', password: 'secret_alice', daemonHost: '127.0.0.1', daemonPort: 1 };
    requireStatus(await next.json('POST', '/wallet/open', body), 200);
    const { addresses } = parsed<{ addresses: string[] }>(await next.json('GET', '/addresses'));
    expect(addresses).toContain(parsed<{ address: string }>(create).address);
  } finally {
    await next.stop();
  }
});

/** Longer than a test may take. */
const LONG = { connectMs: 1_000_000, silenceMs: 1_000_000, responseMs: 1_000_000 };

/** Begins a request of the wallet; resolves when the wallet has it. */
async function begun<T>(
  method: 'changePassword' | 'send',
  request: () => Promise<T>,
): Promise<{ response: Promise<T> }> {
  const calls = jest.spyOn(service.api.current!.wallet, method);
  const response = request();
  while (calls.mock.calls.length === 0) await service.json('GET', '/status');
  return { response };
}

test('changes the node although a send waits for the old one, and later sends use the new node', async () => {
  await open({ nodeTimeouts: LONG });
  const first = await begun('send', () => send(service, PAYMENT));
  const second = send(service, PAYMENT);
  requireStatus(await service.json('PUT', '/node', { daemonHost: '127.0.0.1', daemonPort: 1 }), 200);
  expect([codeOf(await first.response), codeOf(await second)]).toEqual([30, 30]);
  expect(parsed(await service.json('GET', '/node'))).toMatchObject({ daemonPort: 1 });
});

test.each([
  ['stops', () => service.api.stop()],
  ['closes the wallet', async () => void requireStatus(await service.json('DELETE', '/wallet'), 200)],
])('%s although a change of the password waits for a send', async (_, close) => {
  await open({ nodeTimeouts: LONG });
  const { wallet } = service.api.current!;
  const ignored = (): undefined => undefined;
  await begun('send', () => send(service, PAYMENT).catch(ignored));
  const words = { password: 'secret_alice', newPassword: 'other' };
  await begun('changePassword', () => service.json('PUT', '/wallet/password', words).catch(ignored));
  await close();
  expect([wallet.isClosed, wallet.isPassword('secret_alice')]).toEqual([true, true]);
});
