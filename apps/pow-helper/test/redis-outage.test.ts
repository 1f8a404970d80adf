import { createMemoryLogger } from '@wrkz/service-kit';
import { sendRequest, goodPrefix, startHelper, stopAll, type Answer, type RunningHelper } from './support/helper';
import { startInstance } from './support/instance';
import { ManualSolver } from './support/manual-solver';
import { startRedis, withRedis, type RedisServer } from './support/redis';

/* Outages of Redis. */

let redis: RedisServer;

/** Timeout of requests, below that of a test, so that a missing response fails the test with a clear error. */
const soon = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(300_000) });
const look = (url: string, init: RequestInit = {}): Promise<Answer> => sendRequest(url, { ...soon(), ...init });
const submit = (url: string): Promise<Answer> =>
  look(`${url}/pow`, { method: 'POST', body: JSON.stringify({ prefix: goodPrefix() }) });
const idOf = ({ body }: Answer): string => String(body['job_id']);

const AWAY = { status: 'error', error: 'the queue is away, retry later' };
const ARGS = ['--rate-limit', '0', '--max-jobs-per-minute', '0'];

interface Watched extends RunningHelper {
  readonly solver: ManualSolver;
  /** Log lines about outages of the queue and their ends. */
  lines(): string[];
}

async function start(args: readonly string[] = ARGS): Promise<Watched> {
  const solver = new ManualSolver();
  const logger = createMemoryLogger();
  const running = await startHelper(['--queue', redis.url, ...args], { solver: solver.solve, logger });
  const lines = (): string[] => logger.lines.flatMap((line) => /the queue in Redis.*/.exec(line) ?? []);
  return { ...running, solver, lines };
}

/** Polls /readyz until it returns the status. */
async function untilReady(url: string, status: 200 | 503): Promise<void> {
  while ((await look(`${url}/readyz`)).status !== status);
}

withRedis('Redis is unreachable', () => {
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    redis.resume();
    await stopAll();
    await redis.stop();
  });

  const ways: [string, () => Promise<void> | void, () => Promise<void> | void][] = [
    ['killed', () => redis.kill(), () => redis.restart()],
    ['stopped', () => redis.pause(), () => redis.resume()],
  ];

  describe.each(ways)('%s', (_way, take, release) => {
    test('jobs get 503 with Retry-After, health the last known queue length', async () => {
      const { url, solver } = await start();
      const running = idOf(await submit(url));
      await solver.started(1);
      const queued = idOf(await submit(url));
      expect((await look(`${url}/health`)).body).toMatchObject({ queue: 1 });
      const held = look(`${url}/pow/${queued}?wait_ms=20000`);
      await look(`${url}/livez`);
      await take();
      const responses = await Promise.all([
        held,
        ...Array.from({ length: 30 }, () => submit(url)),
        look(`${url}/pow/${running}`),
        look(`${url}/pow/${queued}?wait_ms=20000`),
        look(`${url}/pow/${queued}`, { method: 'DELETE' }),
      ]);
      for (const { status, body, headers } of responses) {
        expect({ status, body, retry: headers.get('retry-after') }).toEqual({ status: 503, body: AWAY, retry: '2' });
      }
      expect(await look(`${url}/health`)).toMatchObject({ status: 200, body: { queue: 1, capacity: 64 } });
      expect(await look(`${url}/stats`)).toMatchObject({ status: 200, body: { queue: { waiting: 1 } } });
      expect(await look(`${url}/readyz`)).toMatchObject({ status: 503, body: { status: 'UNAVAILABLE' } });
      expect((await look(`${url}/livez`)).status).toBe(200);
    });

    test('readiness changes without a request, with one log line for each change', async () => {
      const { url, lines } = await start();
      await untilReady(url, 200);
      await take();
      await untilReady(url, 503);
      await Promise.all(Array.from({ length: 10 }, () => submit(url)));
      await release();
      await untilReady(url, 200);
      // On a busy machine another command may time out, which is one more change.
      const changes = lines().map(
        (line) => /^the queue in Redis is (.+?)(?:: .+; jobs are refused until .+)?$/.exec(line)?.[1],
      );
      expect(changes).toEqual(changes.map((_line, i) => (i % 2 === 0 ? 'unreachable' : 'reachable again')));
      expect(changes.at(-1)).toBe('reachable again');
    });

    test('a refused submission is not run later', async () => {
      const { url, solver } = await start();
      await take();
      const responses = await Promise.all(Array.from({ length: 30 }, () => submit(url)));
      expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 503));
      await release();
      await untilReady(url, 200);
      const job = idOf(await submit(url));
      await solver.started(1);
      expect((await look(`${url}/pow/${job}`)).body).toMatchObject({ state: 'running' });
      expect((await look(`${url}/health`)).body).toMatchObject({ queue: 0 });
      expect(solver.calls).toHaveLength(1);
    });

    test('limits continue to count in the process', async () => {
      const { url } = await start(['--rate-limit', '4', '--max-jobs-per-minute', '0']);
      const id = '0'.repeat(32);
      // Both halves are in one window of the limit, or each half starts a new count.
      const first = [await look(`${url}/pow/${id}`), await look(`${url}/pow/${id}`)];
      expect(first.map(({ status }) => status)).toEqual([404, 404]);
      await take();
      const results = [];
      for (let i = 0; i < 12; i++) results.push((await look(`${url}/pow/${id}`)).status);
      expect(results.slice(0, 2)).toEqual([503, 503]);
      expect(results).toContain(429);
      expect(results.filter((status) => status === 503).length).toBeLessThanOrEqual(8);
      expect(results.every((status) => status === 503 || status === 429)).toBe(true);
    });

    test('an instance stops with exit code 0', async () => {
      const instance = await startInstance(['--queue', redis.url, '--threads', '1', '--max-difficulty', '10000000']);
      const held = look(`${instance.url}/pow/${idOf(await submit(instance.url))}?wait_ms=20000`);
      await look(`${instance.url}/livez`);
      await take();
      expect(await instance.kill('SIGTERM')).toEqual({ code: 0 });
      expect([200, 503]).toContain((await held).status);
    });

    test('a result found during the outage is stored later, and the job is not searched again', async () => {
      const { url, solver, stop } = await start();
      const id = idOf(await submit(url));
      await solver.started(1);
      await take();
      await untilReady(url, 503);
      solver.calls[0]?.finish();
      await release();
      await untilReady(url, 200);
      const { body, status } = await look(`${url}/pow/${id}?wait_ms=20000`);
      // A killed Redis has lost the job.
      expect([status, body['nonce']]).toEqual(_way === 'killed' ? [404, undefined] : [200, '0102030405060708']);
      expect(solver.calls).toHaveLength(1);
      await stop();
    });
  });

  test('a Redis that does not respond ends the start with a clear message', async () => {
    redis.pause();
    await expect(start()).rejects.toThrow(/cannot reach the queue at redis:\/\/127\.0\.0\.1:\d+: /);
  });

  test('after Redis lost its data the search ends, its job is unknown, and new jobs are accepted', async () => {
    const { url, solver } = await start();
    const id = idOf(await submit(url));
    await solver.started(1);
    await redis.kill();
    await untilReady(url, 503);
    await redis.restart();
    await untilReady(url, 200);
    expect((await look(`${url}/pow/${id}`)).status).toBe(404);
    // An instance runs one search at a time: the next one begins when the current one has ended.
    const next = idOf(await submit(url));
    await solver.started(2);
    solver.calls[1]?.finish();
    expect((await look(`${url}/pow/${next}?wait_ms=20000`)).body).toMatchObject({ state: 'done' });
  });

  test('a search whose lock cannot be renewed is aborted, and its job is run again', async () => {
    const { url, solver } = await start();
    const id = idOf(await submit(url));
    await solver.started(1);
    redis.pause();
    await solver.calls[0]?.aborted;
    redis.resume();
    await solver.started(2);
    solver.calls[1]?.finish();
    expect((await look(`${url}/pow/${id}?wait_ms=20000`)).body).toMatchObject({ state: 'done' });
    expect((await look(`${url}/stats`)).body['jobs']).toMatchObject({ completed: 1, failed: 0 });
  });

  const states: [string, string[], string[], RegExp][] = [
    ['is full', ['maxmemory', '1'], ['maxmemory', '0'], /OOM/],
    ['cannot save', ['min-replicas-to-write', '1'], ['min-replicas-to-write', '0'], /NOREPLICAS/],
  ];
  test.each(states)('a Redis that %s counts as unreachable', async (_state, set, unset, reason) => {
    const { url, lines } = await start();
    const client = redis.client();
    await client.config('SET', ...(set as [string, string]));
    expect(await submit(url)).toMatchObject({ status: 503, body: AWAY });
    await untilReady(url, 503);
    expect((await look(`${url}/health`)).status).toBe(200);
    await client.config('SET', ...(unset as [string, string]));
    await untilReady(url, 200);
    expect((await submit(url)).status).toBe(200);
    expect(lines()[0]).toMatch(reason);
    expect(lines()).toHaveLength(2);
  });

  test('a read-only Redis counts as unreachable', async () => {
    const { url, lines } = await start();
    const client = redis.client();
    await client.call('REPLICAOF', '127.0.0.1', '1');
    expect(await submit(url)).toMatchObject({ status: 503, body: AWAY });
    await untilReady(url, 503);
    await client.call('REPLICAOF', 'NO', 'ONE');
    await untilReady(url, 200);
    expect((await submit(url)).status).toBe(200);
    expect(lines()[0]).toMatch(/READONLY/);
  });

  test('a loading Redis counts as unreachable', async () => {
    const { url } = await start();
    const client = redis.client();
    for (let i = 0; i < 500; i++) await client.set(`filler:${i}`, 'x'.repeat(1000));
    const queued = idOf(await submit(url));
    await client.save();
    await redis.kill();
    await redis.restart(['--key-load-delay', '20000', '--loading-process-events-interval-bytes', '1024']);
    await untilReady(url, 503);
    expect(await client.info('persistence')).toContain('loading:1');
    expect(await submit(url)).toMatchObject({ status: 503, body: AWAY });
    await client.config('SET', 'key-load-delay', '0');
    await untilReady(url, 200);
    expect((await look(`${url}/pow/${queued}`)).status).toBe(200);
  });

  test('a flapping Redis logs equal numbers of outages and ends, and jobs are done afterwards', async () => {
    const { url, solver, lines } = await start();
    for (let i = 0; i < 3; i++) {
      redis.pause();
      await submit(url);
      redis.resume();
      await untilReady(url, 200);
      await redis.kill();
      await submit(url);
      await redis.restart();
      await untilReady(url, 200);
    }
    expect(lines().filter((line) => line === 'the queue in Redis is reachable again')).toHaveLength(6);
    expect(lines()).toHaveLength(12);
    const before = solver.calls.length;
    const id = idOf(await submit(url));
    await solver.started(before + 1);
    solver.calls[before]?.finish();
    expect((await look(`${url}/pow/${id}?wait_ms=20000`)).body).toMatchObject({ state: 'done' });
  });
});
