import { z } from 'zod';
import { createMetrics, healthRoutes, metricsRoute, RequestCounters } from '../src';
import { call, closeAll, raw, serveApp } from './support/http-client';

afterEach(closeAll);

test('/metrics shows requests by declared route, never by requested path', async () => {
  const metrics = createMetrics('thing_');
  const counters = new RequestCounters();
  metrics.gauge('depth', 'Depth', [], (gauge) => gauge.set(7));
  const { port } = await serveApp(
    [
      { ...raw('GET', '/jobs/{id}', (_request, response) => response.end('x')), params: z.object({ id: z.string() }) },
      metricsRoute(metrics, { key: true, limit: true }),
    ],
    { metrics, counters },
  );
  await call(port, '/jobs/1');
  await call(port, '/jobs/2');
  await call(port, '/secret-path');
  const { text, headers } = await call(port, '/metrics');
  expect(headers['content-type']).toContain('text/plain');
  expect(text).toContain('\nhttp_requests_total{method="GET",route="/jobs/{id}",status="200"} 2');
  expect(text).toContain('\nhttp_requests_total{method="GET",route="none",status="404"} 1');
  expect(text).toContain('thing_depth 7');
  expect(text).toContain('\nprocess_cpu_seconds_total');
  expect(text).not.toContain('secret-path');
  expect(counters.requests).toBe(4);
  expect(counters.count(200)).toBeGreaterThanOrEqual(2);
  expect(counters.count(404)).toBe(1);
});

test('OPTIONS has the label of the declared route, also for preflights', async () => {
  const metrics = createMetrics('thing_');
  const job = raw('GET', '/jobs/{id}', (_request, response) => response.end('x'));
  const { port } = await serveApp(
    [{ ...job, params: z.object({ id: z.string() }) }, metricsRoute(metrics, { key: false, limit: false })],
    { metrics, cors: { origin: '*', preflight: () => ({ status: 204, headers: {} }) } },
  );
  for (const path of ['/jobs/1', '/jobs/2', '/secret-path', '*']) await call(port, path, { method: 'OPTIONS' });
  const { text } = await call(port, '/metrics');
  expect(text).toContain('http_requests_total{method="OPTIONS",route="/jobs/{id}",status="204"} 2');
  expect(text).toContain('http_requests_total{method="OPTIONS",route="none",status="204"} 2');
  expect(text).not.toContain('secret-path');
});

test.each([
  [undefined, ['5', '10', '+Inf']],
  [5, ['5', '10', '+Inf']],
  [30, ['10', '20', '30', '35', '+Inf']],
  [90, ['20', '40', '80', '90', '95', '+Inf']],
])('duration buckets reach the longest response of %p seconds', async (longestResponseSeconds, last) => {
  const metrics = createMetrics('thing_');
  const options = longestResponseSeconds === undefined ? {} : { longestResponseSeconds };
  const { port } = await serveApp([metricsRoute(metrics, { key: false, limit: false })], { metrics, ...options });
  await call(port, '/nothing');
  const { text } = await call(port, '/metrics');
  const ends = [...text.matchAll(/http_request_seconds_bucket\{le="([^"]+)",method="GET",route="none"\}/g)];
  expect(ends.map(([, end]) => end).slice(-last.length)).toEqual(last);
});

test('/livez is 200 while the process runs, /readyz while the service is ready', async () => {
  let ready = false;
  const { port } = await serveApp(healthRoutes(() => ({ ready, height: 5 })));
  expect((await call(port, '/livez')).text).toBe('{"status":"OK"}');
  expect(await call(port, '/readyz')).toMatchObject({ status: 503, text: '{"status":"UNAVAILABLE","height":5}' });
  ready = true;
  expect(await call(port, '/readyz')).toMatchObject({ status: 200, text: '{"status":"OK","height":5}' });
});

test('external counters are read at each scrape and not summed', async () => {
  const metrics = createMetrics('thing_');
  let count = 3;
  metrics.counted('turns_total', 'Turns', () => count);
  metrics.counted('sides_total', 'Sides', [
    [{ side: 'left' }, () => count],
    [{ side: 'right' }, () => 2 * count],
  ]);
  const { port } = await serveApp([metricsRoute(metrics, { key: false, limit: false })], { metrics });
  for (const expected of [3, 5]) {
    count = expected;
    const { text } = await call(port, '/metrics');
    expect(text).toContain(`\nthing_turns_total ${expected}\n`);
    expect(text).toContain(
      `\nthing_sides_total{side="left"} ${expected}\nthing_sides_total{side="right"} ${2 * expected}\n`,
    );
  }
});
