import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bindRoutes, createHttpApp, createMemoryLogger, type HttpAppOptions, type MemoryLogger } from '../src';
import { call, closeAll, raw, rules, serve } from './support/http-client';

afterEach(closeAll);

const hello = raw('GET', '/', (_request, response) => response.end('in'));

function app(options: Partial<HttpAppOptions> = {}, logger: MemoryLogger = createMemoryLogger()) {
  return createHttpApp({
    logger,
    refusalBody: ({ code }) => ({ code }),
    bodyLimit: 1000,
    routes: bindRoutes([hello], undefined, rules),
    ...options,
  });
}

describe('cross-site requests', () => {
  const preflight = () => ({ status: 200, headers: {} });
  const query = async (options: Partial<HttpAppOptions>, headers: Record<string, string>, host = '127.0.0.1') => {
    const { port } = await serve(app(options), { listen: [{ host, port: 0 }] });
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, text.replace('PORT', `${port}`)]),
    );
    const { status, text } = await call(port, '/', { headers: sent });
    return status === 200 ? 'in' : `${status} ${text}`;
  };
  const HOST = '403 {"code":"foreign_host"}';
  const ORIGIN = '403 {"code":"foreign_origin"}';

  test.each<[Record<string, string>, string]>([
    [{}, 'in'],
    [{ host: 'localhost:PORT' }, 'in'],
    [{ host: 'LOCALHOST' }, 'in'],
    [{ host: 'localhost.' }, 'in'],
    [{ host: '127.1.2.3' }, 'in'],
    [{ host: '[::1]:PORT' }, 'in'],
    [{ host: 'evil.example' }, HOST],
    [{ host: 'localhost.evil.example' }, HOST],
    [{ host: '127.0.0.1.evil.example' }, HOST],
    [{ host: 'local' }, HOST],
    [{ host: '192.0.2.1' }, HOST],
    [{ host: '2130706433' }, HOST],
    [{ host: 'a@localhost' }, HOST],
    [{ host: '[::1' }, HOST],
    [{ origin: 'http://127.0.0.1:PORT', host: '127.0.0.1:PORT' }, 'in'],
    [{ origin: 'http://127.0.0.1:1' }, ORIGIN],
    [{ origin: 'http://localhost' }, ORIGIN],
    [{ origin: 'null' }, ORIGIN],
    [{ origin: '' }, ORIGIN],
    [{ origin: 'http://evil.example', host: 'evil.example' }, HOST],
  ])('%j on a loopback address: %s', async (headers, outcome) => {
    expect(await query({ allowedHosts: [] }, headers)).toBe(outcome);
  });

  test('allows configured names in any case, and all names', async () => {
    const allowedHosts = ['Node.example'];
    expect(await query({ allowedHosts }, { host: 'node.EXAMPLE:80' })).toBe('in');
    expect(await query({ allowedHosts }, { host: 'other.example' })).toBe(HOST);
    expect(await query({ allowedHosts: ['*'] }, { host: 'other.example' })).toBe('in');
    expect(await query({ allowedHosts: ['*'] }, { host: 'other.example', origin: 'http://third.example' })).toBe(
      ORIGIN,
    );
  });

  test('allows the origin of CORS', async () => {
    const cors = { origin: 'https://a.example', preflight };
    expect(await query({ allowedHosts: [], cors }, { origin: 'https://a.example' })).toBe('in');
    expect(await query({ allowedHosts: [], cors }, { origin: 'https://b.example' })).toBe(ORIGIN);
    expect(await query({ allowedHosts: [], cors: { origin: '*', preflight } }, { origin: 'null' })).toBe('in');
    expect(await query({ allowedHosts: [], cors: { origin: '', preflight } }, { origin: '' })).toBe(ORIGIN);
  });

  test('is not required on public addresses, nor if the program does not enable it', async () => {
    const foreign = { host: 'evil.example', origin: 'http://evil.example' };
    expect(await query({ allowedHosts: [] }, foreign, '0.0.0.0')).toBe('in');
    expect(await query({}, foreign)).toBe('in');
  });
});

describe('request ids', () => {
  const RANDOM = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

  test('are in every response, unique, and in log lines', async () => {
    const logger = createMemoryLogger();
    const broken = raw('GET', '/broken', () => {
      throw new Error('it broke');
    });
    const { port } = await serve(app({ routes: bindRoutes([hello, broken], undefined, rules) }, logger));
    const ids: unknown[] = [];
    for (const path of ['/', '/none', '/broken']) ids.push((await call(port, path)).headers['x-request-id']);
    expect(ids).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(RANDOM)));
    expect(new Set(ids).size).toBe(3);
    expect(logger.linesOf('error')).toEqual([expect.stringContaining(`request=${String(ids[2])}`)]);
    const answered = logger.entries.filter(({ message }) => message === 'answered').map(({ fields }) => fields);
    expect(answered).toMatchObject([
      { request: ids[0], route: '/', status: 200, client: '127.0.0.1', method: 'GET' },
      { request: ids[1], route: 'none', status: 404 },
      { request: ids[2], route: '/broken', status: 500 },
    ]);
  });

  test.each([
    ['text that is not HTTP', 'nonsense', '400 Bad Request'],
    ['HTTP/1.1 without a Host header', 'GET / HTTP/1.1', '400 Bad Request'],
    ['HTTP/1.0 without a Host header', 'GET / HTTP/1.0', '200 OK'],
    ['an unknown expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: y', '200 OK'],
  ])('are in responses to %s, too', async (_what, head, status) => {
    const { port } = await serve(app());
    const socket = connect(port, '127.0.0.1');
    socket.write(`${head}\r\n\r\n`);
    const [text] = (await once(socket, 'data')) as [Buffer];
    expect(String(text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\nX-Request-Id: [0-9a-f-]{36}\r\n`));
    socket.destroy();
  });

  test.each<[NonNullable<HttpAppOptions['clientAddress']>, string, boolean]>([
    ['x-forwarded-for-first', 'abc-1.2:3_4', true],
    ['x-forwarded-for-first', 'a b', false],
    ['x-forwarded-for-first', 'x'.repeat(65), false],
    ['x-forwarded-for-first', '', false],
    ['connection', 'abc', false],
  ])('with %s %j is reused: %s', async (clientAddress, given, taken) => {
    const { port } = await serve(app({ clientAddress }));
    const { headers } = await call(port, '/', { headers: { 'x-request-id': given } });
    if (taken) expect(headers['x-request-id']).toBe(given);
    else expect(headers['x-request-id']).toMatch(RANDOM);
  });

  test('scripts of the allowed origin may read the listed headers', async () => {
    const preflight = () => ({ status: 200, headers: {} });
    const { port } = await serve(app({ cors: { origin: '*', preflight, exposed: ['X-Request-Id', 'X-B'] } }));
    expect((await call(port, '/')).headers['access-control-expose-headers']).toBe('X-Request-Id, X-B');
  });
});

describe('headers of the rate limit', () => {
  const now = () => 60_000 * 100 + 18_500;

  test('contain limit, remaining requests and seconds, also in a rejection', async () => {
    const { port } = await serve(app({ rateLimit: { perMinute: 2, now } }));
    const rateLimitHeaders = async () => {
      const { status, headers } = await call(port, '/');
      return [status, headers['ratelimit-limit'], headers['ratelimit-remaining'], headers['ratelimit-reset']];
    };
    expect([await rateLimitHeaders(), await rateLimitHeaders(), await rateLimitHeaders()]).toEqual([
      [200, '2', '1', '42'],
      [200, '2', '0', '42'],
      [429, '2', '0', '42'],
    ]);
  });

  test('are missing without a rate limit', async () => {
    for (const rateLimit of [{ perMinute: 0 }, { perMinute: 1, exemptLoopback: true }]) {
      const { port } = await serve(app({ rateLimit }));
      expect((await call(port, '/')).headers['ratelimit-limit']).toBeUndefined();
    }
  });

  test('a loopback address in X-Forwarded-For is not exempt', async () => {
    const rateLimit = { perMinute: 1, exemptLoopback: true, now };
    const { port } = await serve(app({ rateLimit, clientAddress: 'x-forwarded-for-first' }));
    const from = (address: string) => call(port, '/', { headers: { 'x-forwarded-for': address } });
    expect((await from('127.0.0.1')).status).toBe(200);
    for (const address of ['127.0.0.1', '::1', '127.9.9.9, 192.0.2.1']) expect((await from(address)).status).toBe(429);
    expect((await call(port, '/')).status).toBe(200);
  });
});

describe('a local listener', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-local-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const socketPath = join(folder, 'rpc.sock');
  const local = {
    listen: (server: { listen(path: string, done: () => void): unknown }): Promise<void> =>
      new Promise((done) => void server.listen(socketPath, done)),
  };
  const strict: Partial<HttpAppOptions> = {
    allowedHosts: [],
    clientAddress: 'x-forwarded-for-first',
    rateLimit: { perMinute: 1, now: () => 0 },
    apiKey: { key: 'secret' },
  };
  const query = (headers: Record<string, string> = {}) =>
    call(0, '/', {
      socketPath,
      headers: { host: 'anything', origin: 'http://x', 'x-forwarded-for': '192.0.2.1', ...headers },
    });

  test('requires no Host and no token, and is not rate-limited, unlike the TCP listener', async () => {
    const { port, addresses, servers } = await serve(app(strict), { local });
    for (let i = 0; i < 3; i++) expect((await query()).text).toBe('in');
    expect([addresses.length, servers.length]).toEqual([1, 2]);
    expect((await call(port, '/')).status).toBe(401);
  });

  test('requires the token if configured', async () => {
    await serve(app({ ...strict, apiKey: { key: 'secret', local: true } }), { local });
    expect((await query()).status).toBe(401);
    expect((await query({ 'x-api-key': 'secret' })).text).toBe('in');
  });

  test('that cannot be bound fails the start, and no listener remains', async () => {
    const failing = { listen: () => Promise.reject(new Error('the path is too long')) };
    const logger = createMemoryLogger();
    const server = await serve(app());
    const { port } = server;
    await server.close(0);
    await expect(serve(app(), { local: failing, listen: [{ host: '127.0.0.1', port }], logger })).rejects.toThrow(
      'the path is too long',
    );
    await expect(call(port, '/')).rejects.toThrow('ECONNREFUSED');
  });
});
