import { once } from 'node:events';
import { connect } from 'node:net';
import { createMemoryLogger, type HttpServer } from '@wrkz/service-kit';
import { WebSocketHub, webSocketRoute } from '../../src/events/websocket/hub';
import { startRpcServer } from '../../src/rpc';
import { RPC_DEFAULTS } from '../rpc/support/defaults';
import { node } from '../rpc/support/provocations';

/* Hostile input to /ws. */

let hub: WebSocketHub;
let server: HttpServer;

beforeEach(async () => {
  hub = new WebSocketHub(
    { maxClients: 64, maxClientsPerAddress: 0 },
    {
      topics: () => () => undefined,
      tip: () => ({ height: 7, hash: Buffer.alloc(32) }),
    },
  );
  const upgrade = (guard: Parameters<WebSocketHub['listener']>[0]) => hub.listener(guard);
  const options = { ...RPC_DEFAULTS, bindIp: '127.0.0.1', port: 0, maxRpm: 0, upgrade, moreRoutes: [webSocketRoute] };
  server = await startRpcServer(node(), options, createMemoryLogger());
});
afterEach(async () => {
  await hub.close();
  await server.close();
});

const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

function request(target: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = {
    Host: '127.0.0.1',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': KEY,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** A frame of a client, masked with zeros. `length` is its declared length. */
function frame(first: number, payload: Buffer | string, length = Buffer.byteLength(payload)): Buffer {
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = first;
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(4), Buffer.from(payload)]);
}

/** All bytes until the server closes the connection; `frames` are sent after the upgrade. */
async function talk(text: string, frames: readonly Buffer[] = []): Promise<Buffer> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => {
    if (parts.push(part) === 1) for (const bytes of frames) socket.write(bytes);
  });
  socket.write(text);
  await once(socket, 'close');
  return Buffer.concat(parts);
}

/** The code of the close frame at the end. */
function closeCode(bytes: Buffer): number {
  return bytes.readUInt16BE(bytes.lastIndexOf(0x88) + 2);
}

test.each([
  '//[',
  'http://[',
  '//x:99999/ws',
  '*',
  '//x/ws',
  '/./ws',
  '/a/../ws',
  '/%77s',
  '/ws/',
  '/WS',
  'ftp://x/ws',
])('the target %s is an unknown path: 404, also without an upgrade', async (target) => {
  expect(String(await talk(request(target)))).toMatch(/^HTTP\/1\.1 404 [^]*Content-Length: 0\r\n[^]*\r\n\r\n$/);
  expect(hub.size).toBe(0);
});

test.each(['/ws', '/ws?topics=hashblock&topics=nothing', '/ws#x', 'http://127.0.0.1/ws?topics=', '/ws?a=%'])(
  'accepts the target %s',
  async (target) => {
    const reply = await talk(request(target), [frame(0x88, '')]);
    expect(String(reply)).toMatch(/^HTTP\/1\.1 101 /);
    expect(String(reply)).toContain('{"topic":"hello","data":{"height":7,');
  },
);

test('an unknown topic is not echoed in full', async () => {
  const response = String(await talk(request(`/ws?topics=${'x'.repeat(10_000)}`)));
  expect(response).toMatch(/^HTTP\/1\.1 400 /);
  expect(response.split('\r\n\r\n')[1]?.length).toBeLessThan(400);
});

test.each<[string, Record<string, string>]>([
  ['an invalid key', { 'Sec-WebSocket-Key': 'x' }],
  ['no key', { 'Sec-WebSocket-Key': '' }],
  ['protocols that are none', { 'Sec-WebSocket-Protocol': 'a,,b' }],
])('%s is refused with an error response and its id', async (_name, headers) => {
  const reply = String(await talk(request('/ws', headers)));
  expect(reply).toMatch(/^HTTP\/1\.1 400 [^]*\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
  expect(JSON.parse(reply.split('\r\n\r\n')[1] ?? '')).toMatchObject({ status: 'Failed', error: expect.any(String) });
});

test.each<[string, readonly Buffer[], number]>([
  ['text that is no UTF-8', [frame(0x81, Buffer.from([0xff, 0xfe]))], 1007],
  ['a compressed message, which nobody agreed on', [frame(0xc1, 'x')], 1002],
  ['a length of a terabyte', [frame(0x82, 'x', 2 ** 40)], 1009],
  ['a continuation of nothing', [frame(0x80, 'x')], 1002],
  ['an unknown operation', [frame(0x85, 'x')], 1002],
  ['a ping in pieces', [frame(0x09, 'x')], 1002],
  ['a ping of 126 bytes', [frame(0x89, 'x'.repeat(126))], 1002],
  ['a message in more pieces than it may have bytes', pieces(5_000, 'x'), 1009],
  ['empty pieces without end', pieces(300_000, ''), 1008],
])('%s closes the connection', async (_name, frames, code) => {
  const reply = await talk(request('/ws', { 'Sec-WebSocket-Extensions': 'permessage-deflate' }), frames);
  expect(String(reply)).not.toContain('permessage-deflate');
  expect(closeCode(reply)).toBe(code);
});

function pieces(count: number, payload: string): Buffer[] {
  return [frame(0x01, payload), Buffer.concat(Array.from({ length: count }, () => frame(0x00, payload)))];
}

test('closes a client that sends pings and reads nothing before the pongs accumulate', async () => {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(request('/ws'));
  await once(socket, 'data');
  socket.pause();
  const pings = Buffer.concat(Array.from({ length: 500 }, () => frame(0x89, 'x'.repeat(125))));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const flood = (): void => {
    while (!socket.destroyed && socket.write(pings));
    if (!socket.destroyed) socket.once('drain', flood);
  };
  flood();
  await closed;
  expect(socket.bytesWritten).toBeLessThan(64 * 1024 * 1024);
});
