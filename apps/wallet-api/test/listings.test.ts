import { NodeClient } from '@wrkz/client';
import { CHAIN_A_HEIGHT } from '@wrkz/testing';
import { csvCell } from '../src/routes/transaction-export';
import { knownWallet, World } from './contract/world';

/* Listings that the C++ program does not have: pages, filters, exports of a period, confirmations. */

interface Listed {
  readonly hash: string;
  readonly paymentID: string;
  readonly blockHeight: number;
  readonly confirmations: number;
  readonly timestamp: number;
  readonly transfers: readonly { readonly amount: number }[];
}

let world: World;
let all: Listed[];

async function get<T>(path: string): Promise<T> {
  const { status, text } = await world.at('full').json('GET', path);
  expect(status).toBe(200);
  return JSON.parse(text) as T;
}

const listed = async (query: string): Promise<Listed[]> =>
  (await get<{ transactions: Listed[] }>(`/transactions${query}`)).transactions;
const netOf = ({ transfers }: Listed): number => transfers.reduce((sum, { amount }) => sum + amount, 0);

beforeAll(async () => {
  world = await World.start();
  all = await listed('');
});

afterAll(() => world.stop());

test('returns the same transactions in pages of any size and order', async () => {
  expect(all.length).toBeGreaterThan(100);
  for (const [limit, order] of [
    [1000, 'asc'],
    [17, 'asc'],
    [23, 'desc'],
  ] as const) {
    const found: Listed[] = [];
    let cursor = '';
    do {
      type Page = { transactions: Listed[]; nextCursor?: string };
      const page: Page = await get(`/transactions?limit=${String(limit)}&order=${order}${cursor}`);
      expect(page.transactions.length).toBeLessThanOrEqual(limit);
      found.push(...page.transactions);
      cursor = page.nextCursor === undefined ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    expect(found).toEqual(order === 'asc' ? all : all.toReversed());
  }
});

test('continues at the height of a cursor whose transaction was removed', async () => {
  const at = all[50] as Listed;
  const removed = `${String(at.blockHeight)}-${'00'.repeat(32)}`;
  const [first] = await listed(`?limit=1&cursor=${removed}`);
  expect(first?.blockHeight).toBe(at.blockHeight);
  const [last] = await listed(`?limit=1&order=desc&cursor=${removed}`);
  expect(last?.blockHeight).toBe(at.blockHeight);
  expect(await listed(`?cursor=9999999999-${'00'.repeat(32)}`)).toEqual([]);
});

test('combines direction and minAmount with paging', async () => {
  expect(await listed('?direction=out')).toEqual(all.filter((one) => netOf(one) < 0));
  expect(await listed('?direction=in')).toEqual(all.filter((one) => netOf(one) >= 0));
  expect(await listed('?minAmount=1000000')).toEqual(all.filter((one) => Math.abs(netOf(one)) >= 1_000_000));
  const big = all.filter((one) => netOf(one) < 0 && netOf(one) <= -1_000_000);
  expect(await listed('?direction=out&minAmount=1000000&limit=3')).toEqual(big.slice(0, 3));
  expect(await listed('?minAmount=18446744073709551615')).toEqual([]);
});

test('lists the transactions with a payment ID of 64 or 16 digits in any case', async () => {
  const { paymentID } = all.find((one) => one.paymentID !== '') as Listed;
  const found = all.filter((one) => one.paymentID === paymentID);
  expect(await listed(`/paymentid/${paymentID.toUpperCase()}`)).toEqual(found);
  expect(await listed(`/paymentid/${paymentID.slice(0, 16)}`)).toEqual([]);
  expect((await world.at('full').json('GET', `/transactions/paymentid/${paymentID.slice(0, 15)}`)).status).toBe(404);
});

test('counts one confirmation for the top block and none for an unconfirmed transaction', async () => {
  for (const { blockHeight, confirmations } of all) expect(confirmations).toBe(CHAIN_A_HEIGHT - blockHeight + 1);
  const body = { destination: knownWallet('bob').address, amount: 1000 };
  expect((await world.at('full').json('POST', '/transactions/send/basic', body)).status).toBe(201);
  const [sent] = await listed('/unconfirmed');
  expect(sent).toMatchObject({ confirmations: 0, blockHeight: 0 });
  expect(
    (await get<{ transactions: Listed[] }>(`/transactions/unconfirmed/${knownWallet('alice').address}`)).transactions,
  ).toHaveLength(1);
});

test('the reported height of a node adds no confirmation and unlocks nothing', async () => {
  const service = world.at('full');
  const before = await get('/balances');
  const info = NodeClient.prototype.info;
  const claim = jest.spyOn(NodeClient.prototype, 'info').mockImplementation(async function (this: NodeClient, signal) {
    return { ...(await info.call(this, signal)), networkHeight: 4_000_000_000 };
  });
  try {
    await service.json('PUT', '/sync/refresh');
    while ((await get<{ networkBlockCount: number }>('/status')).networkBlockCount !== 4_000_000_000);
    expect(await get('/balances')).toEqual(before);
    expect((await listed('')).map(({ confirmations }) => confirmations)).toEqual(
      all.map(({ blockHeight }) => CHAIN_A_HEIGHT - blockHeight + 1),
    );
  } finally {
    claim.mockRestore();
    await service.json('PUT', '/sync/refresh');
  }
});

test('exports a transaction whose time is outside the range of dates', async () => {
  const { snapshot } = world.at('full').api.current?.wallet ?? {};
  if (snapshot === undefined) throw new Error('no wallet is open');
  const [one] = snapshot.transactions().map((each) => ({ ...each, timestamp: Number.MAX_SAFE_INTEGER }));
  jest.spyOn(snapshot, 'transactions').mockReturnValueOnce(one === undefined ? [] : [one]);
  const { text } = await world.at('full').json('GET', '/transactions/export');
  expect(text.split('\r\n')[1]).toContain(one?.hash);
});

test('exports a period as CSV and as JSON', async () => {
  const [from, to] = [all[10] as Listed, all[40] as Listed].map(({ timestamp }) => timestamp) as [number, number];
  const inside = all.filter(({ timestamp }) => timestamp >= from && timestamp <= to);
  const period = `from=${String(from)}&to=${String(to)}`;
  expect((await get<{ transactions: Listed[] }>(`/transactions/export?format=json&${period}`)).transactions).toEqual(
    inside,
  );
  const { text, headers } = await world.at('full').json('GET', `/transactions/export?${period}`);
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="transactions.csv"',
  });
  const [head = '', ...lines] = text.split('\r\n');
  expect(head.split(',').slice(0, 6)).toEqual(['timestamp', 'time', 'blockHeight', 'confirmations', 'hash', 'amount']);
  expect(lines.pop()).toBe('');
  expect(lines.map((line) => line.split(',')[4])).toEqual(inside.map(({ hash }) => hash));
  expect(lines.map((line) => Number(line.split(',')[5]))).toEqual(inside.map(netOf));
  const none = await world.at('full').json('GET', '/transactions/export?from=5&to=4');
  expect(none.text).toBe(`${head}\r\n`);
  const whole = await world.at('full').json('GET', '/transactions/export?direction=out&minAmount=1000000&format=json');
  expect((JSON.parse(whole.text) as { transactions: Listed[] }).transactions).toEqual(
    all.filter((one) => netOf(one) <= -1_000_000),
  );
  const first = await world.at('full').request({ method: 'HEAD', path: '/transactions/export' });
  expect(first).toMatchObject({ status: 200, text: '', headers: { 'content-type': 'text/csv; charset=utf-8' } });
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', '-1'],
  ['-1+1', "'-1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['a"b', '"a""b"'],
  ['a,b', '"a,b"'],
  ['a\nb', '"a\nb"'],
  ['', ''],
])('escapes the CSV cell %j as %j', (text, written) => {
  expect(csvCell(text)).toBe(written);
});

test('estimates fee, size and mixin without sending', async () => {
  const body = { destinations: [{ address: knownWallet('bob').address, amount: 123_456 }], mixin: 1 };
  const before = await listed('/unconfirmed');
  const estimated = await world.at('full').json('POST', '/transactions/estimate', body);
  expect(estimated.status).toBe(200);
  const estimate = JSON.parse(estimated.text) as { fee: number; size: number; mixin: number; inputs: number };
  expect(estimate).toMatchObject({ mixin: 1 });
  expect(estimate.fee).toBeGreaterThan(0);
  expect(estimate.size).toBeGreaterThan(100);
  const sweep = await world
    .at('full')
    .json('POST', '/transactions/estimate/sweep', { destination: knownWallet('bob').address, amount: 5_000_000 });
  const rows = JSON.parse(sweep.text) as {
    amount: number;
    fee: number;
    transactions: { amount: number; fee: number }[];
  };
  expect(rows.amount).toBe(5_000_000);
  expect(rows.fee).toBe(rows.transactions.reduce((sum, { fee }) => sum + fee, 0));
  expect(await listed('/unconfirmed')).toEqual(before);
});

test('changes the password of the wallet file', async () => {
  const { nodePort } = world;
  const service = world.at('closed');
  const file = { filename: 'carol.wallet', daemonPort: nodePort };
  expect((await service.json('POST', '/wallet/open', { ...file, password: 'secret_carol' })).status).toBe(200);
  const change = (password: string, newPassword: string) =>
    service.json('PUT', '/wallet/password', { password, newPassword });
  expect(await change('wrong', 'x')).toMatchObject({ status: 400, text: expect.stringContaining('"errorCode":5') });
  expect((await change('secret_carol', 'ключ \u0000 🔑')).status).toBe(200);
  await service.json('DELETE', '/wallet');
  expect((await service.json('POST', '/wallet/open', { ...file, password: 'secret_carol' })).text).toContain(
    '"errorCode":5',
  );
  expect((await service.json('POST', '/wallet/open', { ...file, password: 'ключ \u0000 🔑' })).status).toBe(200);
  await service.json('DELETE', '/wallet');
});

test('reports the reason of a stalled synchronization in /status until it continues', async () => {
  const service = world.at('view');
  await service.json('PUT', '/node', { daemonHost: '127.0.0.1', daemonPort: 1 });
  const status = async () =>
    JSON.parse((await service.json('GET', '/status')).text) as {
      localDaemonBlockCount: number;
      syncStall?: { code: string };
    };
  while ((await status()).syncStall === undefined) await new Promise((resolve) => setImmediate(resolve));
  expect(await status()).toMatchObject({
    localDaemonBlockCount: 0,
    syncStall: { code: 'nodeUnreachable', message: expect.stringContaining('ECONNREFUSED') },
  });
  await service.json('PUT', '/node', { daemonHost: '127.0.0.1', daemonPort: world.nodePort });
  // Between the change of the node and its first response there is neither a stall nor a height.
  const isSynced = ({ localDaemonBlockCount, syncStall }: Awaited<ReturnType<typeof status>>): boolean =>
    localDaemonBlockCount === CHAIN_A_HEIGHT && syncStall === undefined;
  while (!isSynced(await status())) await new Promise((resolve) => setImmediate(resolve));
});

test('overwrites an earlier export and no other file', async () => {
  const service = world.at('full');
  const exportTo = (filename: string) => service.json('POST', '/export/json', { filename });
  expect([(await exportTo('plain.json')).status, (await exportTo('plain.json')).status]).toEqual([200, 200]);
  const before = service.file('alice.wallet');
  service.copyWallet('carol.wallet');
  service.file('notes.txt', 'mine');
  for (const name of ['alice.wallet', 'alice.wallet.lock', 'alice.wallet.db', 'carol.wallet', 'notes.txt']) {
    expect(await exportTo(name)).toMatchObject({ status: 400, text: expect.stringContaining('File exists') });
  }
  expect(service.file('alice.wallet')).toEqual(before);
  expect(await exportTo('.')).toMatchObject({ status: 400, text: expect.stringContaining('Is a directory') });
});
