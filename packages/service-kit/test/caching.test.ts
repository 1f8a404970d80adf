import { z } from 'zod';
import {
  bindRoutes,
  createHttpApp,
  FinishedJson,
  FinishedText,
  HttpError,
  type HttpServer,
  silentLogger,
  Reply,
  routeDeclarer,
  startHttpServer,
} from '../src';

/* Cacheable responses, responses that are not JSON, CORS below a path prefix, headers of every response. */

const declare = routeDeclarer<object>();
const OPEN = { key: false, limit: false };
let text = 'first'.repeat(400);

const routes = [
  declare({
    method: 'GET',
    path: '/api/held',
    summary: '',
    guards: OPEN,
    caching: 'public, max-age=5',
    response: z.object({ text: z.string() }),
    errors: [],
    handle: () => ({ text }),
  }),
  declare({
    method: 'GET',
    path: '/api/tagged',
    summary: '',
    guards: OPEN,
    caching: 'private',
    response: z.unknown(),
    errors: [],
    handle: () => new Reply(200, new FinishedJson('[1]'), { ETag: '"own"' }),
  }),
  declare({
    method: 'GET',
    path: '/api/other',
    summary: '',
    guards: OPEN,
    caching: 'public',
    response: z.unknown(),
    errors: [],
    handle: () => new Reply(202, 1),
  }),
  declare({
    method: 'GET',
    path: '/page',
    summary: '',
    guards: OPEN,
    response: { contentType: 'text/html; charset=utf-8', description: '' },
    errors: [],
    handle: () => `<p>${text}</p>`,
  }),
  declare({
    method: 'GET',
    path: '/image',
    summary: '',
    guards: OPEN,
    caching: 'public',
    response: { contentType: 'image/png', description: '' },
    errors: [],
    handle: () => Buffer.alloc(5000, 7),
  }),
  declare({
    method: 'GET',
    path: '/refused',
    summary: '',
    guards: OPEN,
    caching: 'public',
    response: z.unknown(),
    errors: [],
    handle: () => {
      throw new HttpError(400, 'x', 'no');
    },
  }),
];

let server: HttpServer;
beforeAll(async () => {
  const logger = silentLogger();
  const bound = bindRoutes(routes, {}, { notJson: () => new Error(), invalid: () => new Error() });
  const app = createHttpApp({
    logger,
    refusalBody: ({ status }) => (status === 404 ? new FinishedText('text/html', '<p>gone</p>') : { status }),
    cors: {
      origin: '*',
      under: '/api/',
      preflight: (_request, origin) => ({ status: origin === undefined ? 204 : 200, headers: {} }),
    },
    headers: { 'Referrer-Policy': 'no-referrer' },
    bodyLimit: 10,
    routes: bound,
  });
  server = await startHttpServer({ app, listen: [{ host: '127.0.0.1', port: 0 }], logger });
});
afterAll(() => server.close(0));

const request = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    // By default fetch sends `no-cache`.
    headers: { 'accept-encoding': 'identity', 'cache-control': 'max-age=0', ...headers },
  });
  return { status: reply.status, headers: reply.headers, body: Buffer.from(await reply.arrayBuffer()) };
};
const head = (result: { headers: Headers }, ...names: string[]) => names.map((name) => result.headers.get(name));

test('cacheable responses have max-age and ETag; a matching ETag is 304', async () => {
  const first = await request('/api/held');
  const [caching, tag] = head(first, 'cache-control', 'etag');
  expect([first.status, caching]).toEqual([200, 'public, max-age=5']);
  const again = await request('/api/held', { 'if-none-match': String(tag) });
  // A cache uses these headers of the 304 for the stored response (RFC 9110, 15.4.5).
  expect([again.status, again.body.length, ...head(again, 'etag', 'cache-control', 'vary')]).toEqual([
    304,
    0,
    tag,
    'public, max-age=5',
    'Accept-Encoding',
  ]);
  const packed = await request('/api/held', { 'accept-encoding': 'gzip' });
  expect(head(packed, 'content-encoding', 'etag', 'vary')).toEqual(['gzip', tag, 'Accept-Encoding']);
  expect((await request('/api/held', {}, 'HEAD')).body).toHaveLength(0);
  text = 'second';
  const changed = await request('/api/held', { 'if-none-match': String(tag) });
  expect([changed.status, changed.body.toString()]).toEqual([200, '{"text":"second"}']);
});

test('a custom tag is used; another status and an error must not be cached', async () => {
  expect(head(await request('/api/tagged'), 'etag', 'cache-control')).toEqual(['"own"', 'private']);
  expect((await request('/api/tagged', { 'if-none-match': '"own"' })).status).toBe(304);
  const other = await request('/api/other');
  expect([other.status, ...head(other, 'etag', 'cache-control')]).toEqual([202, null, 'no-store']);
  const refused = await request('/refused');
  expect([refused.status, ...head(refused, 'etag', 'cache-control')]).toEqual([400, null, 'no-store']);
});

test('pages are compressed if the client accepts it, images are not', async () => {
  text = 'x'.repeat(2000);
  const page = await request('/page', { 'accept-encoding': 'gzip' });
  expect([...head(page, 'content-type', 'content-encoding', 'cache-control'), page.body.length]).toEqual([
    'text/html; charset=utf-8',
    'gzip',
    'no-store',
    2007,
  ]);
  const image = await request('/image', { 'accept-encoding': 'gzip' });
  expect([...head(image, 'content-type', 'content-encoding', 'content-length'), image.body.length]).toEqual([
    'image/png',
    null,
    '5000',
    5000,
  ]);
});

test('an error may be a page', async () => {
  const reply = await request('/nothing');
  expect([reply.status, reply.headers.get('content-type'), reply.body.toString()]).toEqual([
    404,
    'text/html',
    '<p>gone</p>',
  ]);
});

test('CORS headers are limited to their path prefix, other headers are in all responses', async () => {
  for (const [path, origin] of [
    ['/api/held', '*'],
    ['/api/nothing', '*'],
    ['/page', null],
    ['/apix', null],
  ] as const) {
    expect(head(await request(path), 'access-control-allow-origin', 'referrer-policy')).toEqual([
      origin,
      'no-referrer',
    ]);
  }
  expect([(await request('/api/held', {}, 'OPTIONS')).status, (await request('/page', {}, 'OPTIONS')).status]).toEqual([
    200, 204,
  ]);
});
