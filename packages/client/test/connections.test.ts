import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server as TcpServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { NodeClient, type NodeClientOptions } from '../src';
import { ELSEWHERE, LOOPBACK } from './support/certificates';

/* TLS, local sockets, invalid HTTP and event streams. */

const INFO = {
  ...{ height: 11, network_height: 13, difficulty: 10, status: 'OK' },
  ...{ incoming_connections_count: 3, outgoing_connections_count: 2 },
};
const open: { close(): unknown }[] = [];
const sockets = new Set<Duplex>();

function keep<T extends { close(): unknown }>(resource: T): T {
  open.push(resource);
  return resource;
}

afterEach(() => {
  for (const resource of open.splice(0).reverse()) resource.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

const infoHandler = (requests: IncomingMessage[] = []) => {
  return (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(request);
    response.end(JSON.stringify(INFO));
  };
};

async function listening<T extends TcpServer>(server: T, place: number | string = 0): Promise<T> {
  server.on('connection', (socket: Socket) => sockets.add(socket));
  if (typeof place === 'string') server.listen(place);
  else server.listen(place, '127.0.0.1');
  await once(server, 'listening');
  return keep(server);
}

const portOf = (server: TcpServer): number => (server.address() as AddressInfo).port;
/** Timeouts that a responding node never reaches, even on a busy machine. */
const LONG_TIMEOUTS = { connectMs: 300_000, silenceMs: 300_000, responseMs: 300_000 };
/** Timeouts for nodes that must time out. */
const SHORT_TIMEOUTS = { ...LONG_TIMEOUTS, silenceMs: 1_000, responseMs: 2_000 };

function client(server: TcpServer, options: NodeClientOptions & { ssl?: boolean; token?: string } = {}): NodeClient {
  const { ssl = false, token, ...rest } = options;
  return keep(
    new NodeClient({ host: '127.0.0.1', port: portOf(server), ssl, token }, { timeouts: LONG_TIMEOUTS, ...rest }),
  );
}

describe('TLS', () => {
  test('refuses an untrusted certificate before it sends a token, and accepts a configured one', async () => {
    const requests: IncomingMessage[] = [];
    const server = await listening(createHttps(LOOPBACK, infoHandler(requests)));
    const refused = client(server, { ssl: true, token: 'secret' });
    await expect(refused.info()).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/self-signed certificate/),
    });
    expect(requests).toEqual([]);
    const trusting = client(server, { ssl: true, token: 'secret', certificates: LOOPBACK.cert });
    expect(await trusting.info()).toMatchObject({ localHeight: 10 });
    expect(requests.map(({ headers }) => headers['x-api-key'])).toEqual(['secret']);
  });

  test('refuses a trusted certificate of another host', async () => {
    const requests: IncomingMessage[] = [];
    const server = await listening(createHttps(ELSEWHERE, infoHandler(requests)));
    const refused = client(server, { ssl: true, certificates: ELSEWHERE.cert });
    await expect(refused.info()).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/does not match certificate/),
    });
    expect(requests).toEqual([]);
  });

  test('fails when only one side uses TLS', async () => {
    const plain = await listening(createHttp(infoHandler()));
    await expect(client(plain, { ssl: true }).info()).rejects.toMatchObject({ kind: 'unreachable' });
    const secured = await listening(createHttps(LOOPBACK, infoHandler()));
    await expect(client(secured).info()).rejects.toMatchObject({ name: 'NodeFailure' });
  });

  test('receives events over TLS, but not with an untrusted certificate', async () => {
    const server = await listening(createHttps(LOOPBACK));
    const events = keep(new WebSocketServer({ server, path: '/ws' }));
    events.on('connection', (socket) => socket.send('{"topic":"hashblock","data":{}}'));
    const { signal } = new AbortController();
    expect(await client(server, { ssl: true }).tipStream(() => undefined, signal)).toBeUndefined();
    const trusting = client(server, { ssl: true, certificates: LOOPBACK.cert });
    let stream: Awaited<ReturnType<NodeClient['tipStream']>>;
    await new Promise<void>((resolve) => {
      void trusting.tipStream(resolve, signal).then((opened) => (stream = opened));
    });
    stream?.close();
    await stream?.ended;
  });
});

test('uses a socket of the abstract namespace, for events too', async () => {
  const name = `wrkz-client-${String(process.pid)}`;
  const requests: IncomingMessage[] = [];
  const server = await listening(createHttp(infoHandler(requests)), `\0${name}`);
  const events = keep(new WebSocketServer({ server, path: '/ws' }));
  for (const host of [`@${name}`, `ipc://@${name}`]) {
    const local = keep(new NodeClient({ host, port: 0, ssl: true, token: 'secret' }));
    expect(await local.info()).toMatchObject({ localHeight: 10 });
    const connected = once(events, 'connection') as Promise<[WebSocket, IncomingMessage]>;
    const stream = await local.tipStream(() => undefined, new AbortController().signal);
    expect((await connected)[1].headers['x-api-key']).toBe('secret');
    stream?.close();
    await stream?.ended;
  }
  expect(requests.map(({ headers }) => headers['x-api-key'])).toEqual(['secret', 'secret']);
});

/** A server that calls `write` at the first bytes of each connection, regardless of the request. */
function serverWriting(write: (socket: Socket) => void): Promise<TcpServer> {
  return listening(
    createTcp((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => write(socket));
    }),
  );
}

const head = (...lines: string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');
const text = JSON.stringify(INFO);

/** Writes pieces at an interval until the peer disconnects. */
function dripping(socket: Socket, piece: () => string | Buffer, milliseconds = 20): void {
  const drip = setInterval(() => socket.write(piece()), milliseconds);
  socket.once('close', () => clearInterval(drip));
}

const BROKEN: readonly [string, string, (socket: Socket) => void][] = [
  ['no HTTP', 'malformed', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
  [
    'an endless header line',
    'timeout',
    (socket) => (socket.write('HTTP/1.1 200 OK\r\nX-A: '), dripping(socket, () => 'a')),
  ],
  ['endless headers', 'malformed', (socket) => dripping(socket, () => `X-${'a'.repeat(999)}: b\r\n`, 1)],
  ['a slow body', 'timeout', (socket) => (socket.write(head('Content-Length: 60000')), dripping(socket, () => ' '))],
  [
    'an incomplete body without further bytes',
    'timeout',
    (socket) => socket.write(head('Content-Length: 500') + text.slice(0, 9)),
  ],
  ['a body that is shorter than its length', 'unreachable', (socket) => socket.end(head('Content-Length: 500') + text)],
  ['two lengths', 'malformed', (socket) => socket.end(head('Content-Length: 5', 'Content-Length: 500') + text)],
  [
    'a chunk with an invalid size',
    'malformed',
    (socket) => socket.end(head('Transfer-Encoding: chunked') + 'zz\r\n' + text),
  ],
  [
    'endless chunks',
    'tooLarge',
    (socket) => {
      socket.write(head('Transfer-Encoding: chunked'));
      dripping(socket, () => `2000\r\n${' '.repeat(0x2000)}\r\n`, 1);
    },
  ],
  [
    'a length above the limit',
    'tooLarge',
    (socket) => {
      socket.write(head('Content-Length: 1000000000'));
      dripping(socket, () => ' '.repeat(9_999), 1);
    },
  ],
  [
    'invalid gzip',
    'malformed',
    (socket) => socket.end(head('Content-Encoding: gzip', `Content-Length: ${String(text.length)}`) + text),
  ],
  [
    'an encoding that was not requested',
    'malformed',
    (socket) => socket.end(head('Content-Encoding: compress', 'Content-Length: 3') + 'abc'),
  ],
  ['a closed connection without a response', 'unreachable', (socket) => socket.end()],
];

test.each(BROKEN)('%s: %s', async (_name, kind, write) => {
  const timeouts = kind === 'timeout' ? SHORT_TIMEOUTS : LONG_TIMEOUTS;
  const failure: unknown = await client(await serverWriting(write), { timeouts })
    .info()
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'NodeFailure', kind });
  // eslint-disable-next-line no-control-regex -- these must not come out of a node
  expect((failure as Error).message).not.toMatch(/[\u0000-\u001f]/);
});

const RESPONSES: readonly [string, string, (response: ServerResponse) => void][] = [
  ['204', 'failed', (response) => response.writeHead(204).end()],
  ['205 with a body', 'failed', (response) => response.writeHead(205).end(text)],
  ['206', 'failed', (response) => response.writeHead(206).end(text)],
  ['300', 'failed', (response) => response.writeHead(300).end(text)],
  ['307', 'failed', (response) => response.writeHead(307, { Location: '/info2' }).end()],
  ['an empty 200', 'malformed', (response) => response.writeHead(200).end()],
  ['HTML', 'malformed', (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html>')],
  ['a list', 'malformed', (response) => response.end('[]')],
  ['deep nesting', 'malformed', (response) => response.end('['.repeat(30_000) + ']'.repeat(30_000))],
  ['many values', 'malformed', (response) => response.end(`[${'0,'.repeat(30_000)}0]`)],
  ['a number of 60,000 digits', 'malformed', (response) => response.end(`{"height":1${'0'.repeat(60_000)}}`)],
  ['invalid UTF-8', 'malformed', (response) => response.end(Buffer.from([0xff, 0xfe, 0x00]))],
  ['fields of __proto__', 'malformed', (response) => response.end('{"__proto__":{"height":1,"status":"OK"}}')],
];

test.each(RESPONSES)('the response %s fails as %s without another request', async (_name, kind, write) => {
  const requests: string[] = [];
  const server = await listening(
    createHttp((request, response) => {
      requests.push(request.url ?? '');
      write(response);
    }),
  );
  await expect(client(server).info()).rejects.toMatchObject({ name: 'NodeFailure', kind });
  expect(requests).toEqual(['/info']);
});

test('does not follow a redirection to another port, and sends it no token', async () => {
  const stolen: IncomingMessage[] = [];
  const thief = await listening(createHttp(infoHandler(stolen)));
  const server = await listening(
    createHttp((_request, response) =>
      response.writeHead(302, { Location: `http://127.0.0.1:${String(portOf(thief))}/info` }).end(),
    ),
  );
  await expect(client(server, { token: 'secret' }).info()).rejects.toMatchObject({ kind: 'failed' });
  await expect(client(server).tipStream(() => undefined, new AbortController().signal)).resolves.toBeUndefined();
  expect(stolen).toEqual([]);
});

describe('a stream of events', () => {
  async function eventsOf(onConnection: (socket: WebSocket) => void): Promise<TcpServer> {
    const server = await listening(createHttp());
    keep(new WebSocketServer({ server, path: '/ws' })).on('connection', onConnection);
    return server;
  }

  test('reports blocks, ignores other messages, and ends when it is closed', async () => {
    const server = await eventsOf((socket) => {
      for (const message of ['{', '[]', 'null', '{"topic":7}', '{"topic":"hashtx"}', '{"topic":{"toString":1}}']) {
        socket.send(message);
      }
      socket.send(Buffer.from([0xff, 0x00]));
      socket.send('{"topic":"hashblock"}');
      socket.send('{"topic":"chainswitch"}');
    });
    let tips = 0;
    const afterTwoTips = new Promise<Awaited<ReturnType<NodeClient['tipStream']>>>((resolve) => {
      const opened = client(server).tipStream(() => ++tips === 2 && resolve(opened), new AbortController().signal);
    });
    const stream = await afterTwoTips;
    expect(tips).toBe(2);
    stream?.close();
    await stream?.ended;
  });

  test('throttles a flood of messages', async () => {
    const SENT = 5_000;
    let left = SENT;
    const server = await eventsOf((socket) => {
      const more = (): void => {
        for (let i = 0; i < 100 && left > 0; i++, left--) socket.send('{"topic":"hashblock"}');
        if (left > 0) setImmediate(more);
        else socket.close();
      };
      more();
    });
    let tips = 0;
    const stream = await client(server).tipStream(() => tips++, new AbortController().signal);
    await stream?.ended;
    expect(left).toBe(0);
    expect(tips).toBeGreaterThan(0);
    expect(tips).toBeLessThan(SENT / 10);
  });

  test('closes a stream that sends only topics that were not subscribed', async () => {
    const server = await eventsOf((socket) => {
      for (let i = 0; i < 2_000; i++) socket.send(`{"topic":"hashtx","data":${'0'.repeat(i % 7)}}`);
    });
    const stream = await client(server).tipStream(() => undefined, new AbortController().signal);
    await stream?.ended;
  });

  test('closes the stream after an oversized or masked message', async () => {
    for (const send of [
      (socket: WebSocket) => socket.send(Buffer.alloc(2 * 1024 * 1024)),
      (socket: WebSocket) => socket.send('x', { mask: true }),
    ]) {
      const stream = await client(await eventsOf(send)).tipStream(() => undefined, new AbortController().signal);
      await stream?.ended;
    }
  });

  test('fails when the handshake is refused, invalid or not responded to', async () => {
    const wrong = await listening(createHttp((_request, response) => response.writeHead(401).end()));
    const incomplete = await serverWriting((socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
    );
    const silent = await serverWriting(() => undefined);
    for (const server of [wrong, incomplete, silent]) {
      const nodeClient = client(server, { timeouts: { ...LONG_TIMEOUTS, connectMs: 300 } });
      expect(await nodeClient.tipStream(() => undefined, new AbortController().signal)).toBeUndefined();
    }
  });

  test('closes the connection when the caller aborts', async () => {
    const server = await eventsOf(() => undefined);
    const controller = new AbortController();
    const stream = await client(server).tipStream(() => undefined, controller.signal);
    controller.abort();
    await stream?.ended;
    await expect(client(server).tipStream(() => undefined, controller.signal)).rejects.toThrow();
  });
});

test('requests of a closed client fail, running ones too, and are not repeated', async () => {
  const requests: IncomingMessage[] = [];
  const silent = client(
    await listening(
      createHttp((request, response) => {
        requests.push(request);
        // The second request uses the connection of the first one.
        if (requests.length === 1) response.end(JSON.stringify(INFO));
        else silent.close();
      }),
    ),
  );
  await silent.info();
  for (let i = 0; i < 2; i++) await expect(silent.info()).rejects.toMatchObject({ kind: 'unreachable' });
  expect(requests).toHaveLength(2);
});

test('repeats a request on a new connection when the node closed the old one', async () => {
  let responses = 0;
  const server = await listening(createHttp(infoHandler()));
  server.on('request', (_request, response: ServerResponse) => {
    responses++;
    response.on('finish', () => response.socket?.destroySoon());
  });
  const nodeClient = client(server);
  for (let i = 0; i < 5; i++) expect(await nodeClient.info()).toMatchObject({ localHeight: 10 });
  expect(responses).toBe(5);
});
