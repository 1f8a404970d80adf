import {
  WALLET_ADDRESS,
  donationAddress,
  paymentIdOf,
  shortAddress,
  startService,
  stopAll,
  temporaryFolder,
  type RunningService,
} from '../support/service';
import { json, send } from '../support/http-client';
import { KEY, ScriptedWallet } from '../support/scripted-wallet';

let wallet: ScriptedWallet;
beforeEach(async () => {
  wallet = await ScriptedWallet.start();
  wallet.addresses = [WALLET_ADDRESS];
});
afterEach(async () => {
  await stopAll();
  await wallet.close();
});

const hash = (n: number): string => n.toString(16).padStart(64, '0');
const HOUR = 3_600_000;
const API = () => ['--wallet-api', wallet.url, '--wallet-api-key', KEY];
const RPC = () => ['--wallet-rpc', wallet.url, '--wallet-rpc-password', KEY];

/** A service that polls the wallet once at its start and whenever a test calls `poll`. */
async function startFollowing(args: readonly string[], folder?: string, now?: () => number) {
  const service = await startService(['--rate-limit', '0', ...args], { pollMs: HOUR, ...(now && { now }) }, folder);
  return {
    ...service,
    poll: () => service.service.follower?.poll() ?? Promise.reject(new Error('the service has no follower')),
  };
}

async function percents({ url }: Pick<RunningService, 'url'>, query = ''): Promise<unknown[]> {
  const { data } = json(await send(url, `/api/1/proposals${query}`)) as { data: { funded_pct: number }[] };
  return data.map(({ funded_pct }) => funded_pct).reverse();
}

describe.each([
  ['wallet HTTP API', API],
  ['wallet JSON-RPC', RPC],
])('funding over the %s', (_name, options) => {
  test('counts donations to two proposals, removes them in a reorganisation, and counts them again', async () => {
    const folder = temporaryFolder();
    const { url, poll, add, ...service } = await startFollowing(options(), folder);
    add({ target: '1000', address: donationAddress('a') });
    add({ target: '300', address: donationAddress('b') });
    await poll();
    expect(await percents({ url })).toEqual([0, 0]);
    const first = { hash: hash(1), height: 990, amount: 12_345n, paymentId: paymentIdOf('a') };
    const second = { hash: hash(2), height: 995, amount: 10_000n, paymentId: paymentIdOf('b').toUpperCase() };
    wallet.transactions = [
      first,
      second,
      { ...second, hash: hash(3), paymentId: paymentIdOf('nobody') },
      { ...first, hash: hash(4), paymentId: '' },
    ];
    await poll();
    expect(await percents({ url })).toEqual([12.35, 33.33]);
    const page = await send(url, '/proposal/1');
    expect(page.text).toContain('123.45 WRKZ');
    expect(page.text).toContain('1 contribution');

    wallet.transactions = [first];
    wallet.height = wallet.network = 994;
    await poll();
    expect(await percents({ url })).toEqual([12.35, 0]);
    expect((await send(url, '/proposal/2')).text).toContain('There are no contributions yet');
    wallet.transactions = [];
    wallet.height = wallet.network = 996;
    await poll();
    expect(await percents({ url })).toEqual([0, 0]);

    wallet.transactions = [
      { ...first, height: 997 },
      { ...second, height: 998 },
    ];
    wallet.height = wallet.network = 1001;
    await poll();
    expect(await percents({ url })).toEqual([12.35, 33.33]);
    await service.stop();
  });

  test('reports locked coins, and counts them when they are unlocked', async () => {
    const service = await startFollowing(options());
    service.add({ target: '100', address: donationAddress('a') });
    wallet.transactions = [
      { hash: hash(1), height: 990, amount: 2_500n, paymentId: paymentIdOf('a'), unlockTime: 1002n },
      { hash: hash(2), height: 991, amount: 1_000n, paymentId: paymentIdOf('a'), unlockTime: 1001n },
    ];
    await service.poll();
    expect(await percents(service)).toEqual([10]);
    expect((await send(service.url, '/proposal/1')).text).toContain('25.00 WRKZ more is confirmed but still locked');
    wallet.height = wallet.network = 1001;
    await service.poll();
    expect(await percents(service)).toEqual([35]);
  });

  test('serves the last known funding with its age while the wallet is unavailable, also after a restart', async () => {
    let now = 1_800_000_000_000;
    const folder = temporaryFolder();
    const service = await startFollowing(options(), folder, () => now);
    service.add({ target: '100', address: donationAddress('a') });
    wallet.transactions = [{ hash: hash(1), height: 990, amount: 100n, paymentId: paymentIdOf('a') }];
    await service.poll();
    const age = async ({ url }: { url: string }) => (await send(url, '/api/1/proposals')).headers['x-funding-age'];
    expect([await percents(service), await age(service)]).toEqual([[1], '0']);
    // This request caches the page.
    expect((await send(service.url, '/proposal/1')).text).not.toContain('has been unavailable');
    wallet.answer = (response) => response.destroy();
    now += 75_000;
    await service.poll();
    expect([await percents(service), await age(service)]).toEqual([[1], '75']);
    expect(json(await send(service.url, '/readyz'))).toEqual({ status: 'OK', wallet: 'AWAY' });
    expect((await send(service.url, '/proposal/1')).text).toContain('The wallet has been unavailable since then.');
    await service.stop();

    const again = await startFollowing(options(), folder, () => now);
    await again.poll();
    expect([await percents(again), await age(again)]).toEqual([[1], '75']);
    wallet.answer = undefined;
    wallet.transactions = [];
    await again.poll();
    expect([await percents(again), await age(again)]).toEqual([[0], '0']);
    expect((await send(again.url, '/proposal/1')).text).not.toContain('has been unavailable');
  });

  test('ignores a wallet that is behind', async () => {
    const service = await startFollowing(options());
    service.add({ target: '100', address: donationAddress('a') });
    wallet.transactions = [{ hash: hash(1), height: 990, amount: 100n, paymentId: paymentIdOf('a') }];
    await service.poll();
    // The wallet rescans, and reports a low height.
    wallet.transactions = [];
    wallet.height = 10;
    await service.poll();
    expect(await percents(service)).toEqual([1]);
    wallet.network = 0;
    wallet.height = 0;
    await service.poll();
    expect(await percents(service)).toEqual([1]);
    expect(service.service.follower?.failure).toContain('not synchronized');
  });
});

test.each([
  ['a wrong key', (response) => response.writeHead(401).end(), 'wrong key'],
  ['no wallet open', (response) => response.writeHead(403).end(), 'no wallet is open'],
  ['a redirect', (response) => response.writeHead(302, { location: 'http://192.0.2.1/' }).end(), 'status 302'],
  ['no JSON', (response) => response.end('<html>'), 'JSON'],
  ['another shape', (response) => response.end('{"walletBlockCount":"7"}'), 'unexpected response'],
  ['an endless response', (response) => endless(response), 'maxContentLength'],
  ['deep JSON', (response) => response.end('['.repeat(100_000)), 'nested too deeply'],
  [
    'a truncated response',
    (response) => (response.writeHead(200, { 'content-length': 100 }), response.write('{'), response.destroy()),
    '',
  ],
] as readonly [string, (response: import('node:http').ServerResponse) => void, string][])(
  'a wallet with %s counts as unavailable, and the service continues',
  async (_name, handler, problem) => {
    const service = await startFollowing(API());
    service.add({ target: '100', address: donationAddress('a') });
    wallet.answer = handler;
    await service.poll();
    expect(service.service.follower?.failure).toContain(problem);
    expect(await percents(service)).toEqual([0]);
    wallet.answer = undefined;
    wallet.transactions = [{ hash: hash(1), height: 990, amount: 100n, paymentId: paymentIdOf('a') }];
    await service.poll();
    expect(await percents(service)).toEqual([1]);
  },
);

/** A wallet whose only transaction has these fields. */
const respondWith =
  (transaction: object) =>
  (response: import('node:http').ServerResponse, path: string): void => {
    const one = { hash: hash(1), paymentID: '', unlockTime: 0, timestamp: 1_700_000_000, blockHeight: 990 };
    if (path === '/status')
      response.end('{"walletBlockCount":1000,"localDaemonBlockCount":1000,"networkBlockCount":1000}');
    else if (path === '/addresses') response.end(JSON.stringify({ addresses: [WALLET_ADDRESS] }));
    else {
      const transfers = [{ address: WALLET_ADDRESS, amount: 100 }];
      response.end(
        JSON.stringify({ transactions: [{ ...one, transfers, ...transaction }] })
          .replaceAll('"#', '')
          .replaceAll('#"', ''),
      );
    }
  };

const INVALID_TRANSACTIONS = [
  ['a time beyond all calendars', respondWith({ timestamp: '#18446744073709551615#' }), 'invalid time'],
  [
    'a block that was not requested',
    respondWith({ blockHeight: '#9007199254740993#' }),
    'outside of the requested blocks',
  ],
  ['a height of text', respondWith({ blockHeight: '1' }), 'unexpected response'],
  ['a negative height', respondWith({ blockHeight: -1 }), 'unexpected response'],
  [
    'a fraction of a coin',
    respondWith({ transfers: [{ address: WALLET_ADDRESS, amount: 0.5 }] }),
    'unexpected response',
  ],
  [
    'more coins than the supply',
    respondWith({ transfers: [{ address: WALLET_ADDRESS, amount: '#18446744073709551616#' }] }),
    'exceed',
  ],
  [
    'coins beyond the largest number of 64 bits in two donations',
    respondWith({ transfers: [1, 2].map(() => ({ address: WALLET_ADDRESS, amount: '#9223372036854775807#' })) }),
    'exceed',
  ],
  [
    'an amount that is text',
    respondWith({ transfers: [{ address: WALLET_ADDRESS, amount: '100' }] }),
    'unexpected response',
  ],
  ['a negative time', respondWith({ timestamp: -1 }), 'unexpected response'],
  ['an unlock time beyond 64 bits', respondWith({ unlockTime: '#18446744073709551616#' }), 'unexpected response'],
  ['a negative unlock time', respondWith({ unlockTime: -1 }), 'unexpected response'],
  ['an invalid hash', respondWith({ hash: '../../etc/passwd' }), 'unexpected response'],
  ['a block above the last requested one', respondWith({ blockHeight: 1001 }), 'outside of the requested blocks'],
] as const;

/** Impossible heights of a wallet, as JSON. */
const NO_HEIGHTS = ['9007199254740993', '-1', '"1000"', '10.5', '1011'];

test('ignores a wallet with impossible data, and retains the known funding', async () => {
  const service = await startFollowing(API());
  service.add({ target: '100', address: donationAddress('a') });
  wallet.transactions = [{ hash: hash(1), height: 990, amount: 123n, paymentId: paymentIdOf('a') }];
  await service.poll();
  const stateAfterPoll = async (): Promise<unknown> => {
    await service.poll();
    return [service.service.follower?.failure, await percents(service)];
  };
  for (const [name, handler, problem] of INVALID_TRANSACTIONS) {
    wallet.answer = handler;
    expect([name, ...((await stateAfterPoll()) as unknown[])]).toEqual([
      name,
      expect.stringContaining(problem),
      [1.23],
    ]);
  }
  for (const height of NO_HEIGHTS) {
    wallet.answer = (response, path) =>
      path === '/status'
        ? response.end(`{"walletBlockCount":${height},"localDaemonBlockCount":1000,"networkBlockCount":1000}`)
        : response.end(JSON.stringify(path === '/addresses' ? { addresses: [WALLET_ADDRESS] } : { transactions: [] }));
    expect([height, ...((await stateAfterPoll()) as unknown[])]).toEqual([height, expect.any(String), [1.23]]);
  }
  wallet.answer = undefined;
  expect(await stateAfterPoll()).toEqual([undefined, [1.23]]);
  expect((await send(service.url, '/proposal/1')).status).toBe(200);
});

test('discards a read during which the chain was reorganised', async () => {
  const service = await startFollowing(API());
  service.add({ target: '100', address: donationAddress('a') });
  wallet.transactions = [{ hash: hash(1), height: 990, amount: 123n, paymentId: paymentIdOf('a') }];
  await service.poll();
  wallet.transactions = [];
  let requested = 0;
  wallet.answer = (response, path) => {
    if (path === '/status') requested += 1;
    const height = requested > 1 ? 995 : 1000;
    const counts = { walletBlockCount: height, localDaemonBlockCount: height, networkBlockCount: height };
    const [addresses, transactions] = [[WALLET_ADDRESS], []];
    response.end(JSON.stringify(path === '/status' ? counts : { addresses, transactions }));
  };
  await service.poll();
  expect(service.service.follower?.failure).toContain('the chain was reorganised');
  expect(await percents(service)).toEqual([1.23]);
});

test('an amount above 2^53 is exact', async () => {
  const service = await startFollowing(API());
  service.add({ target: '100', address: WALLET_ADDRESS });
  wallet.answer = respondWith({ transfers: [{ address: WALLET_ADDRESS, amount: '#9007199254740993#' }] });
  await service.poll();
  expect((await send(service.url, '/proposal/1')).text).toContain('90,071,992,547,409.93 WRKZ');
});

test('a page shows the newest contributions and counts them all', async () => {
  const service = await startFollowing(API());
  service.add({ target: '100', address: WALLET_ADDRESS });
  wallet.transactions = Array.from({ length: 103 }, (_, i) => ({ hash: hash(i), height: 10 + i, amount: 100n }));
  await service.poll();
  const { text } = await send(service.url, '/proposal/1');
  expect(text).toContain('103 contributions');
  expect(text).toContain('The newest 100 are shown.');
  const shown = [...text.matchAll(/title="([0-9a-f]{64})"/g)].map(([, name]) => name);
  expect(shown).toEqual(Array.from({ length: 100 }, (_, i) => hash(102 - i)));
});

test('two payments to one address in a transaction are added', async () => {
  const service = await startFollowing(API());
  service.add({ target: '100', address: WALLET_ADDRESS });
  const transfers = [1, 2].map((amount) => ({ address: WALLET_ADDRESS, amount: 1000 * amount }));
  wallet.answer = respondWith({ transfers });
  await service.poll();
  expect(await percents(service)).toEqual([30]);
});

function endless(response: import('node:http').ServerResponse): void {
  const chunk = '1'.repeat(65_536);
  const more = (): void => void (response.destroyed || response.write(chunk, more));
  response.write('[', more);
}

test('ignores a wallet that reports a stalled synchronization', async () => {
  const service = await startFollowing(API());
  service.add({ target: '100', address: donationAddress('a') });
  wallet.more = { syncStall: { code: 'nodeUnreachable', message: 'the node cannot be reached' } };
  await service.poll();
  expect(service.service.follower?.failure).toContain('not synchronized');
  wallet.more = {};
  await service.poll();
  expect(service.service.follower?.failure).toBeUndefined();
});

test('a hanging wallet does not delay a stop', async () => {
  const service = await startFollowing(API());
  const asked = new Promise<void>((resolve) => (wallet.answer = () => resolve()));
  // No timeout ends.
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  try {
    const looking = service.poll();
    looking.catch(() => undefined);
    await asked;
    await service.stop();
    await expect(looking).rejects.toThrow('aborted');
  } finally {
    jest.useRealTimers();
  }
});

test('a plain address counts payments without a payment id of another proposal; an address outside of the wallet counts none', async () => {
  const service = await startFollowing(API());
  service.add({ target: '100', address: WALLET_ADDRESS });
  service.add({ target: '100', address: donationAddress('b') });
  service.add({ target: '100', address: shortAddress });
  const foreign = 'WrkziZp1ebXV6D9WxRj4s8bHKetYR7DzrYywVnEwkshKjnfqbjNx1oBXpe4p8JpNgQ5scpJ4fsTKhjnAbPf3Mgr57KTxVEvZUj';
  service.add({ target: '100', address: foreign });
  wallet.transactions = [
    { hash: hash(1), height: 1, amount: 100n },
    { hash: hash(2), height: 2, amount: 200n, paymentId: paymentIdOf('nobody') },
    { hash: hash(3), height: 3, amount: 400n, paymentId: paymentIdOf('b') },
    { hash: hash(4), height: 4, amount: 800n, paymentId: '0123456789abcdef' },
    { hash: hash(5), height: 5, amount: 1600n, address: foreign },
    { hash: hash(6), height: 6, amount: -3200n },
  ];
  await service.poll();
  expect(await percents(service)).toEqual([3, 4, 8, 0]);
  expect((await send(service.url, '/proposal/4')).text).toContain('Donations to this address are not followed.');
});

test('funding above the target is reported unchanged', async () => {
  const service = await startFollowing(API());
  service.add({ target: '3', address: donationAddress('a') });
  wallet.transactions = [{ hash: hash(1), height: 1, amount: 1_000_000_000n, paymentId: paymentIdOf('a') }];
  await service.poll();
  expect(await percents(service)).toEqual([333333333.33]);
  expect((await send(service.url, '/proposal/1')).text).toContain('333,333,333.33 %');
});
