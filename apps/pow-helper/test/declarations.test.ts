import { createMetrics, errorsOfRoute, openApiDocument, stringifyJson, type Route } from '@wrkz/service-kit';
import { documentErrors, stopWallClock } from '@wrkz/testing';
import { POW_SERVICE, powRoutes, type PowRoute } from '../src/routes';
import { matching, undeclared } from './support/declared';
import { sendRequest, goodPrefix, post, startHelper, stopAll } from './support/helper';
import { send } from './support/http-client';
import { ManualSolver } from './support/manual-solver';
import { goodRequest, METRICS, nameOf, provocations, startScene, type ErrorName } from './support/provocations';

stopWallClock();

/* The helper behaves as its API declarations document. */

afterEach(stopAll);

const routes = powRoutes({ metrics: createMetrics('test_'), isReady: async () => true });
const titled = routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const errorsOf = (route: PowRoute) => errorsOfRoute(POW_SERVICE, route as Route<never, never>);

describe('each documented error is reachable', () => {
  const cases = titled.flatMap(([title, route]) =>
    errorsOf(route).map((row) => [`${title}: ${nameOf(row)}`, route, row] as const),
  );

  test.each(cases)('%s', async (_title, route, row) => {
    const response = await provocations[nameOf(row)](route);
    expect(matching([row], response)).toEqual([row]);
    expect(undeclared(route, response)).toEqual([]);
  });

  test('every test case is for a declared error', () => {
    const declared = new Set<ErrorName>(routes.flatMap((route) => errorsOf(route).map(nameOf)));
    expect(Object.keys(provocations).filter((name) => !declared.has(name as ErrorName))).toEqual([]);
  });
});

describe('responses match the schemas', () => {
  test.each(titled)('%s', async (_title, route) => {
    const scene = await startScene();
    const response = await send(scene.url, goodRequest(route, scene));
    expect(response.status).toBe(200);
    expect(undeclared(route, response)).toEqual([]);
  });

  test('jobs in every state', async () => {
    const solver = new ManualSolver();
    const { url, stop } = await startHelper([], { solver: solver.solve });
    const submit = async () => String((await post(`${url}/pow`, { prefix: goodPrefix() })).body['job_id']);
    const [done, queued, cancelled, failed] = [await submit(), await submit(), await submit(), await submit()];
    const states: unknown[] = [];
    const look = async (method: 'GET' | 'DELETE', id: string, wait = 0): Promise<void> => {
      const route = routes.find((one) => one.method === method && one.path === '/pow/{id}') as PowRoute;
      const response = await send(url, { method, path: `/pow/${id}?wait_ms=${wait}` });
      expect(undeclared(route, response)).toEqual([]);
      const { state, status } = JSON.parse(response.text) as Record<string, unknown>;
      states.push([state, status]);
    };
    await look('GET', done);
    await look('GET', queued);
    await look('DELETE', cancelled);
    await look('DELETE', cancelled);
    solver.calls[0]?.finish();
    await look('GET', done, 20_000);
    await look('DELETE', done);
    const waiting = look('GET', failed, 20_000);
    await sendRequest(`${url}/health`);
    await stop();
    await waiting;
    expect(states).toEqual([
      ['running', 'pending'],
      ['queued', 'pending'],
      [undefined, 'cancelled'],
      ['cancelled', 'cancelled'],
      ['done', 'done'],
      ['done', 'done'],
      ['failed', 'error'],
    ]);
  });

  test.each(titled)('%s returns only declared responses to odd requests', async (_title, route) => {
    const scene = await startScene(['--rate-limit', '0', '--max-jobs-per-minute', '0']);
    const good = goodRequest(route, scene);
    const bodies = ['', '{', '[]', 'null', '5', '"x"', '{}', '{"prefix":null}', '{"prefix":"00","height":{}}'];
    for (const body of [...bodies, `{"prefix":"${goodPrefix()}","wait_ms":-1,"height":1.5,"more":[]}`]) {
      expect(undeclared(route, await send(scene.url, { ...good, body }))).toEqual([]);
    }
    const noPeer = goodRequest(route, { ...scene, jobs: ['0'.repeat(32), '0'.repeat(32)] });
    for (const odd of [
      noPeer,
      { ...good, body: 'x'.repeat(524_289) },
      { ...good, headers: { expect: '100-continue' } },
    ]) {
      expect(undeclared(route, await send(scene.url, odd))).toEqual([]);
    }
    for (const query of ['?', '?wait_ms', '?wait_ms=x', '?wait_ms=1&wait_ms=2', '?wait_ms[]=5', '?%', '?a=b']) {
      expect(undeclared(route, await send(scene.url, { ...good, path: good.path + query }))).toEqual([]);
    }
  });

  test('a response that does not match the schema is detected', async () => {
    const [, health] = routes as [PowRoute, PowRoute];
    const text = '{"capacity":64,"queue":0,"status":"OK","threads":1}';
    const response = { status: 200, headers: {}, text };
    expect(undeclared(health, response)).toEqual([]);
    for (const wrong of [
      { ...response, text: text.replace('}', ',"more":1}') },
      { ...response, text: text.replace('"queue":0,', '') },
      { ...response, text: text.replace('64', '"64"') },
      { ...response, status: 404, text: '{"status":"error","error":"unknown or expired job"}' },
      { ...response, status: 500, text: 'no clock' },
      { ...response, status: 201 },
    ]) {
      expect(undeclared(health, wrong)).not.toEqual([]);
    }
  });
});

describe('the document', () => {
  test('requires the key, is rate-limited, lists every route, and is valid', async () => {
    const { url } = await startHelper([METRICS, '--api-key', 'k', '--rate-limit', '1']);
    expect((await sendRequest(`${url}/openapi.json`)).status).toBe(401);
    const { text, body } = await sendRequest(`${url}/openapi.json`, { headers: { 'x-api-key': 'k' } });
    expect((await sendRequest(`${url}/openapi.json`, { headers: { 'x-api-key': 'k' } })).status).toBe(429);
    const named = Object.entries(body['paths'] as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const documented = titled.map(([title]) => title).filter((title) => !title.includes(' /docs/'));
    expect(named.sort()).toEqual(documented.sort());
    expect(await documentErrors('openapi', text)).toEqual([]);
  });

  test('shows which routes require a key, and has no metrics if they are disabled', () => {
    const printed = JSON.parse(
      stringifyJson(openApiDocument(POW_SERVICE, powRoutes({ metrics: undefined, isReady: async () => true }))),
    ) as { paths: Record<string, Record<string, { security: unknown[]; responses: object }>> };
    expect(printed.paths['/metrics']).toBeUndefined();
    expect(printed.paths['/health']?.['get']?.security).toEqual([]);
    expect(printed.paths['/stats']?.['get']?.security).not.toEqual([]);
    expect(Object.keys(printed.paths['/stats']?.['get']?.responses ?? {})).toContain('429');
    expect(Object.keys(printed.paths['/pow']?.['post']?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '400', '401', '413', '429', '503']),
    );
  });
});

test('an unknown path is 404 without a key; a known path requires the key for every method', async () => {
  const { url } = await startHelper([METRICS, '--api-key', 'k', '--rate-limit', '1']);
  for (const path of ['/nothing', '/pow/ab', '/stats/', '/Health']) {
    for (const method of ['GET', 'POST', 'DELETE']) expect((await send(url, { method, path })).status).toBe(404);
  }
  for (const path of ['/', '/stats', '/pow', `/pow/${'0'.repeat(32)}`, '/metrics', '/openapi.json']) {
    expect((await send(url, { method: 'PUT', path })).status).toBe(401);
  }
  const headers = { 'x-api-key': 'k' };
  expect((await send(url, { method: 'PUT', path: '/pow', headers })).status).toBe(404);
  expect((await send(url, { method: 'PUT', path: '/pow', headers })).status).toBe(429);
  expect((await send(url, { method: 'PUT', path: '/stats', headers })).status).toBe(429);
  const { text } = await send(url, { method: 'GET', path: '/metrics', headers });
  expect(text).toContain('http_requests_total{method="PUT",route="/pow/{id}",status="401"} 1');
  expect(text).toContain('http_requests_total{method="GET",route="none",status="404"} 4');
});
