import type { OutgoingHttpHeaders } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  checkCorsOrigin,
  createMemoryLogger,
  HttpError,
  memoryMinuteCounter,
  parsedBody,
  rawBody,
  refusal,
  secondsToNextMinute,
  sendJson,
} from '../src';
import { call, closeAll, raw, serveApp } from './support/http-client';

afterEach(closeAll);

const health = raw('GET', '/health', (_request, response) => response.end('well'), { key: false, limit: false });

const preflight = () => ({ status: 204, headers: { 'Access-Control-Max-Age': '600' } });

describe('cors', () => {
  test('the origin is in every response, including refusals, and OPTIONS requires no key', async () => {
    const { port } = await serveApp([raw('GET', '/x', () => undefined)], {
      cors: { origin: 'https://a.example', preflight },
      apiKey: { key: 'k' },
    });
    const refused = await call(port, '/x');
    expect(refused.status).toBe(401);
    expect(refused.headers['access-control-allow-origin']).toBe('https://a.example');
    const options = await call(port, '/x', { method: 'OPTIONS' });
    expect(options).toMatchObject({ status: 204, text: '' });
    expect(options.headers).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      'access-control-max-age': '600',
    });
    expect(options.headers['access-control-allow-credentials']).toBeUndefined();
  });

  test('without an origin there are no such headers', async () => {
    const { port } = await serveApp([health], { cors: { origin: '', preflight } });
    expect((await call(port, '/health')).headers['access-control-allow-origin']).toBeUndefined();
  });

  test.each(['', '*', 'null', 'http://a', 'https://a.example:8080'])('%j is an origin', (origin) =>
    expect(checkCorsOrigin(origin)).toBeUndefined(),
  );
  test.each([
    'a.example',
    'https://',
    'https://a/',
    'https://a/b',
    'ftp://a',
    'http://a,http://b',
    'http://a b',
    'http://a\r\nX: y',
  ])('%j is not an origin', (origin) => expect(checkCorsOrigin(origin)).toMatch(/origin/));
});

describe('api key', () => {
  const start = (bearer: boolean) =>
    serveApp([raw('GET', '/', (_request, response) => response.end('in')), health], {
      apiKey: { key: 'correct horse', bearer },
    });

  test('every wrong key gets the same response', async () => {
    const { port } = await start(true);
    for (const key of ['', 'c', 'correct hors', 'x'.repeat(5000), 'Correct horse']) {
      const reply = await call(port, '/', { headers: { 'x-api-key': key } });
      expect(reply).toMatchObject({
        status: 401,
        text: '{"code":"unauthorized","message":"Missing or incorrect API key"}',
      });
    }
    expect((await call(port, '/')).status).toBe(401);
    expect(
      (await call(port, '/', { headers: { 'x-api-key': 'wrong', authorization: 'Bearer correct horse' } })).status,
    ).toBe(401);
    expect((await call(port, '/', { headers: { authorization: 'bearer correct horse' } })).status).toBe(401);
  });

  test('accepts the key in either header if Bearer is allowed', async () => {
    const { port } = await start(true);
    expect((await call(port, '/', { headers: { 'x-api-key': 'correct horse' } })).text).toBe('in');
    expect((await call(port, '/', { headers: { 'x-api-key': '', authorization: 'Bearer correct horse' } })).text).toBe(
      'in',
    );
    const plain = await start(false);
    expect((await call(plain.port, '/', { headers: { authorization: 'Bearer correct horse' } })).status).toBe(401);
  });

  test('an empty key disables the check', async () => {
    for (const key of ['', undefined]) {
      const { port } = await serveApp([raw('GET', '/', (_request, response) => response.end('in'))], {
        apiKey: { key },
      });
      expect((await call(port, '/')).text).toBe('in');
      expect((await call(port, '/', { headers: { 'x-api-key': 'some' } })).text).toBe('in');
    }
  });

  test('routes without a key guard require no key', async () => {
    const { port } = await start(true);
    expect((await call(port, '/health')).status).toBe(200);
  });
});

describe('rate limit', () => {
  let time = 0;
  const now = () => time;
  const start = (exemptLoopback: boolean, perMinute = 2) =>
    serveApp([raw('GET', '/', (_request, response) => response.end('in')), health], {
      clientAddress: 'x-forwarded-for-first',
      rateLimit: { perMinute, exemptLoopback, now },
    });
  const from = (port: number, address: string, path = '/') =>
    call(port, path, { headers: { 'x-forwarded-for': address } });

  test('counts by address in clock minutes and sends Retry-After', async () => {
    time = 60_000 * 100 + 18_500;
    const { port } = await start(false);
    expect((await from(port, '1.1.1.1')).status).toBe(200);
    expect((await from(port, '::ffff:1.1.1.1')).status).toBe(200);
    const refused = await from(port, '1.1.1.1');
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '42' } });
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'rate_limited' });
    expect((await from(port, '2.2.2.2')).status).toBe(200);
    expect((await from(port, '1.1.1.1', '/health')).status).toBe(200);
    time = 60_000 * 101;
    expect((await from(port, '1.1.1.1')).status).toBe(200);
  });

  test('loopback is exempt if configured, and 0 disables the limit', async () => {
    const exempt = await start(true, 1);
    const off = await start(false, 0);
    for (let i = 0; i < 4; i++) {
      expect((await call(exempt.port, '/')).status).toBe(200);
      expect((await from(off.port, '1.1.1.1')).status).toBe(200);
    }
    await from(exempt.port, '3.3.3.3');
    expect((await from(exempt.port, '3.3.3.3')).status).toBe(429);
  });

  test('windows', () => {
    const counter = memoryMinuteCounter(now);
    time = 59_999;
    expect([counter.hit('a'), counter.hit('a'), counter.hit('b')]).toEqual([1, 2, 1]);
    time = 60_000;
    expect(counter.hit('a')).toBe(1);
    expect([secondsToNextMinute(0), secondsToNextMinute(59_999), secondsToNextMinute(30_000)]).toEqual([60, 1, 30]);
  });
});

describe('body', () => {
  const start = (options = {}) =>
    serveApp(
      [
        raw('POST', '/json', (request, response) => sendJson(request, response, 200, { got: parsedBody(request) })),
        raw('POST', '/raw', (request, response) => response.end(rawBody(request))),
      ],
      { bodyLimit: 1000, ...options },
    );

  test('accepts any content type, with exact integers', async () => {
    const { port } = await start();
    const reply = await call(port, '/json', {
      method: 'POST',
      body: '{"a":18446744073709551615}',
      headers: { 'content-type': 'text/plain' },
    });
    expect(reply).toMatchObject({ status: 200, text: '{"got":{"a":18446744073709551615}}' });
    expect(reply.headers['content-type']).toBe('application/json');
  });

  test('accepts the limit exactly; one more byte is 413, declared or not, also for a client that still sends', async () => {
    const { port } = await start();
    expect((await call(port, '/raw', { method: 'POST', body: 'x'.repeat(1000) })).text).toHaveLength(1000);
    for (const length of [1001, 10_000_000]) {
      expect((await call(port, '/raw', { method: 'POST', body: 'x'.repeat(length) })).status).toBe(413);
      const chunked = { method: 'POST', body: 'x'.repeat(length), headers: { 'transfer-encoding': 'chunked' } };
      const reply = await call(port, '/raw', chunked);
      expect(reply.status).toBe(413);
      expect(reply.text).toContain('body_too_large');
    }
  });

  test('rejects a compressed body with 415', async () => {
    const { port } = await start();
    const body = gzipSync('{}');
    expect((await call(port, '/json', { method: 'POST', body, headers: { 'content-encoding': 'gzip' } })).status).toBe(
      415,
    );
  });

  test('the app decides whether length or key is checked first', async () => {
    const post = { method: 'POST', body: 'x'.repeat(2000) };
    const first = await start({ apiKey: { key: 'k' }, bodyLengthCheck: 'first' });
    expect((await call(first.port, '/raw', post)).status).toBe(413);
    const exact = { method: 'POST', body: 'x'.repeat(1000), headers: { 'x-api-key': 'k' } };
    expect((await call(first.port, '/raw', exact)).status).toBe(200);
    const last = await start({ apiKey: { key: 'k' } });
    expect((await call(last.port, '/raw', post)).status).toBe(401);
  });
});

describe('compression', () => {
  const start = () =>
    serveApp([
      raw('GET', '/long', (request, response) => sendJson(request, response, 200, { a: 'x'.repeat(1016) })),
      raw('GET', '/short', (request, response) => sendJson(request, response, 200, { a: 'x'.repeat(1015) })),
    ]);

  test.each([
    ['gzip', true],
    ['br, gzip;q=0.5', true],
    ['*', true],
    ['gzip;q=0', false],
    ['br', false],
    ['', false],
  ])('Accept-Encoding %j', async (accepted, compressed) => {
    const { port } = await start();
    const reply = await call(port, '/long', { headers: { 'accept-encoding': accepted } });
    expect(reply.headers['content-encoding']).toBe(compressed ? 'gzip' : undefined);
    expect(reply.headers.vary).toContain('Accept-Encoding');
    expect(compressed ? gunzipSync(reply.body).length : reply.body.length).toBe(1024);
  });

  test('responses below 1,024 bytes are not compressed', async () => {
    const { port } = await start();
    const reply = await call(port, '/short', { headers: { 'accept-encoding': 'gzip' } });
    expect(reply.headers['content-encoding']).toBeUndefined();
    expect(reply.body.length).toBe(1023);
  });
});

describe('errors', () => {
  const logger = createMemoryLogger('info');
  const start = (refusalBody?: () => undefined) =>
    serveApp(
      [
        raw('GET', '/thrown', () => {
          throw new Error('inner text');
        }),
        raw('GET', '/rejected', async () => Promise.reject(new Error('inner text'))),
        raw('GET', '/own', () => {
          throw new HttpError(418, 'teapot', 'short and stout', { 'X-Pot': '1' }, { custom: 1n });
        }),
        raw('GET', '/refused', () => {
          throw refusal('unavailable');
        }),
        raw('GET', '/nothing', () => {
          throw new HttpError(410, 'gone', 'gone', {}, null);
        }),
        ...[404, 422, 500].map((status) =>
          raw('GET', `/as-${status}`, () => {
            throw Object.assign(new Error('of another library'), { status });
          }),
        ),
        raw('GET', '/half', (_request, response) => {
          response.write('half');
          throw new Error('late');
        }),
      ],
      { logger, ...(refusalBody ? { refusalBody } : {}) },
    );

  test('an unexpected error is 500 without a stack, and is logged once with it', async () => {
    const { port } = await start();
    for (const path of ['/thrown', '/rejected']) {
      logger.lines.length = 0;
      const reply = await call(port, path);
      expect(reply).toMatchObject({ status: 500, text: '{"code":"internal","message":"inner text"}' });
      expect(logger.lines).toHaveLength(1);
      expect(logger.lines[0]).toContain('http-app.test');
    }
  });

  test('declared errors have their status and body', async () => {
    const { port } = await start();
    const own = await call(port, '/own');
    expect(own).toMatchObject({ status: 418, text: '{"custom":1}' });
    expect(own.headers['x-pot']).toBe('1');
    logger.lines.length = 0;
    expect((await call(port, '/refused')).status).toBe(503);
    // A declared error is not logged as an error of the program, even with status 5xx.
    expect(logger.lines).toEqual([]);
    expect(await call(port, '/nothing')).toMatchObject({ status: 410, text: 'null' });
    expect(await call(port, '/none')).toMatchObject({
      status: 404,
      text: '{"code":"not_found","message":"Not found"}',
    });
    expect((await call(port, '/%E0%A4%A')).status).toBe(404);
  });

  test.each([
    [404, 'not_found'],
    [422, 'bad_request'],
    [500, 'internal'],
  ])('an error of another library with the status %d is %s', async (status, code) => {
    const { port } = await start();
    logger.lines.length = 0;
    const reply = await call(port, `/as-${status}`);
    expect(reply).toMatchObject({ status, text: `{"code":"${code}","message":"of another library"}` });
    expect(logger.linesOf('error')).toHaveLength(status === 500 ? 1 : 0);
  });

  test.each([
    // A C++ wallet that repeats a request sends its headers twice.
    ['a', 200],
    ['b', 400],
  ])('a second Host header: %s after a is %i', async (second, status) => {
    const { port } = await serveApp([health]);
    const headers = ['Host', 'a', 'Host', second] as unknown as OutgoingHttpHeaders;
    expect((await call(port, '/health', { headers })).status).toBe(status);
  });

  test('an app may send an empty body', async () => {
    const { port } = await start(() => undefined);
    expect(await call(port, '/none')).toMatchObject({ status: 404, text: '' });
  });

  test('a response that fails during sending is aborted', async () => {
    const { port } = await start();
    logger.lines.length = 0;
    await expect(call(port, '/half')).rejects.toThrow();
    expect(logger.lines.map((line) => line.includes('late'))).toEqual([true]);
  });

  test('responses have no information about the server', async () => {
    const { port } = await start();
    const { headers } = await call(port, '/none');
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});
