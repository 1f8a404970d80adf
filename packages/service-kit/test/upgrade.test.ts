import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { clientAddressOf, createHttpApp, createMemoryLogger, HttpError, rawBody, type HttpAppOptions } from '../src';
import { closeAll, raw, rules, serve } from './support/http-client';
import { bindRoutes } from '../src/http/routes/bind';

afterEach(closeAll);

/** A server that sends an accepted client its address, and closes. */
async function listening(options: Partial<HttpAppOptions> = {}): Promise<number> {
  const app = createHttpApp({
    logger: createMemoryLogger(),
    refusalBody: ({ code }) => ({ code }),
    bodyLimit: 1000,
    routes: bindRoutes([raw('POST', '/ws', (incoming, response) => response.end(rawBody(incoming)))], undefined, rules),
    ...options,
  });
  const { upgrades } = app;
  const { port } = await serve(app, {
    upgrade: (request, socket) => {
      void upgrades.admit(request).then(
        () => socket.end(`in as ${clientAddressOf(request)}`),
        (error: unknown) => upgrades.refuse(request, socket, error),
      );
    },
  });
  return port;
}

async function talk(port: number, text: string): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  let reply = '';
  socket.on('data', (chunk: Buffer) => (reply += chunk.toString('latin1')));
  socket.write(text);
  await once(socket, 'close');
  return reply;
}

const request = (headers: Record<string, string> = {}, method = 'GET'): string => {
  const all = {
    Host: '127.0.0.1',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    ...headers,
  };
  return `${method} /ws HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
};

test('a valid upgrade is accepted', async () => {
  expect(await talk(await listening(), request())).toBe('in as 127.0.0.1');
});

describe('rejected upgrades get responses', () => {
  const preflight = () => ({ status: 200, headers: {} });

  test.each<[string, Partial<HttpAppOptions>, Record<string, string>, number, string]>([
    ['without the key', { apiKey: { key: 'k' } }, {}, 401, 'unauthorized'],
    ['another version', {}, { 'Sec-WebSocket-Version': '12' }, 426, 'upgrade_required'],
    ['an origin', {}, { Origin: 'http://evil.example' }, 403, 'foreign_origin'],
    [
      'another origin',
      { cors: { origin: 'http://a.example', preflight } },
      { Origin: 'http://b.example' },
      403,
      'foreign_origin',
    ],
    ['another host', { allowedHosts: [] }, { Host: 'evil.example' }, 403, 'foreign_host'],
  ])('%s', async (_name, options, headers, status, code) => {
    const reply = await talk(await listening(options), request(headers));
    expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(reply).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
    expect(reply).toContain(`\r\n\r\n{"code":"${code}"}`);
  });

  test.each(['http://a.example', '*'])('the origin of CORS passes: %s', async (origin) => {
    const port = await listening({ cors: { origin, preflight } });
    expect(await talk(port, request({ Origin: 'http://a.example' }))).toContain('in as');
  });

  test('the key is checked before the version, and one limit counts both', async () => {
    const late = { apiKey: { key: 'k' }, rateLimit: { perMinute: 2, now: () => 0 } };
    const port = await listening(late);
    expect(await talk(port, request({ 'Sec-WebSocket-Version': '1' }))).toContain(' 401 ');
    expect(await talk(port, request({ 'X-API-Key': 'k' }))).toContain('in as');
    const plain = 'POST /ws HTTP/1.1\r\nHost: x\r\nX-API-Key: k\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
    expect(await talk(port, plain)).toMatch(/ 200 .*RateLimit-Remaining: 0\r\n/s);
    const refused = await talk(port, request({ 'X-API-Key': 'k' }));
    expect(refused).toMatch(/ 429 .*RateLimit-Limit: 2\r\nRateLimit-Remaining: 0\r\n.*Retry-After: 60\r\n/is);
  });
});

test('an error of the program has its own body', async () => {
  const app = createHttpApp({ logger: createMemoryLogger(), refusalBody: () => 'x', bodyLimit: 1, routes: [] });
  const { port } = await serve(app, {
    upgrade: (incoming, socket) =>
      app.upgrades.refuse(incoming, socket, new HttpError(400, 'topics', 'no', { 'X-A': 'b' }, { error: 'no' })),
  });
  expect(await talk(port, request())).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nX-A: b\r\n.*\{"error":"no"\}$/s);
});

test('an offer of HTTP/2 is ignored: the request is served with its body', async () => {
  const port = await listening();
  const offer = { Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABk', Connection: 'Upgrade, HTTP2-Settings, close' };
  const reply = await talk(port, `${request({ ...offer, 'Content-Length': '4' }, 'POST')}body`);
  expect(reply).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\n(4\r\n)?body/s);
});

test('an upgrade before the previous response is complete ends the connection', async () => {
  const port = await listening({
    routes: bindRoutes([raw('GET', '/slow', () => new Promise(() => undefined))], undefined, rules),
  });
  expect(await talk(port, `GET /slow HTTP/1.1\r\nHost: x\r\n\r\n${request()}`)).toBe('');
});

test('without an upgrade listener the request is an ordinary one', async () => {
  const app = createHttpApp({ logger: createMemoryLogger(), refusalBody: () => undefined, bodyLimit: 1, routes: [] });
  const { port } = await serve(app);
  expect(await talk(port, request({ Connection: 'Upgrade, close' }))).toMatch(/^HTTP\/1\.1 404 /);
});

test('a rejected client that does not close its connection occupies no slot', async () => {
  const port = await listening({ apiKey: { key: 'k' } });
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(request());
  await once(socket, 'end');
  socket.on('data', () => undefined);
  // Our half stays open: only a reset ends it.
  const nudge = setInterval(() => socket.write('x'), 50);
  await new Promise((closed) => socket.once('close', closed));
  clearInterval(nudge);
});
