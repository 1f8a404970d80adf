import { writeFileSync } from 'node:fs';
import { silentLogger } from '@wrkz/service-kit';
import { StandInNode, type SuiteNode } from '@wrkz/testing';
import { exercises } from '../support/exercises';
import { PASSWORD, type TestService } from '../support/service';
import { addressOf, World } from '../support/world';

exercises('enable-metrics');

const world = new World();
let node: SuiteNode;

beforeAll(async () => {
  node = await world.node();
});

// Each test begins with an empty pool.
afterEach(async () => {
  await world.stopServices();
  await node.generate(addressOf('frank'));
});

afterAll(() => world.stopAll());

const TO_BOB = { transfers: [{ address: addressOf('bob'), amount: 1_000 }], anonymity: 1 };

const codeOf = async (service: TestService, method: string, params: object): Promise<bigint | undefined> =>
  (await service.call(method, params)).error?.data?.application_code;

test('paused sends are refused with the reason, also after a restart, until they are resumed', async () => {
  const file = await world.read('alice', node.daemon.ports.rpc);
  let service = await world.service(file, node.daemon.ports.rpc);
  await service.synced(node.height);
  await service.result('pauseSends', { reason: 'the exchange is audited' });
  expect(await service.call('sendTransaction', TO_BOB)).toMatchObject({
    error: { message: 'Sends are paused: the exchange is audited. They go on when the operator resumes them.' },
  });
  await world.stop(service);
  service = await world.service(file, node.daemon.ports.rpc);
  await service.synced(node.height);
  expect(await service.result('getStatus')).toMatchObject({
    sendsPaused: { source: 'operator', reason: 'the exchange is audited' },
  });
  expect(await codeOf(service, 'sendTransaction', TO_BOB)).toBe(1_008n);
  await service.result('resumeSends');
  expect(await service.result('getStatus')).not.toHaveProperty('sendsPaused');
  await service.result('sendTransaction', TO_BOB);
});

test('a given-up send is reported under its key and in the log, and its inputs are unlocked', async () => {
  const stand = world.suite.closeAtEnd(await StandInNode.start(node.url));
  const file = await world.read('alice', stand.port);
  const logged: unknown[] = [];
  const record = (level: string) => (message: string, fields?: object) => void logged.push([level, message, fields]);
  const logger = { ...silentLogger(), info: record('info'), warning: record('warning') };
  const service = await world.service(file, stand.port, ['--enable-metrics'], { logger });
  await service.synced(node.height);
  stand.on('/sendrawtransaction', () => ({ json: { status: 'Failed', error: 'no' } }));
  const send = { ...TO_BOB, idempotencyKey: 'lost' };
  const before = await service.result('getBalance');
  expect((await service.call('sendTransaction', send)).error?.message).toBe('Internal node error');
  const { wallet } = service.rpc.context;
  const [transactionHash = ''] = wallet.db.sends.all(['refused']).map(({ hash }) => hash);
  await service.result('giveUpTransaction', { transactionHash: transactionHash.toUpperCase() });
  expect(await service.result('getBalance')).toEqual(before);
  expect(await service.call('sendTransaction', send)).toMatchObject({
    error: {
      message: `Transaction ${transactionHash} was given up: the operator gave it up. Send again with another key.`,
      data: { application_code: 1_006n },
    },
  });
  expect(await codeOf(service, 'giveUpTransaction', { transactionHash })).toBe(23n);

  const sent = { transaction: transactionHash };
  expect(logged).toContainEqual(['info', 'money event: send', expect.objectContaining(sent)]);
  expect(logged).toContainEqual(['warning', 'money event: send-refused', expect.objectContaining(sent)]);
  const given = { ...sent, reason: 'the operator gave it up' };
  expect(logged).toContainEqual(['warning', 'money event: send-given-up', expect.objectContaining(given)]);

  const metrics = (headers: object) => service.request('', { method: 'GET', path: '/metrics', headers });
  expect((await metrics({})).status).toBe(401);
  expect((await metrics({ 'X-API-KEY': 'wrong' })).status).toBe(401);
  const { text } = await metrics({ 'X-API-KEY': PASSWORD });
  expect(text).toContain('wrkz_wallet_given_up_sends_total 1\n');
  expect(text).toContain('wrkz_wallet_sends{state="contested"} 1\n');
  expect(text).toContain('wrkz_wallet_sends_paused 0\n');
  expect((await metrics({ Authorization: `Bearer ${PASSWORD}` })).text).toContain('wrkz_wallet_height{of="wallet"}');
});

test('a damaged wallet database stops sends, not reads, until the operator resumes them', async () => {
  const file = await world.read('alice', node.daemon.ports.rpc);
  writeFileSync(`${file}.db`, 'no database');
  const service = await world.service(file, node.daemon.ports.rpc);
  await service.synced(node.height);
  const items = { firstBlockIndex: 1, blockCount: 1_000 };
  const { items: listed } = await service.result<{ items: unknown[] }>('getTransactions', items);
  expect(listed.length).toBeGreaterThan(0);
  expect(await codeOf(service, 'sendTransaction', TO_BOB)).toBe(1_008n);
  expect(await codeOf(service, 'sendTransaction', { ...TO_BOB, idempotencyKey: 'one' })).toBe(1_011n);
  expect((await service.request('', { method: 'GET', path: '/metrics' })).status).toBe(404);
  await service.result('resumeSends');
  await service.result('sendTransaction', { ...TO_BOB, idempotencyKey: 'one' });
  expect(node.pool()).toHaveLength(1);
});
