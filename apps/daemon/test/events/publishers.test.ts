import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { chainAWallet, type SuiteNode } from '@wrkz/testing';
import { WebSocket } from 'ws';
import { Subscriber as ZmqSubscriber } from 'zeromq';
import { newSuite } from '../network/daemons';
import { exercises } from '../support/exercises';

exercises('zmq-pub', 'enable-websocket', 'ws-max-clients');

const suite = newSuite();
const { address } = chainAWallet('alice');
let node: SuiteNode;
let socketFile: string;

beforeAll(async () => {
  socketFile = join(suite.folder(), 'zmq.sock');
  const zmq = ['--no-zmq=false', '--zmq-pub', `ipc://${socketFile}`];
  node = await suite.node({ args: [...zmq, '--enable-websocket', '--ws-max-clients', '3'] });
});

afterAll(() => suite.stopAll());

const streams = new Set<Stream>();

afterEach(async () => {
  for (const { socket } of streams) socket.close();
  await Promise.all([...streams].map(({ closed }) => closed));
  streams.clear();
});

/** The messages of a client in order, without heartbeats. */
class Stream {
  private readonly messages: string[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;

  constructor(readonly socket: WebSocket) {
    streams.add(this);
    socket.on('message', (data: Buffer) => {
      if (data.toString() !== '{"topic":"heartbeat","data":{}}') this.messages.push(data.toString());
    });
    this.closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  }

  async next(): Promise<string> {
    for (;;) {
      const message = this.messages.shift();
      if (message !== undefined) return message;
      await once(this.socket, 'message');
    }
  }
}

const open = (query = '', headers: Record<string, string> = {}): Stream =>
  new Stream(new WebSocket(`${node.url.replace('http', 'ws')}/ws${query}`, { headers }));

/** The status with which an upgrade is refused. */
async function refused(query: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  const socket = new WebSocket(`${node.url.replace('http', 'ws')}/ws${query}`, { headers });
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, import('node:http').IncomingMessage];
  let body = '';
  for await (const part of response) body += String(part);
  return { status: response.statusCode ?? 0, body };
}

test('a ZMQ subscriber and a WebSocket client read the same bodies, in the order of the commits', async () => {
  const subscriber = new ZmqSubscriber();
  subscriber.connect(`ipc://${socketFile}`);
  subscriber.subscribe('hashblock', 'chain_main');
  const stream = open('?topics=hashblock, chain_main,,');
  const hello = JSON.parse(await stream.next());
  expect(hello).toEqual({
    topic: 'hello',
    data: { height: 0, hash: node.tip, topics: ['hashblock', 'chain_main', 'hashblock_alt'] },
  });
  const hashes = await node.generate(address, 3);
  const read: string[] = [];
  for (let height = 1; height <= 3; height++) {
    const hash = hashes[height - 1] ?? '';
    const first = await stream.next();
    expect(first).toBe(`{"topic":"hashblock","data":{"height":${String(height)},"hash":"${hash}"}}`);
    const second = await stream.next();
    expect(second).toMatch(
      new RegExp(
        `^\\{"topic":"chain_main","data":\\{"height":${String(height)},"hash":"${hash}","transaction_hashes":\\["[0-9a-f]{64}"\\]\\}\\}$`,
      ),
    );
    read.push(first, second);
  }
  // A subscription may become effective after the first message; the later messages are equal, byte for byte.
  const [last = ''] = await node.generate(address, 1);
  const frames: string[] = [];
  for await (const [topic, body] of subscriber) {
    frames.push(`{"topic":"${String(topic)}","data":${String(body)}}`);
    if (String(topic) === 'chain_main' && String(body).includes(last)) break;
  }
  const stream4 = [await stream.next(), await stream.next()];
  expect([...read, ...stream4].slice(-frames.length)).toEqual(frames);
  expect(frames.length).toBeGreaterThanOrEqual(2);
  expect(statSync(socketFile).mode & 0o777).toBe(0o600);
  subscriber.close();
});

test('refuses connections before the upgrade, in a fixed order', async () => {
  const plain = await fetch(`${node.url}/ws`);
  expect([plain.status, plain.headers.get('sec-websocket-version')]).toEqual([426, '13']);
  await plain.text();
  expect(await refused('?topics=hashblok')).toMatchObject({
    status: 400,
    body: expect.stringContaining("no topic starts with 'hashblok'; the topics are hashblock, chain_main"),
  });
  const many = Array.from({ length: 17 }, () => 'txpool').join(',');
  expect(await refused(`?topics=${many}`)).toMatchObject({
    status: 400,
    body: expect.stringContaining('at most 16 topics'),
  });
  expect((await refused('', { Origin: 'http://example.org' })).status).toBe(403);
  expect((await refused('?topics=nothing', { Origin: 'http://example.org' })).status).toBe(403);

  for (const stream of [open(), open(), open()]) await stream.next();
  expect((await refused('')).status).toBe(503);
});

test('reads and ignores messages of clients; too much data closes the connection', async () => {
  const stream = open();
  await stream.next();
  stream.socket.send('x'.repeat(4096));
  stream.socket.ping();
  await once(stream.socket, 'pong');
  stream.socket.send('x'.repeat(4097));
  expect(await stream.closed).toMatchObject({ code: 1009 });
});

test('a stop closes WebSocket connections with a close frame, and removes the socket file', async () => {
  const stream = open();
  await stream.next();
  await node.stop();
  expect(await stream.closed).toEqual({ code: 1001, reason: 'node stopping' });
  expect(statSync(socketFile, { throwIfNoEntry: false })).toBeUndefined();
});
