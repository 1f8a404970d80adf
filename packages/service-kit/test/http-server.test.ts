import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { clientAddressOf, createMemoryLogger, startHttpServer } from '../src';
import { call, closeAll, serve } from './support/http-client';

afterEach(closeAll);

const ok = (_request: unknown, response: { end(text: string): unknown }) => void response.end('ok');

async function rawConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function closed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.resume();
  await once(socket, 'close');
  return text;
}

describe('listening', () => {
  test('a port in use is a clear error and leaves no listener', async () => {
    const first = await serve(ok);
    const free = await serve(ok);
    const { port } = free;
    await free.close();
    const logger = createMemoryLogger();
    const listen = [
      { host: '127.0.0.1', port },
      { host: '127.0.0.1', port: first.port, portOption: 'rpc-bind-port' },
    ];
    await expect(startHttpServer({ app: ok, listen, logger })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${first.port}: the address is already in use. Choose another with --rpc-bind-port`,
    );
    await expect(call(port, '/')).rejects.toThrow('ECONNREFUSED');
  });

  test('a second listener shares the port number; its failure is a warning', async () => {
    const logger = createMemoryLogger();
    const listen = (host: string) => [
      { host: '127.0.0.1', port: 0 },
      { host, port: 0, required: false },
    ];
    const both = await serve(ok, { listen: listen('127.0.0.2'), logger });
    expect(both.addresses.map(({ port }) => port)).toEqual([both.port, both.port]);
    expect((await call(both.port, '/', { host: '127.0.0.2' })).text).toBe('ok');
    expect(logger.lines).toEqual([]);
    const one = await serve(ok, { listen: listen('2001:db8::1'), logger });
    expect(one.addresses).toHaveLength(1);
    expect(logger.linesOf('warning')[0]).toContain('cannot listen on [2001:db8::1]:');
    expect((await call(one.port, '/')).text).toBe('ok');
  });
});

describe('listening on ::', () => {
  test('alone also accepts IPv4; with an IPv4 listener both share the port', async () => {
    const both = await serve(ok, { listen: [{ host: '::', port: 0 }] });
    for (const host of ['127.0.0.1', '::1']) expect((await call(both.port, '/', { host })).text).toBe('ok');
    const listen = [
      { host: '127.0.0.1', port: 0 },
      { host: '::', port: 0 },
    ];
    const pair = await serve(ok, { listen });
    expect(pair.addresses.map(({ port }) => port)).toEqual([pair.port, pair.port]);
    for (const host of ['127.0.0.1', '::1']) expect((await call(pair.port, '/', { host })).text).toBe('ok');
  });

  test('an IPv4 client of it has an IPv4 address', async () => {
    const app = (incoming: IncomingMessage, response: ServerResponse): void => {
      response.end(clientAddressOf(incoming));
    };
    const { port } = await serve(app, { listen: [{ host: '::', port: 0 }] });
    expect((await call(port, '/')).text).toBe('127.0.0.1');
  });
});

describe('clients that neither read nor close', () => {
  /** A client that never closes its half of the connection. */
  async function stubborn(port: number, text: string): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.pause();
    if (text !== '') socket.write(text);
    return socket;
  }

  const KINDS = ['', 'nonsense\r\n\r\n', 'GET / HT', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na'];
  const twenty = (port: number): Promise<Socket[]> =>
    Promise.all(Array.from({ length: 20 }, (_, i) => stubborn(port, KINDS[i % KINDS.length] ?? '')));

  test('lose their slots: a full service serves again', async () => {
    const server = await serve(ok, { limits: { maxConnections: 20, readTimeoutMs: 500 } });
    const [listener] = server.servers;
    let left = 20;
    const free = new Promise<void>((resolve) => {
      listener?.on('connection', (socket) => socket.once('close', () => --left === 0 && resolve()));
    });
    const clients = await twenty(server.port);
    await free;
    expect((await call(server.port, '/')).text).toBe('ok');
    clients.forEach((client) => client.destroy());
  });

  test.each([
    ['lose', 'complete', '/big', 200],
    ['keep', 'not complete yet', '/stream', 503],
  ])('%s their slots while a response waits for them that is %s', async (_what, _response, path, status) => {
    let held = 0;
    const { promise: full, resolve } = withResolvers<void>();
    const app = (incoming: IncomingMessage, response: ServerResponse): void => {
      if (incoming.url === '/') return void response.end('ok');
      response.write(Buffer.alloc(16 * 1024 * 1024));
      if (incoming.url === '/big') response.end();
      if (++held === 4) resolve();
    };
    const server = await serve(app, { limits: { maxConnections: 4, writeTimeoutMs: 3_600_000 } });
    const clients = await Promise.all(
      Array.from({ length: 4 }, () => stubborn(server.port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)),
    );
    await full;
    expect((await call(server.port, '/')).status).toBe(status);
    clients.forEach((client) => client.destroy());
  });

  test('do not delay a stop', async () => {
    const app = (incoming: IncomingMessage, response: ServerResponse): void => {
      incoming.resume().once('end', () => response.end('ok'));
    };
    const server = await serve(app, { limits: { readTimeoutMs: 3_600_000 } });
    let taken = 0;
    const all = new Promise<void>((resolve) => {
      server.servers[0]?.on('connection', () => ++taken === 20 && resolve());
    });
    const clients = await twenty(server.port);
    await all;
    await server.close(3_600_000);
    clients.forEach((client) => client.destroy());
  });
});

test('the address of a client is available after it has reset the connection', async () => {
  const { promise: seen, resolve } = withResolvers<string>();
  const { port } = await serve((incoming) => {
    incoming.socket.once('close', () => resolve(clientAddressOf(incoming)));
    socket.resetAndDestroy();
  });
  const socket = await rawConnection(port);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await seen).toBe('127.0.0.1');
});

describe('graceful close', () => {
  test('closes idle connections at once, finishes running requests, and refuses new connections', async () => {
    let finish = (): void => undefined;
    const { promise: running, resolve: begun } = withResolvers<void>();
    const server = await serve((incoming, response) => {
      if (incoming.url !== '/slow') return void response.end('ok');
      finish = () => response.end('done');
      begun();
    });
    const agent = new Agent({ keepAlive: true });
    await call(server.port, '/', { agent });
    const slow = call(server.port, '/slow', { agent: new Agent({ keepAlive: true }) });
    await running;
    // The close ends long before this deadline.
    const closing = server.close(3_600_000);
    await expect(call(server.port, '/')).rejects.toThrow('ECONNREFUSED');
    finish();
    const reply = await slow;
    expect(reply).toMatchObject({ status: 200, text: 'done' });
    expect(reply.headers.connection).toBe('close');
    await closing;
    agent.destroy();
  });

  test('after the deadline open connections are closed', async () => {
    const { promise: running, resolve: begun } = withResolvers<void>();
    const server = await serve(() => begun());
    const hanging = expect(call(server.port, '/')).rejects.toThrow();
    await running;
    await server.close(100);
    await hanging;
  });
});

describe('limits', () => {
  test('a request that does not arrive in time gets a 408', async () => {
    const { port } = await serve(ok, { limits: { readTimeoutMs: 300 } });
    const socket = await rawConnection(port);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');
    const silent = await rawConnection(port);
    silent.write('GET / HT');
    expect(await closed(silent)).toMatch(/^HTTP\/1\.1 408/);
    await closed(socket);
  });

  test('a response that is not read ends the connection; a slow handler does not', async () => {
    const { promise: ended, resolve } = withResolvers<void>();
    const server = await serve(
      (incoming, response) => {
        if (incoming.url === '/think') return void setTimeout(() => response.end('thought'), 600);
        response.on('close', () => resolve());
        response.end(Buffer.alloc(64 * 1024 * 1024));
      },
      { limits: { writeTimeoutMs: 200 } },
    );
    expect((await call(server.port, '/think')).text).toBe('thought');
    const socket = await rawConnection(server.port);
    socket.pause();
    socket.write('GET /big HTTP/1.1\r\nHost: x\r\n\r\n');
    await ended;
    socket.destroy();
  });

  test('connections above the limit are dropped', async () => {
    const { port } = await serve(ok, { limits: { maxConnections: 1 } });
    const held = await rawConnection(port);
    await closed(await rawConnection(port));
    held.destroy();
  });

  test('an idle connection stays open for longer than C++ wallets wait between requests', async () => {
    const { port } = await serve(ok);
    const agent = new Agent({ keepAlive: true });
    expect((await call(port, '/', { agent })).headers['keep-alive']).toBe('timeout=30, max=1000');
    agent.destroy();
  });

  test('a connection accepts no more requests than allowed', async () => {
    const { port } = await serve(ok, { limits: { maxRequestsPerConnection: 2 } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers: (string | undefined)[] = [];
    for (let i = 0; i < 2; i++) headers.push((await call(port, '/', { agent })).headers.connection);
    expect(headers).toEqual(['keep-alive', 'close']);
    agent.destroy();
  });

  test.each([
    ['nonsense\r\n\r\n', '400'],
    [`GET / HTTP/1.1\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`, '431'],
  ])('rejects data that is not HTTP', async (text, status) => {
    const { port } = await serve(ok);
    const socket = await rawConnection(port);
    socket.write(text);
    expect(await closed(socket)).toContain(`HTTP/1.1 ${status}`);
  });

  test('a client that disconnects during a request does not affect others', async () => {
    const { port } = await serve(ok);
    const sent = request({ host: '127.0.0.1', port, method: 'POST', headers: { 'content-length': 100 } });
    sent.on('error', () => undefined);
    sent.write('x');
    await once(sent, 'socket');
    sent.destroy();
    expect((await call(port, '/')).text).toBe('ok');
  });
});

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

describe('pipelined requests', () => {
  const five = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5);

  test('are handled one at a time, with responses in order', async () => {
    let [at, most, count] = [0, 0, 0];
    const { port } = await serve((_request, response) => {
      at += 1;
      most = Math.max(most, at);
      count += 1;
      const text = String(count);
      setTimeout(() => {
        at -= 1;
        response.end(text);
      }, 5);
    });
    const socket = await rawConnection(port);
    socket.write(five.replace(/\r\n\r\n$/, '\r\nConnection: close\r\n\r\n'));
    const text = await closed(socket);
    expect(
      text
        .split('\r\n\r\n')
        .slice(1)
        .map((part) => part[0]),
    ).toEqual(['1', '2', '3', '4', '5']);
    expect([most, count]).toEqual([1, 5]);
  });

  test('are limited: a client that sends more is disconnected', async () => {
    let count = 0;
    const { port } = await serve(() => void count++);
    const socket = await rawConnection(port);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
    expect(await closed(socket)).toBe('');
    expect(count).toBe(1);
  });

  test('are also limited if the connection has reached its maximum of requests', async () => {
    const { port } = await serve(() => undefined, { limits: { maxRequestsPerConnection: 2 } });
    const socket = await rawConnection(port);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100));
    expect(await closed(socket)).toBe('');
  });

  test('are dropped with their connection', async () => {
    let count = 0;
    const begun: (() => void)[] = [];
    const { port } = await serve((request) => {
      count += 1;
      begun.splice(0).forEach((report) => report());
      request.socket.once('close', () => begun.splice(0).forEach((report) => report()));
    });
    const first = new Promise<void>((resolve) => begun.push(resolve));
    const socket = await rawConnection(port);
    // The first request has its response; the server still reads from the connection.
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(4));
    await first;
    const gone = new Promise<void>((resolve) => begun.push(resolve));
    socket.destroy();
    await gone;
    await new Promise((resolve) => setImmediate(resolve));
    expect(count).toBe(1);
  });
});

test('a connection over the limit of its address gets a response and is closed', async () => {
  const limits = { maxConnectionsPerAddress: 1, overCapBody: '{"error":"too many"}' };
  const address = { host: '127.0.0.2', port: 0 };
  const { port, servers } = await serve(ok, { listen: [address], limits });
  // Loopback is exempt, so the clients get other addresses.
  const arrive = (): Promise<string> => {
    const [server] = servers;
    return new Promise((resolve) => {
      let reply = '';
      const caller = new Duplex({
        read: () => undefined,
        write: (chunk, _encoding, done) => done(void (reply += chunk)),
      });
      const socket = Object.assign(caller, {
        remoteAddress: '192.0.2.1',
        destroySoon: () => caller.end(() => resolve(reply)),
      });
      server?.emit('connection', socket);
    });
  };
  void arrive();
  expect(await arrive()).toMatch(
    /^HTTP\/1\.1 429 Too Many Requests\r\nX-Request-Id: \S+\r\nContent-Type: application\/json\r\nConnection: close\r\nContent-Length: 20\r\n\r\n\{"error":"too many"\}$/,
  );
  expect((await call(port, '/', { host: '127.0.0.2' })).text).toBe('ok');
});
