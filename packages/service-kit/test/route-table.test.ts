import { connect } from 'node:net';
import { once } from 'node:events';
import * as fc from 'fast-check';
import { z } from 'zod';
import { type HttpAppOptions, HttpError, routeDeclarer } from '../src';
import { closeAll, serveApp } from './support/http-client';

/*
 * Exact paths are served from a table. The same request to the same route must get the same response through Express: each
 * route exists twice, once with an exact path and once as a pattern, which only Express can match.
 */

afterEach(closeAll);

const declare = routeDeclarer<unknown>();
const CLOSED = { key: true, limit: true };
const OPEN = { key: false, limit: false };

const shared = {
  summary: 'A route of a test.',
  response: z.looseObject({}),
  errors: [],
} as const;

/** The routes of a test, below `/table/` as exact paths and below `/{way}/` as patterns. */
const routes = ['table', '{way}'].flatMap((way) => {
  const params = way === 'table' ? {} : { params: z.object({ way: z.string().regex(/^express$/) }) };
  return [
    declare({
      ...{ ...shared, ...params, guards: OPEN, method: 'GET', path: `/${way}/plain` },
      handle: () => ({ text: 'x'.repeat(3_000), amount: 2n ** 60n }),
    }),
    declare({
      ...{ ...shared, ...params, guards: OPEN, method: 'GET', path: `/${way}/cached`, caching: 'max-age=5' },
      handle: () => ({ cached: true }),
    }),
    declare({
      ...{ ...shared, ...params, guards: CLOSED, method: 'POST', path: `/${way}/body` },
      body: z.object({ count: z.bigint().max(9n), names: z.array(z.string()).default([]) }),
      handle: (_context, { body, client }) => ({ ...body, client }),
    }),
    declare({
      ...{ ...shared, ...params, guards: CLOSED, method: 'GET', path: `/${way}/fails` },
      query: z.object({ how: z.string().optional() }),
      handle: () => {
        throw new HttpError(418, 'teapot', 'short and stout', { 'X-Pot': 'tea' });
      },
    }),
    declare({
      ...{ ...shared, ...params, guards: OPEN, method: 'GET', path: `/${way}/breaks` },
      handle: () => Promise.reject(new Error('broken')),
    }),
  ];
});

const options: Partial<HttpAppOptions> = {
  cors: { origin: 'https://a.example', preflight: () => ({ status: 204, headers: { 'X-Preflight': '1' } }) },
  clientAddress: 'x-forwarded-for-first',
  apiKey: { key: 'k', bearer: true },
  rateLimit: { perMinute: 4, now: () => 0 },
  bodyLimit: 200,
};

/** The bytes of the whole response to a request, without the parts that differ in every response. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  socket.write(text);
  await once(socket, 'close');
  return received.replace(/X-Request-Id: .*\r\n/g, '').replace(/Date: .*\r\n/g, '');
}

/** Sends requests in order to both kinds of routes, each on a separate server because of the rate limit. */
async function compare(requests: readonly string[]): Promise<void> {
  const responses: string[][] = [];
  for (const way of ['table', 'express']) {
    const { port } = await serveApp(routes, options);
    const own: string[] = [];
    for (const request of requests) own.push(await exchange(port, request.replaceAll('WAY', way)));
    responses.push(own);
  }
  await closeAll();
  expect(responses[0]).toEqual(responses[1]);
  for (const response of responses[0] ?? []) expect(response).toMatch(/^HTTP\/1\.1 \d/);
}

const request = (line: string, headers: readonly string[] = [], body = ''): string =>
  [`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', body].join('\r\n');

test.each([
  ['a response with gzip', request('GET /WAY/plain', ['Accept-Encoding: gzip'])],
  ['a response without', request('GET /WAY/plain')],
  ['HEAD', request('HEAD /WAY/plain')],
  ['another method', request('PUT /WAY/plain')],
  ['an unknown method', request('PURGE /WAY/plain')],
  ['OPTIONS', request('OPTIONS /WAY/plain', ['Access-Control-Request-Method: GET'])],
  ['a query', request('GET /WAY/plain?a=b')],
  ['an encoded letter', request('GET /WAY/pl%61in')],
  ['an encoded slash', request('GET /WAY%2Fplain')],
  ['a malformed escape', request('GET /WAY/plain%')],
  ['a trailing slash', request('GET /WAY/plain/')],
  ['another case', request('GET /WAY/PLAIN')],
  ['an absolute target', request('GET http://x/WAY/plain')],
  ['a target that is no URL', request('GET http://[')],
  ['a condition that holds', request('GET /WAY/cached', ['If-None-Match: *'])],
  ['a condition that does not', request('GET /WAY/cached', ['If-None-Match: "x"'])],
  ['two Host headers', request('GET /WAY/plain', ['Host: y'])],
  ['no key', request('POST /WAY/body', ['Content-Length: 2'], '{}')],
  ['a wrong key', request('POST /WAY/body', ['X-API-Key: x', 'Content-Length: 2'], '{}')],
  ['a valid body', request('POST /WAY/body', ['X-API-Key: k', 'Content-Length: 11'], '{"count":9}')],
  ['an invalid value', request('POST /WAY/body', ['X-API-Key: k', 'Content-Length: 12'], '{"count":10}')],
  ['a missing field', request('POST /WAY/body', ['X-API-Key: k', 'Content-Length: 2'], '{}')],
  ['a body that is not JSON', request('POST /WAY/body', ['X-API-Key: k', 'Content-Length: 1'], '{')],
  ['no body', request('POST /WAY/body', ['X-API-Key: k'])],
  ['a body that is too large', request('POST /WAY/body', ['X-API-Key: k', 'Content-Length: 999'], 'x'.repeat(999))],
  ['an encoded body', request('POST /WAY/body', ['X-API-Key: k', 'Content-Encoding: gzip', 'Content-Length: 1'], 'x')],
  [
    'Content-Encoding: Identity',
    request('POST /WAY/body', ['X-API-Key: k', 'Content-Encoding: Identity', 'Content-Length: 11'], '{"count":9}'),
  ],
  [
    'chunks',
    request('POST /WAY/body', ['X-API-Key: k', 'Transfer-Encoding: chunked'], 'b\r\n{"count":9}\r\n0\r\n\r\n'),
  ],
  ['a forwarded address', request('GET /WAY/fails', ['X-API-Key: k', 'X-Forwarded-For: 192.0.2.1'])],
  ['a handler that refuses', request('GET /WAY/fails', ['X-API-Key: k'])],
  ['a handler that breaks', request('GET /WAY/breaks')],
])('%s', async (_name, text) => compare([text]));

test('the rate limit counts both kinds of routes equally, in order with the other guards', () =>
  compare(Array<string>(6).fill(request('GET /WAY/fails', ['X-API-Key: k']))));

test('any request line and headers', async () => {
  const token = fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE', 'get', '');
  const target = fc.oneof(
    fc.constantFrom('/WAY/plain', '/WAY/body', '/WAY/cached', '/WAY/fails', '/', '*', '//WAY/plain', '/WAY/./plain'),
    fc.string({ maxLength: 12 }).map((text) => `/WAY/plain${text.replace(/[\r\n ]/g, '')}`),
  );
  const header = fc.constantFrom(
    ...[
      'Accept-Encoding: gzip;q=0',
      'If-None-Match: W/"x"',
      'X-API-Key: k',
      'Content-Length: 0',
      'Expect: 100-continue',
    ],
    ...['X-Forwarded-For: ::1', 'Origin: https://a.example', 'Content-Type: text/plain', 'X-Request-Id: a'],
  );
  const requests = fc.tuple(token, target, fc.array(header, { maxLength: 4 }));
  await fc.assert(
    fc.asyncProperty(requests, ([method, path, headers]) => compare([request(`${method} ${path}`, headers)])),
    { numRuns: 60 },
  );
});
