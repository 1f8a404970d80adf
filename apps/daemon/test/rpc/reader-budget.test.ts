import { join } from 'node:path';
import { networkOf } from '@wrkz/core-types';
import { silentLogger } from '@wrkz/service-kit';
import { ReaderPool, startRpcServer } from '../../src/rpc';
import { RPC_DEFAULTS } from './support/defaults';
import { ReaderBudget } from '../../src/rpc/readers/budget';
import { newSuite } from '../network/daemons';
import { node } from './support/provocations';
import { send } from './support/recorded';

const suite = newSuite();
afterAll(() => suite.stopAll());

/** The outcome of a check: status 200, or the status and Retry-After of the error. */
function checked(budget: ReaderBudget, client: string): readonly [number, string?] {
  try {
    budget.check(client);
    return [200];
  } catch (error) {
    const { status, headers } = error as { status: number; headers: Record<string, string> };
    return [status, headers['Retry-After'] ?? ''];
  }
}

describe('the reader time of an address', () => {
  /** 240 requests per minute: 30 s of reader time per minute, and up to 120 s at once. */
  const limits = { maxRpm: 240 };

  test('is refilled at half a second per second', () => {
    let now = 0;
    const budget = new ReaderBudget(limits.maxRpm, () => now);
    for (let i = 0; i < 119; i++) budget.charge('192.0.2.1', 1_100, 0);
    expect(checked(budget, '192.0.2.1')).toEqual([200]);
    budget.charge('192.0.2.1', 11_100, 0);
    expect(checked(budget, '192.0.2.1')).toEqual([429, '20']);
    now = 19_000;
    expect(checked(budget, '192.0.2.1')).toEqual([429, '1']);
    now = 20_001;
    expect(checked(budget, '192.0.2.1')).toEqual([200]);
  });

  test('is shared by a /64, and not by other addresses', () => {
    const budget = new ReaderBudget(limits.maxRpm, () => 0);
    budget.charge('2001:db8::1', 200_000, 0);
    expect(checked(budget, '2001:db8::2')).toEqual([429, '160']);
    expect(checked(budget, '2001:db8:0:1::1')).toEqual([200]);
    expect(checked(budget, '192.0.2.1')).toEqual([200]);
  });

  test('is unlimited for this machine, and without a limit of requests', () => {
    const budget = new ReaderBudget(limits.maxRpm, () => 0);
    const none = new ReaderBudget(0, () => 0);
    for (const client of ['127.0.0.1', '::1', 'local']) {
      budget.charge(client, 1_000_000, 0);
      expect(checked(budget, client)).toEqual([200]);
    }
    none.charge('192.0.2.1', 1_000_000, 0);
    expect(checked(none, '192.0.2.1')).toEqual([200]);
  });

  test('is not used by responses of 4 KiB per millisecond, nor by requests of 100 ms', () => {
    const budget = new ReaderBudget(1, () => 0);
    for (let i = 0; i < 10_000; i++) {
      budget.charge('192.0.2.1', 2_000, 8_388_608);
      budget.charge('192.0.2.1', 100, 0);
    }
    expect(checked(budget, '192.0.2.1')).toEqual([200]);
  });
});

test('a request of an address without reader time is 429 with Retry-After, as HTTP route and as JSON-RPC method', async () => {
  const directory = join(await suite.chainA(), 'devnet');
  // Each reading of the clock is a second later: a query occupies its thread for one second.
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 1_000));
  const pool = new ReaderPool({ directory, network: 'devnet', threads: 2, maxRpm: 1 });
  const context = node({ network: networkOf('devnet'), queries: pool, explorer: true });
  const options = { ...RPC_DEFAULTS, bindIp: '127.0.0.1', port: 0, maxRpm: 0, trustProxy: true };
  const server = await startRpcServer(context, options, silentLogger());
  try {
    const sendFrom = (client: string, path: string, body: string) =>
      send(`http://127.0.0.1:${server.port}`, {
        method: 'POST',
        path,
        body,
        requestHeaders: { 'x-forwarded-for': client },
      });
    const unknown = `{"txid":"${'ab'.repeat(32)}"}`;
    const method = '{"method":"f_block_json","params":{"hash":"5"}}';
    // Errors are charged, too.
    expect((await sendFrom('192.0.2.1', '/get_o_indexes', unknown)).status).toBe(500);
    for (const [path, body] of [
      ['/get_o_indexes', unknown],
      ['/json_rpc', method],
    ] as const) {
      const { status, headers, text } = await sendFrom('192.0.2.1', path, body);
      expect([status, JSON.parse(text)]).toEqual([
        429,
        { status: 'Failed', error: 'Too many RPC requests, please retry later' },
      ]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await sendFrom('192.0.2.2', '/json_rpc', method)).status).toBe(200);
  } finally {
    clock.mockRestore();
    await server.close();
    await pool.close();
  }
});
