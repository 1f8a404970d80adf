import { networkOf } from '@wrkz/core-types';
import { createMemoryLogger, type HttpServer } from '@wrkz/service-kit';
import { type RpcContext, startRpcServer } from '../../src/rpc';
import { RPC_DEFAULTS } from './support/defaults';

/* Routes that a node refuses temporarily or on its network. */

const submitted: Buffer[] = [];
let synchronized = false;
let server: HttpServer;
const context = {
  network: networkOf('mainnet'),
  explorer: true,
  now: () => 0,
  peers: { isSynchronized: () => synchronized },
  pool: {
    add: async (bytes: Buffer) => {
      submitted.push(bytes);
      return { accepted: true };
    },
  },
} as unknown as RpcContext;

beforeAll(async () => {
  const options = { ...RPC_DEFAULTS, bindIp: '127.0.0.1', port: 0, maxRpm: 0 };
  server = await startRpcServer(context, options, createMemoryLogger());
});
afterAll(() => server.close());

const post = (path: string, body: object): Promise<Response> =>
  fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST', body: JSON.stringify(body) });

test('accepts a transaction only after synchronization', async () => {
  const early = await post('/sendrawtransaction', { tx_as_hex: 'abcd' });
  expect([early.status, await early.json()]).toEqual([
    503,
    { status: 'Failed', error: 'Daemon must be synced to process this RPC method call, please retry when synced.' },
  ]);
  expect(submitted).toEqual([]);
  synchronized = true;
  expect(await (await post('/sendrawtransaction', { tx_as_hex: 'abcd' })).json()).toMatchObject({ status: 'OK' });
  expect(submitted).toEqual([Buffer.from('abcd', 'hex')]);
});

test('rejects generateblocks as an unknown method on mainnet', async () => {
  const call = { jsonrpc: '2.0', id: 1, params: { wallet_address: 'Wrkz' } };
  const [ours, unknown] = await Promise.all(
    ['generateblocks', 'no_such_method'].map(async (method) => {
      const response = await post('/json_rpc', { ...call, method });
      return [response.status, await response.text()];
    }),
  );
  expect(ours).toEqual([404, '']);
  expect(ours).toEqual(unknown);
});
