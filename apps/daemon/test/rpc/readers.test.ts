import { once, setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { networkOf } from '@wrkz/core-types';
import { silentLogger } from '@wrkz/service-kit';
import { writeChainADump } from '@wrkz/testing';
import { readConfig } from '../../src/config/config';
import { Daemon } from '../../src/daemon';
import { ReaderPool, type RpcContext, startRpcServer } from '../../src/rpc';
import { RPC_DEFAULTS } from './support/defaults';
import type { QueryTable } from '../../src/rpc/queries';

/*
 * Large responses and waiting requests (docs/protocol/rpc.md#large-responses,
 * docs/protocol/lessons.md#queries-of-disconnected-clients). No test uses a clock: a blocked request fails by the
 * time limit of the test.
 */

const directory = mkdtempSync(join(tmpdir(), 'wrkz-readers-'));

/** A query of about one second: 1,000 times an amount with many outputs on chain A. */
const HEAVY: QueryTable['randomOuts'] = {
  amounts: Array.from({ length: 1_000 }, () => 1_000_000n),
  count: 60,
  now: 0,
};
const SYNC: QueryTable['walletSyncData'] = {
  checkpoints: Buffer.alloc(0),
  startHeight: 1,
  startTimestamp: 0,
  blockCount: 20,
  skipCoinbase: false,
  skipKeyOffsets: false,
  skipEmpty: false,
  endHeight: 0,
  encoding: 'hex',
};

let pool: ReaderPool;

beforeAll(async () => {
  const dump = join(directory, 'chain-a.dump');
  writeChainADump(dump);
  const flags = ['--network', 'devnet', '--data-dir', directory, '--log-file', ''];
  const config = readConfig([...flags, '--import-blockchain', '--dump-file', dump]);
  const importing = Daemon.create(config, { logger: silentLogger() });
  await importing.start();
  expect(await importing.finished).toBe(0);
  await importing.stop();
  pool = new ReaderPool({ directory: config.directory, network: 'devnet', threads: 2 });
});
/** Waits until no client of the previous test occupies a thread or a place in the queue. */
afterEach(async () => {
  while (pool.waiting > 0) await setImmediate();
});
afterAll(async () => {
  await pool.close();
  rmSync(directory, { recursive: true });
});

const staying = new AbortController().signal;
setMaxListeners(0, staying);
/** The controller of a client with many requests, which disconnects. */
function leaving(): AbortController {
  const left = new AbortController();
  setMaxListeners(0, left.signal);
  return left;
}

const settled = async (calls: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(calls)).map((one) =>
    one.status === 'fulfilled' ? 'answered' : (one.reason as Error).message,
  );

test('240 disconnected clients do not delay an honest sync', async () => {
  const left = leaving();
  const abandoned = settled(
    Array.from({ length: 240 }, () => pool.run('randomOuts', HEAVY, { client: '127.0.0.1', gone: left.signal })),
  );
  left.abort(new Error('left'));
  const honest = await pool.run('walletSyncData', SYNC, { client: '127.0.0.1', gone: staying });
  expect(honest.length).toBeGreaterThan(1000);
  expect(pool.waiting).toBe(0);
  // The running query was cancelled too, and released its thread.
  expect(new Set(await abandoned)).toEqual(new Set(['left']));
});

test('reserves a thread for short queries while there are long ones', async () => {
  const order: string[] = [];
  const left = leaving();
  const heavy = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((client) =>
    pool.run('randomOuts', HEAVY, { client, gone: left.signal }).then(() => order.push('heavy')),
  );
  for (let i = 0; i < 5; i++) {
    await pool.run('walletSyncData', SYNC, { client: '192.0.2.4', gone: staying });
    order.push('light');
  }
  expect(order.slice(0, 3)).toContain('light');
  expect(order.filter((kind) => kind === 'heavy').length).toBeLessThan(3);
  left.abort(new Error('left'));
  await settled(heavy);
});

test('serves addresses round-robin: one query does not wait for thirty of another address', async () => {
  const order: string[] = [];
  const request = async (client: string): Promise<unknown> => {
    await pool.run('walletSyncData', SYNC, { client, gone: staying });
    return order.push(client);
  };
  await Promise.all([...Array.from({ length: 30 }, () => request('192.0.2.1')), request('192.0.2.2')]);
  expect(order.indexOf('192.0.2.2')).toBeLessThan(10);
});

describe('an address has 32 slots, and further queries are refused as overload', () => {
  const BUSY = 'RPC server is busy, please retry shortly';
  const flood = async (clients: readonly string[]): Promise<number> => {
    const left = leaving();
    const calls = clients.map((client) => pool.run('randomOuts', HEAVY, { client, gone: left.signal }));
    left.abort(new Error('left'));
    return (await settled(calls)).filter((one) => one === BUSY).length;
  };

  test('for IPv4', async () => {
    // One runs, 32 are queued.
    expect(await flood(Array.from({ length: 40 }, () => '192.0.2.1'))).toBe(7);
  });

  test('for each /64 of IPv6', async () => {
    expect(await flood(Array.from({ length: 40 }, (_, i) => `2001:db8::${(i + 1).toString(16)}`))).toBe(7);
  });

  test('independently of other addresses', async () => {
    expect(await flood(Array.from({ length: 40 }, (_, i) => `192.0.2.${1 + (i % 2)}`))).toBe(0);
  });

  test.each(['127.0.0.1', '::1'])('except local programs, which share all 256 (%s)', async (client) => {
    expect(await flood(Array.from({ length: 258 }, () => client))).toBe(1);
  });
});

describe('over HTTP', () => {
  const LIMITS = { maxBlockCount: 1000, maxGlobalIndexRange: 5000 };

  async function withServer(queries: RpcContext['queries'], use: (port: number) => Promise<void>): Promise<void> {
    const context = { network: networkOf('devnet'), queries, now: () => 0, limits: LIMITS };
    const options = { ...RPC_DEFAULTS, bindIp: '127.0.0.1', port: 0, maxRpm: 0, trustProxy: true };
    const server = await startRpcServer(context as unknown as RpcContext, options, silentLogger());
    try {
      await use(server.port);
    } finally {
      await server.close();
    }
  }

  async function send(port: number, path: string, body: string, from = '192.0.2.1'): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: ${from}\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(head + body);
    return socket;
  }

  test.each([
    ['/getrandom_outs', '{"amounts":[1],"outs_count":1}'],
    ['/getwalletsyncdata', '{}'],
    ['/getrawblocks', '{}'],
    ['/get_global_indexes_for_range', '{"startHeight":0,"endHeight":1}'],
    ['/get_transactions_status', '{"transactionHashes":[]}'],
  ])('%s gives the readers the client address, and cancels when the client disconnects', async (path, body) => {
    const requested: { client: string; gone: AbortSignal }[] = [];
    let begun = (): void => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const run: RpcContext['queries']['run'] = (_name, _query, { client, gone }) => {
      requested.push({ client, gone });
      begun();
      return new Promise((_resolve, reject) => gone.addEventListener('abort', () => reject(gone.reason as Error)));
    };
    await withServer({ run }, async (port) => {
      const socket = await send(port, path, body);
      await running;
      const [call] = requested as [(typeof requested)[number]];
      expect([call.client, call.gone.aborted]).toEqual(['192.0.2.1', false]);
      const left = once(call.gone, 'abort');
      socket.resetAndDestroy();
      await left;
    });
  });

  test('240 requests of disconnected clients are dropped before an honest one is served', async () => {
    await withServer(pool, async (port) => {
      const body = `{"outs_count":60,"amounts":[${Array.from({ length: 1_000 }, () => '1000000').join()}]}`;
      const sockets: Socket[] = [];
      for (let i = 0; i < 240; i++) sockets.push(await send(port, '/getrandom_outs', body, `192.0.2.${i % 10}`));
      for (const socket of sockets) socket.destroy();
      const honest = await fetch(`http://127.0.0.1:${port}/getwalletsyncdata`, { method: 'POST', body: '{}' });
      expect(honest.status).toBe(200);
    });
  });

  test('overload is 503 with the documented text and Retry-After', async () => {
    await withServer(pool, async (port) => {
      const body = `{"outs_count":60,"amounts":[${Array.from({ length: 1_000 }, () => '1000000').join()}]}`;
      const headers = { 'X-Forwarded-For': '192.0.2.1' };
      const end = new AbortController();
      const responses = Array.from({ length: 40 }, () =>
        fetch(`http://127.0.0.1:${port}/getrandom_outs`, { method: 'POST', body, headers, signal: end.signal }),
      );
      const first = await Promise.any(
        responses.map(async (one) => ((await one).status === 503 ? one : Promise.reject(new Error()))),
      );
      expect(first.headers.get('retry-after')).toBe('1');
      expect(await first.json()).toEqual({ status: 'Failed', error: 'RPC server is busy, please retry shortly' });
      end.abort();
      await Promise.allSettled(responses);
    });
  });
});
