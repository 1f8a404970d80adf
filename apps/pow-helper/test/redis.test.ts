import { PowHelper, readPowHelperConfig } from '../src';
import { sendRequest, goodPrefix, makePrefix, post, startHelper, stopAll } from './support/helper';
import { startInstance } from './support/instance';
import { ManualSolver } from './support/manual-solver';
import { startRedis, withRedis, type RedisServer } from './support/redis';

withRedis('instances that share a queue', () => {
  let redis: RedisServer;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    await stopAll();
    await redis.stop();
  });

  const start = (solver: ManualSolver, args: readonly string[] = []) =>
    startHelper(['--queue', redis.url, ...args], { solver: solver.solve });
  const submit = (url: string, extra: object = {}) => post(`${url}/pow`, { prefix: goodPrefix(), ...extra });

  test('each instance returns every job', async () => {
    const solvers = [new ManualSolver(), new ManualSolver()] as const;
    const [one, two] = await Promise.all(solvers.map((solver) => start(solver)));
    const jobs = [await submit(one!.url), await submit(one!.url)].map(({ body }) => String(body['job_id']));
    await Promise.all(solvers.map((solver) => solver.started(1)));
    const polls = jobs.map((id) => sendRequest(`${two!.url}/pow/${id}?wait_ms=20000`));
    for (const solver of solvers) solver.calls[0]?.finish();
    for (const poll of await Promise.all(polls)) {
      expect(poll.body).toMatchObject({ state: 'done', nonce: '0102030405060708', hashes: 1000 });
    }
    expect((await sendRequest(`${one!.url}/pow/${jobs[1]}`)).body).toMatchObject({ state: 'done' });
  });

  test('a cancellation on one instance ends searches and queued jobs of another', async () => {
    const solver = new ManualSolver();
    const one = await start(solver);
    const running = String((await submit(one.url)).body['job_id']);
    await solver.started(1);
    const idle = new ManualSolver();
    const two = await start(idle);
    const second = String((await submit(two.url)).body['job_id']);
    await idle.started(1);
    const queued = String((await submit(two.url)).body['job_id']);
    expect((await sendRequest(`${one.url}/pow/${queued}`)).body).toMatchObject({ state: 'queued', queue_length: 1 });
    for (const id of [queued, running]) {
      const response = await sendRequest(`${two.url}/pow/${id}`, { method: 'DELETE' });
      expect(response.body).toEqual({ status: 'cancelled', job_id: id });
      expect((await sendRequest(`${one.url}/pow/${id}?wait_ms=20000`)).body).toMatchObject({ status: 'cancelled' });
    }
    expect((await sendRequest(`${one.url}/pow/${second}`)).body).toMatchObject({ state: 'running' });
    expect((await sendRequest(`${one.url}/pow/${'ab'.repeat(16)}`)).status).toBe(404);
  });

  test('a queued job expires after --job-timeout while others run, and is counted once', async () => {
    const solvers = [new ManualSolver(), new ManualSolver()] as const;
    const [one, two] = await Promise.all(solvers.map((solver) => start(solver, ['--job-timeout', '1'])));
    await Promise.all([submit(one!.url), submit(two!.url)]);
    await Promise.all(solvers.map((solver) => solver.started(1)));
    const queued = String((await submit(two!.url)).body['job_id']);
    const ended = await sendRequest(`${one!.url}/pow/${queued}?wait_ms=20000`);
    expect(ended.body).toMatchObject({ state: 'failed', error: 'expired before a worker was free' });
    const counts = await Promise.all(
      [one!, two!].map(async ({ url }) => (await sendRequest(`${url}/stats`)).body['jobs']),
    );
    expect(counts.map((jobs) => (jobs as { expired: number }).expired).sort()).toEqual([0, 1]);
  });

  test('rate limit and capacity are shared by the instances', async () => {
    const args = ['--max-jobs-per-minute', '0', '--rate-limit', '0', '--max-queue', '5'];
    const solvers = [new ManualSolver(), new ManualSolver()] as const;
    const [one, two] = await Promise.all(solvers.map((solver) => start(solver, args)));
    await Promise.all([submit(one!.url), submit(two!.url)]);
    await Promise.all(solvers.map((solver) => solver.started(1)));
    const responses = await Promise.all(Array.from({ length: 40 }, (_, i) => submit(i % 2 ? one!.url : two!.url)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(responses.filter(({ status }) => status === 503)).toHaveLength(35);
    expect((await sendRequest(`${one!.url}/health`)).body).toMatchObject({ queue: 5 });
  });

  test('the limits per minute are shared by the instances', async () => {
    const args = ['--rate-limit', '6', '--max-jobs-per-minute', '4'];
    const [one, two] = await Promise.all([start(new ManualSolver(), args), start(new ManualSolver(), args)]);
    // If a new window begins in between, at most twice the limit is accepted.
    const responses = await Promise.all(Array.from({ length: 20 }, (_, i) => submit(i % 2 ? one.url : two.url)));
    const passed = responses.filter(({ status }) => status === 200).length;
    expect([4, 8]).toContain(passed);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(20 - passed);
  });

  test('an instance that stops returns its job', async () => {
    const solver = new ManualSolver();
    const one = await start(solver);
    const id = String((await submit(one.url)).body['job_id']);
    await solver.started(1);
    const other = new ManualSolver();
    const two = await start(other);
    await one.stop();
    await other.started(1);
    other.calls[0]?.finish();
    expect((await sendRequest(`${two.url}/pow/${id}?wait_ms=20000`)).body).toMatchObject({ state: 'done' });
  });

  test('after kill -9 of one of two instances during a job, every accepted job has a result', async () => {
    const args = ['--queue', redis.url, '--network', 'devnet', '--threads', '1', '--rate-limit', '0'];
    const [one, two] = await Promise.all([startInstance(args), startInstance(args)]);
    // Many outputs, so that a job takes some time even on devnet.
    const prefix = (seed: number) =>
      makePrefix({ unlockTime: BigInt(seed), inputs: makeInputs(500), outputs: makeOutputs(90) }).toString('hex');
    const jobs = await Promise.all(
      Array.from({ length: 12 }, (_, i) => post(`${i % 2 ? one.url : two.url}/pow`, { prefix: prefix(i) })),
    );
    expect(jobs.map(({ status }) => status)).toEqual(jobs.map(() => 200));
    await one.kill('SIGKILL');
    for (const { body } of jobs) {
      let response = await sendRequest(`${two.url}/pow/${String(body['job_id'])}?wait_ms=20000`);
      while (response.body['status'] === 'pending') {
        response = await sendRequest(`${two.url}/pow/${String(body['job_id'])}?wait_ms=20000`);
      }
      expect(response.body).toMatchObject({ state: 'done', nonce: expect.stringMatching(/^[0-9a-f]{16}$/) });
    }
    expect(await two.kill('SIGTERM')).toEqual({ code: 0 });
  });

  test('an unreachable Redis ends the start with a clear message', async () => {
    await redis.stop();
    const helper = new PowHelper(readPowHelperConfig(['--queue', redis.url, '--log-level', 'disabled']), {
      port: 0,
    });
    await expect(helper.start()).rejects.toThrow(
      /cannot reach the queue at redis:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/,
    );
    await helper.stop();
  });
});

function makeInputs(count: number) {
  const keyImage = Buffer.alloc(32, 9);
  return Array.from({ length: count }, (_, i) => ({
    type: 'key' as const,
    amount: 1000n,
    keyOffsets: [i + 1],
    keyImage,
  }));
}

function makeOutputs(count: number) {
  return Array.from({ length: count }, () => ({ amount: 10n, key: Buffer.alloc(32, 7) }));
}
