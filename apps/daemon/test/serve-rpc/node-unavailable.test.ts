import { once } from 'node:events';
import { createServer, request, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { daemonApi } from '@wrkz/api';
import { stopWallClock } from '@wrkz/testing';
import { newSuite } from '../network/daemons';
import { send } from '../rpc/support/recorded';
import { type RunningReader, startReader } from './support/reader';

stopWallClock();

/* A reader whose node is down, hangs, is a reader itself or aborts; and clients that disconnect. */

const { refusals } = daemonApi;
const suite = newSuite();
let dataDir: string;
let readers = 0;

beforeAll(async () => {
  const node = await suite.node();
  ({ dataDir } = node);
  await node.stop();
});
afterAll(() => suite.stopAll());

/** A reader whose node is this stand-in; by default no process listens on the node's socket. */
async function readerOf(
  node?: RequestListener,
  args: readonly string[] = [],
): Promise<RunningReader & { server?: Server }> {
  const socket = join(suite.folder(), `${String(readers++)}.sock`);
  let server: Server | undefined;
  if (node !== undefined) {
    server = createServer(node).listen(socket);
    await once(server, 'listening');
    const closing = server;
    suite.closeAtEnd({
      close: async () => {
        closing.closeAllConnections();
        closing.close();
        await once(closing, 'close');
      },
    });
  }
  const reader = suite.closeAtEnd(await startReader({ dataDir, socket, args }));
  return { ...reader, ...(server && { server }) };
}

const get = (url: string, path: string, headers: Record<string, string> = {}) =>
  send(url, { method: 'GET', path, body: null, requestHeaders: headers });

const failed = (error: string) => JSON.stringify({ status: 'Failed', error });

test('responds from the chain without the node, and 503 with a text for the rest', async () => {
  const { url } = await readerOf(undefined, ['--enable-health', '--enable-metrics']);
  const info = JSON.parse((await get(url, '/info')).text) as Record<string, unknown>;
  expect(info).toMatchObject({
    ...{ height: 1, network_height: 1, status: 'OK', tx_pool_size: 0 },
    ...{ incoming_connections_count: 0, outgoing_connections_count: 0, last_known_block_index: 0 },
  });
  for (const path of ['/peers', '/events']) {
    const { status, text, headers } = await get(url, path);
    expect([status, JSON.parse(text), headers['retry-after']]).toEqual([
      503,
      JSON.parse(failed(refusals.nodeAway.text)),
      '1',
    ]);
  }
  const body = '{"jsonrpc":"2.0","id":1,"method":"getblocktemplate","params":{}}';
  expect(await send(url, { method: 'POST', path: '/json_rpc', body })).toMatchObject({ status: 503 });
  expect((await get(url, '/health')).status).toBe(503);
  expect((await get(url, '/readyz')).status).toBe(503);
  expect((await get(url, '/livez')).status).toBe(200);
  expect((await get(url, '/metrics')).text).toMatch(/^wrkz_height 1$/m);
});

test('responds 503 after the timeout if the node hangs, then immediately to chain queries', async () => {
  let open = 0;
  const hang: RequestListener = (_request, response) => {
    open++;
    response.on('close', () => open--);
  };
  const { url } = await readerOf(hang, ['--node-timeout', '1']);
  const [reply, info] = await Promise.all([get(url, '/peers'), get(url, '/info')]);
  expect([reply.status, JSON.parse(reply.text)]).toEqual([503, JSON.parse(failed(refusals.nodeSilent.text))]);
  expect(info.status).toBe(200);
  // A response that waited for the node would come when the reader's request to the node has ended.
  do expect((await get(url, '/height')).status).toBe(200);
  while (open === 0);
});

test('/info has the heavier branch that the node reports', async () => {
  const alone = await readerOf();
  const info = JSON.parse((await get(alone.url, '/info')).text) as object;
  const branch = { height: 5, hash: '07'.repeat(32) };
  const { url } = await readerOf((_request, response) =>
    response.end(JSON.stringify({ ...info, heavier_branch: branch })),
  );
  expect(JSON.parse((await get(url, '/info')).text)).toMatchObject({ heavier_branch: branch });
});

test('aborts the response if the node aborts its own', async () => {
  const { url } = await readerOf((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.write('{"peers":[');
    setImmediate(() => response.destroy());
  });
  const reply = await fetch(`${url}/peers`);
  await expect(reply.text()).rejects.toThrow();
});

test('does not require the token of the node from clients', async () => {
  const { url } = await readerOf((_request, response) => response.writeHead(401).end('{}'));
  expect(await get(url, '/peers')).toMatchObject({
    status: 503,
    text: expect.stringContaining('cannot be reached') as string,
  });
});

test('aborts the forwarded request when the client disconnects', async () => {
  let reached!: () => void;
  let left!: () => void;
  const requested = new Promise<void>((resolve) => (reached = resolve));
  const ended = new Promise<void>((resolve) => (left = resolve));
  const { url } = await readerOf((incoming, response) => {
    if (incoming.url !== '/events?wait=60') return void response.writeHead(503).end();
    response.once('close', left);
    reached();
  });
  const outgoing = request(`${url}/events?wait=60`);
  outgoing.on('error', () => undefined);
  outgoing.end();
  await requested;
  outgoing.destroy();
  await ended;
});

test('forwards no client headers to the node, and none of its connection headers back', async () => {
  const { url } = await readerOf(
    (incoming, response) => {
      response.setHeader('Access-Control-Allow-Origin', 'https://node.example');
      response.setHeader('X-Request-Id', 'of-the-node');
      response.setHeader('RateLimit-Limit', '1');
      response.end(JSON.stringify(incoming.headers));
    },
    ['--rpc-access-token', 'of-the-reader', '--node-access-token', 'of-the-node', '--rpc-trust-proxy'],
  );
  const { text, headers } = await get(url, '/peers', {
    'X-API-Key': 'of-the-reader',
    Authorization: 'Bearer of-the-reader',
    'X-Forwarded-For': '127.0.0.1',
    Forwarded: 'for=127.0.0.1',
    'X-Real-IP': '127.0.0.1',
    Cookie: 'a=b',
    Accept: 'application/json',
  });
  expect(JSON.parse(text)).toEqual({
    accept: 'application/json',
    connection: 'close',
    'content-length': '0',
    host: 'localhost',
    'x-api-key': 'of-the-node',
    'x-wrkz-reader': '1',
  });
  expect(headers['access-control-allow-origin']).toBeUndefined();
  expect(headers['x-request-id']).not.toBe('of-the-node');
  expect(headers['ratelimit-limit']).toBeUndefined();
  expect((await get(url, '/peers')).status).toBe(401);
});

test('refuses another reader as its node', async () => {
  const socket = join(suite.folder(), 'reader.sock');
  const first = await readerOf(undefined, ['--rpc-ipc-path', socket]);
  const second = suite.closeAtEnd(await startReader({ dataDir, socket }));
  const { status, text } = await get(second.url, '/peers');
  expect([status, JSON.parse(text)]).toEqual([503, JSON.parse(failed(refusals.readerOfReader.text))]);
  expect(JSON.parse((await get(second.url, '/info')).text)).toMatchObject({ height: 1, tx_pool_size: 0 });
  expect((await get(first.url, '/info')).status).toBe(200);
});

test('applies backpressure to the node until the client reads', async () => {
  const all = 24 * 1024 * 1024;
  let written = 0;
  const { url } = await readerOf((incoming, response) => {
    if (incoming.url !== '/peers') return void response.writeHead(503).end();
    const part = Buffer.alloc(256 * 1024, 0x20);
    const more = (): void => {
      while (written < all) {
        written += part.length;
        if (!response.write(part)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  const outgoing = request(`${url}/peers`).end();
  const [result] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream];
  result.pause();
  // until nothing moves any more
  for (let before = -1; before !== written;) {
    before = written;
    await new Promise((later) => setTimeout(later, 100));
  }
  expect(written).toBeLessThan(all / 4);
  let taken = 0;
  for await (const part of result) taken += (part as Buffer).length;
  expect(taken).toBe(all);
});

test('applies limits in the reader, per address reported by its proxy', async () => {
  let passed = 0;
  const { url } = await readerOf(
    (incoming, response) => {
      if (incoming.url === '/peers') passed++;
      if (incoming.url?.startsWith('/events') !== true) return void response.end('{}');
    },
    ['--rpc-trust-proxy', '--rpc-max-rpm', '12'],
  );
  const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address });
  const statuses: number[] = [];
  for (let i = 0; i < 14; i++) statuses.push((await get(url, '/peers', from('192.0.2.1'))).status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  expect(passed).toBe(statuses.filter((status) => status === 200).length);
  const callers = Array.from({ length: 8 }, () => {
    const outgoing = request(`${url}/events?wait=60`, { headers: from('192.0.2.2') });
    outgoing.on('error', () => undefined);
    outgoing.end();
    return outgoing;
  });
  for (let status = 0; status !== 429;) {
    const gone = AbortSignal.timeout(200);
    const reply = await fetch(`${url}/events?wait=60`, { headers: from('192.0.2.2'), signal: gone }).catch(
      () => undefined,
    );
    status = reply?.status ?? 0;
  }
  expect((await get(url, '/peers', from('192.0.2.3'))).status).toBe(200);
  for (const outgoing of callers) outgoing.destroy();
});
