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

test('/livez answers while the process lives, /readyz as it can work', async () => {
  let ready = false;
  const { port } = await serveApp(healthRoutes(() => ({ ready, height: 5 })));
  expect((await call(port, '/livez')).text).toBe('{"status":"OK"}');
  expect(await call(port, '/readyz')).toMatchObject({ status: 503, text: '{"status":"UNAVAILABLE","height":5}' });
  ready = true;
  expect(await call(port, '/readyz')).toMatchObject({ status: 200, text: '{"status":"OK","height":5}' });
});
