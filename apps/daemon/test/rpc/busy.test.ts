import { CorruptDatabase } from '@wrkz/chain-db';
import { createMemoryLogger } from '@wrkz/service-kit';
import { type RpcContext, startRpcServer } from '../../src/rpc';
import { RPC_DEFAULTS } from './support/defaults';
import { locked, node } from './support/provocations';

/* BUSY: exactly while the chain cannot be read (docs/protocol/rpc.md#busy, docs/protocol/lessons.md#busy-for-every-error). */

async function request(context: RpcContext, path: string, body?: string): Promise<[number, unknown]> {
  const options = { ...RPC_DEFAULTS, bindIp: '127.0.0.1', port: 0, maxRpm: 0 };
  const server = await startRpcServer(context, options, createMemoryLogger());
  try {
    const call = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"getlastblockheader"}' };
    const sent = body !== undefined ? { method: 'POST', body } : path === '/json_rpc' ? call : {};
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, sent);
    return [response.status, await response.json()];
  } finally {
    await server.close();
  }
}

const TEXT = 'Chain is reorganizing, please retry shortly';

test.each(['SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY', 'SQLITE_LOCKED', 'SQLITE_IOERR_READ'])(
  '%s is BUSY with 503, and -9 with 503 in the envelope',
  async (code) => {
    expect(await request(locked(code), '/info')).toEqual([503, { status: 'BUSY', error: TEXT }]);
    expect(await request(locked(code), '/json_rpc')).toEqual([
      503,
      { error: { code: -9, message: TEXT }, id: 1, jsonrpc: '2.0' },
    ]);
  },
);

test.each([
  ['/height', undefined],
  ['/json_rpc', '{"method":"getblockcount"}'],
  ['/getwalletsyncdata', '{}'],
  ['/getrawblocks', '{}'],
])('%s is BUSY as well', async (path, body) => {
  expect(await request(locked(), path, body)).toEqual([503, { status: 'BUSY', error: TEXT }]);
});

test.each([
  ['damage', 503, new CorruptDatabase('page 5 does not fit its checksum')],
  ['damage as SQLite reports it', 503, Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT' })],
  ['a fault of the program', 500, new TypeError('a defect')],
])('%s is not BUSY, because waiting would not help', async (_name, expected, error) => {
  const context = node(
    {},
    {
      snapshot: () => {
        throw error;
      },
    },
  );
  for (const path of ['/info', '/json_rpc'] as const) {
    const [status, body] = await request(context, path);
    expect([status, body]).toEqual([expected, expect.objectContaining({ status: 'Failed' })]);
  }
});
