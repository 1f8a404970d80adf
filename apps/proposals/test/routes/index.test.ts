import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isErrorMessage, proposalsApi } from '@wrkz/api';
import { escapeText } from '@wrkz/pages';
import { createMetrics, errorsOfRoute, parseJson, type ErrorRow, type Route } from '@wrkz/service-kit';
import { documentErrors, stopWallClock } from '@wrkz/testing';
import { z } from 'zod';
import { Site } from '../../src/pages/site';
import { proposalsRoutes } from '../../src/routes';
import { PROPOSALS_SERVICE, type ProposalsRoute } from '../../src/routes/declare';
import { ProposalReader } from '../../src/store/proposals';
import { WALLET_ADDRESS, donationAddress, startService, stopAll, type RunningService } from '../support/service';
import { json, send, type Asked, type HttpAnswer } from '../support/http-client';

stopWallClock();

const { proposalErrors } = proposalsApi;
type ErrorName = keyof typeof proposalErrors | 'notReady';

const routes = proposalsRoutes({
  metrics: createMetrics('test_'),
  readiness: () => ({ ready: true }),
  site: new Site({ network: 'mainnet', isDemo: false, publicUrl: undefined }),
});
/** Files of pages are not in the OpenAPI document. */
const isDocumented = (path: string): boolean => !/^\/(assets|docs)\//.test(path);
const titled = routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const NAMES = new Map<ErrorRow, ErrorName>(
  Object.entries(proposalErrors).map(([name, row]) => [row, name as ErrorName]),
);
const nameOf = (row: ErrorRow): ErrorName => NAMES.get(row) ?? 'notReady';
const errorsOf = (route: ProposalsRoute) => errorsOfRoute(PROPOSALS_SERVICE, route as Route<never, never>);

let service: RunningService;
let limited: RunningService;
let broken: RunningService;
beforeAll(async () => {
  // A fixed clock: no minute of the rate limit ends between two requests.
  const started = Date.now();
  const overrides = { now: () => started };
  const words = '--rate-limit 0 --qr-limit 1 --trusted-proxy 127.0.0.1 --enable-metrics';
  service = await startService(words.split(' '), overrides);
  service.add();
  limited = await startService(['--rate-limit', '1', '--trusted-proxy', '127.0.0.1', '--enable-metrics'], overrides);
  limited.add();
  broken = await startService(['--enable-metrics', '--rate-limit', '10000'], {
    now: () => {
      throw new Error('no clock');
    },
  });
});
afterAll(stopAll);

/** A path for which the route returns 200. */
function goodPath({ path }: ProposalsRoute): string {
  return path.replace('{id}', '1') + (path === '/api/1/qr' ? `?address=${WALLET_ADDRESS}` : '');
}

const requesting = (query: string) => (route: ProposalsRoute) =>
  send(service.url, route.path.replace('{id}', '1') + query);
const sending = (requested: Asked) => (route: ProposalsRoute) => send(service.url, goodPath(route), requested);
const from = (address: string) => ({ headers: { 'x-real-ip': address } });

/** Provokes each error of a route. */
const provocations: Partial<Record<ErrorName, (route: ProposalsRoute) => Promise<HttpAnswer>>> = {
  wrongType: requesting('?limit=x'),
  outOfRange: requesting('?limit=-1'),
  unknownCategory: requesting('?cat=x'),
  noAddress: requesting('?'),
  repeatedAddress: requesting('?address=x&address=x'),
  addressLength: requesting('?address=x'),
  badAddress: requesting(`?address=X${WALLET_ADDRESS.slice(1)}`),
  badAmount: requesting('?amount=x'),
  notFound: (route) => send(service.url, route.path.replace('{id}', '999')),
  noSuchPage: requesting('?page=x'),
  qrThrottled: async ({ path }) => {
    const request = (name: string) =>
      send(service.url, `${path}?address=${donationAddress(name)}`, from('203.0.113.9'));
    await request('first');
    return request('second');
  },
  rateLimited: async (route) => {
    await send(limited.url, goodPath(route), from('203.0.113.9'));
    return send(limited.url, goodPath(route), from('203.0.113.9'));
  },
  encodedBody: sending({ body: 'x', headers: { 'content-encoding': 'gzip' } }),
  bodyTooLarge: sending({ body: 'x'.repeat(1025) }),
};

/** Whether a response is this error, as JSON or as a page. */
function isError(row: ErrorRow, { status, headers, text }: HttpAnswer): boolean {
  if (status !== row.status) return false;
  if (headers['content-type'] === 'application/json') {
    const { success, data } = proposalsApi.proposalErrorBody.strict().safeParse(JSON.parse(text));
    return success && isErrorMessage(row, data.data);
  }
  const words = escapeText(row.text.slice(1));
  return headers['content-type'] === 'text/html; charset=utf-8' && text.includes(words);
}

interface OpenApi {
  readonly paths: Record<string, Record<string, { responses: Record<string, { content?: object }> }>>;
}

describe('each documented error is reachable', () => {
  const cases = titled
    .filter(([, { path }]) => isDocumented(path))
    .flatMap(([title, route]) => errorsOf(route).map((row) => [`${title}: ${nameOf(row)}`, route, row] as const))
    .filter(([, , row]) => !['internal', 'notReady'].includes(nameOf(row)));

  test.each(cases)('%s', async (_title, route, row) => {
    const reply = await provocations[nameOf(row)]?.(route);
    expect(reply && [reply.status, isError(row, reply)]).toEqual([row.status, true]);
    const { paths } = JSON.parse((await send(service.url, '/openapi.json')).text) as OpenApi;
    const reported = paths[route.path]?.[route.method.toLowerCase()]?.responses[String(row.status)]?.content ?? {};
    expect(Object.keys(reported)).toContain(String(reply?.headers['content-type']).split(';')[0]);
  });

  test('every test case is for a declared error', () => {
    const declared = new Set<ErrorName>(routes.flatMap((route) => errorsOf(route).map(nameOf)));
    expect(Object.keys(provocations).filter((name) => !declared.has(name as ErrorName))).toEqual([]);
  });

  test('an internal error is returned without its reason', async () => {
    for (const path of ['/api/1/proposals', '/', '/proposal/1']) {
      const reply = await send(broken.url, path);
      expect([reply.status, isError(proposalErrors.internal, reply)]).toEqual([500, true]);
      expect(reply.text).not.toContain('no clock');
    }
  });

  test.each(['proposals.sqlite', 'funding.sqlite'])('/readyz reports that %s is missing', async (name) => {
    const other = await startService();
    expect(json(await send(other.url, '/readyz'))).toEqual({ status: 'OK' });
    const { rmSync } = await import('node:fs');
    rmSync(join(other.folder, name));
    const reply = await send(other.url, '/readyz');
    expect([reply.status, json(reply)]).toEqual([503, { status: 'UNAVAILABLE' }]);
  });

  test('/readyz reports proposals that cannot be read', async () => {
    const other = await startService();
    const counts = jest.spyOn(ProposalReader.prototype, 'counts').mockImplementation(() => {
      throw new Error('disk I/O error');
    });
    const during = await send(other.url, '/readyz');
    counts.mockRestore();
    expect([during.status, json(during)]).toEqual([503, { status: 'UNAVAILABLE' }]);
    expect((await send(other.url, '/readyz')).status).toBe(200);
  });
});

test('every declaration below routes/ is in the list', () => {
  const path = join(__dirname, '../../src/routes');
  const declared = readdirSync(path).flatMap((file) =>
    Object.entries(jest.requireActual<Record<string, unknown>>(join(path, file))).filter(
      ([, value]) => typeof value === 'object' && value !== null && 'handle' in value,
    ),
  );
  expect(declared.length).toBeGreaterThan(7);
  expect(declared.filter(([, value]) => !routes.includes(value as ProposalsRoute)).map(([name]) => name)).toEqual([]);
});

test.each(titled)(
  '%s returns data of its schema, with its caching and the headers of a page',
  async (_title, route) => {
    const reply = await send(service.url, goodPath(route));
    expect(reply.status).toBe(200);
    expect(reply.headers['cache-control']).toBe(route.caching ?? 'no-store');
    expect(reply.headers['etag'] !== undefined).toBe(route.caching !== undefined);
    for (const name of ['content-security-policy', 'referrer-policy', 'x-content-type-options'])
      expect(reply.headers[name]).toBeDefined();
    if ('contentType' in route.response) return expect(reply.headers['content-type']).toBe(route.response.contentType);
    const sent = parseJson(reply.text);
    const read = z.safeDecode(route.response, sent);
    expect(read.success ? [] : read.error.issues).toEqual([]);
  },
);

test('the OpenAPI document has every route except the files of pages, and is valid', async () => {
  const { text } = await send(service.url, '/openapi.json');
  const { paths } = JSON.parse(text) as { paths: Record<string, object> };
  expect(Object.keys(paths).sort()).toEqual(
    routes
      .map(({ path }) => path)
      .filter(isDocumented)
      .sort(),
  );
  expect(await documentErrors('openapi', text)).toEqual([]);
});

test('serves metrics only if enabled, under the names of the suite', async () => {
  expect((await send(limited.url, '/api/1/proposals', from('203.0.113.77'))).status).toBe(200);
  const { text } = await send(service.url, '/metrics');
  expect(text).toContain('wrkz_proposals_proposals{status="1"} 1');
  expect(text).toMatch(/http_requests_total\{method="GET",route="\/api\/1\/proposals",status="200"\} \d/);
  const without = await startService();
  expect((await send(without.url, '/metrics')).status).toBe(404);
});
