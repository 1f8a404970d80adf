import { silentLogger } from '@wrkz/service-kit';
import type { Redis } from 'ioredis';
import { FAILURES } from '../src/job';
import { RedisLink } from '../src/queue/redis/redis-link';
import { recordOf } from '../src/queue/redis/redis-store';
import { RedisStore, type TakenJob } from '../src/queue/redis/redis-store';
import { POLL_TIMEOUT_MS } from '../src/queue/job-queue';
import { sendRequest, makePrefix, post, startHelper, stopAll } from './support/helper';
import { ManualSolver } from './support/manual-solver';
import { startRedis, withRedis, type RedisServer } from './support/redis';

/* The operations of the shared queue: stored results, locks of jobs, and jobs of an instance that was killed. */

const SPEC = { prefix: makePrefix(), inputs: 1, outputs: 1, difficulty: 45_000n };
const SOLUTION = { nonce: Buffer.from('0102030405060708', 'hex'), hashes: 1000n };
const SETTINGS = { capacity: 4, jobTimeoutMs: 600_000, resultTtlMs: 300_000, pollTimeoutMs: POLL_TIMEOUT_MS };
const ID = 'ab'.repeat(16);
const key = (id: string): string => `wrkz-pow:job:${id}`;

withRedis('the shared queue', () => {
  let redis: RedisServer;
  let client: Redis;
  let link: RedisLink;
  let store: RedisStore;
  beforeEach(async () => {
    redis = await startRedis();
    client = redis.client();
    link = new RedisLink(redis.url, silentLogger(), { onAway: () => undefined, onMessage: () => undefined });
    await link.open();
    store = new RedisStore(link, SETTINGS);
    await store.heartbeat(undefined, []);
  });
  afterEach(async () => {
    await stopAll();
    link.close();
    await redis.stop();
  });

  async function take(token: string): Promise<TakenJob> {
    const { job } = await store.take(token);
    if (job === undefined) throw new Error('the queue has no job');
    return job;
  }
  const beatFor = (job: TakenJob) => store.heartbeat({ ...job, hashes: 1n }, []);
  const loseLock = (id: string) => client.zadd('wrkz-pow:running', 0, id);

  test('a job is never done without its nonce', async () => {
    const { url } = await startHelper(
      ['--queue', redis.url, '--rate-limit', '0', '--max-jobs-per-minute', '0', '--max-queue', '1000'],
      { solver: async () => SOLUTION },
    );
    const seen = new Map<unknown, number>();
    const one = async (): Promise<void> => {
      const { body } = await post(`${url}/pow`, { prefix: makePrefix().toString('hex') });
      let job = body;
      while (job['state'] !== 'done') job = (await sendRequest(`${url}/pow/${String(body['job_id'])}`)).body;
      seen.set(job['nonce'], (seen.get(job['nonce']) ?? 0) + 1);
    };
    for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 20 }, one));
    expect([...seen]).toEqual([['0102030405060708', 200]]);
  });

  test('the prefix, up to half a megabyte, is transferred only to the instance that runs the job', async () => {
    const run = jest.spyOn(link, 'run');
    await store.submit(ID, SPEC);
    const job = await take('first');
    expect(job.spec).toEqual(SPEC);
    expect((await store.depth()).active).toMatchObject({ inputs: 1, outputs: 1, difficulty: 45_000n });
    expect(await store.read(ID)).toMatchObject({ state: 'running' });
    expect(await store.cancel(ID)).toMatchObject({ cancelled: true });
    const replies = await Promise.all(run.mock.results.map(({ value }) => value as Promise<unknown>));
    const prefixes = replies.map((reply) => JSON.stringify(reply).includes(SPEC.prefix.toString('hex')));
    expect(prefixes).toEqual([false, true, false, false, false]);
  });

  test('a stored job that is done without a nonce is returned as failed', () => {
    const fields = { submittedAt: '1', finishedAt: '5', inputs: '1', outputs: '1', difficulty: '5', state: 'done' };
    expect(recordOf(ID, fields, 9)).toMatchObject({ state: 'failed', error: FAILURES.internal, elapsedMs: 4 });
    expect(recordOf(ID, { ...fields, nonce: '01' }, 9)).toMatchObject({ state: 'failed' });
    expect(recordOf(ID, { ...fields, nonce: '01'.repeat(8) }, 9)).toMatchObject({ state: 'done' });
    expect(recordOf(ID, {}, 9)).toBeUndefined();
  });

  test('a result is stored after the lock was lost, and the job is not run again', async () => {
    await store.submit(ID, SPEC);
    const first = await take('one');
    await loseLock(ID);
    await store.heartbeat(undefined, []);
    const second = await take('two');
    expect(second.spec).toEqual(SPEC);
    expect((await beatFor(first)).held).toBe('lost');
    expect((await beatFor(second)).held).toBe('held');
    expect(await store.complete(ID, SOLUTION)).toBe(true);
    expect(await store.read(ID)).toMatchObject({ state: 'done', ...SOLUTION });
    expect((await beatFor(second)).held).toBe('lost');
    expect(await store.complete(ID, { ...SOLUTION, hashes: 5n })).toBe(false);
    await store.returnJob(second);
    expect((await store.take('three')).job).toBeUndefined();
    expect(await store.read(ID)).toMatchObject({ state: 'done', ...SOLUTION });
  });

  test('a late result ends a job that is queued again', async () => {
    await store.submit(ID, SPEC);
    await store.returnJob(await take('one'));
    expect(await store.read(ID)).toMatchObject({ state: 'queued' });
    expect(await store.complete(ID, SOLUTION)).toBe(true);
    expect((await store.take('two')).job).toBeUndefined();
    expect(await store.depth()).toEqual({ waiting: 0, tracked: 1, active: undefined });
  });

  test('a job fails after the third loss', async () => {
    await store.submit(ID, SPEC);
    for (const token of ['one', 'two']) {
      await take(token);
      await loseLock(ID);
      expect((await store.heartbeat(undefined, [ID])).givenUp).toEqual([]);
      expect(await store.read(ID)).toMatchObject({ state: 'queued' });
    }
    await take('three');
    await loseLock(ID);
    const { givenUp, ended } = await store.heartbeat(undefined, [ID]);
    expect([givenUp, ended]).toEqual([[expect.any(Number)], [ID]]);
    expect(await store.read(ID)).toMatchObject({ state: 'failed', error: FAILURES.internal });
    expect((await store.take('four')).job).toBeUndefined();
  });

  test('a returned job does not count as a loss', async () => {
    await store.submit(ID, SPEC);
    for (let i = 0; i < 5; i++) await store.returnJob(await take(`token ${i}`));
    expect(await store.read(ID)).toMatchObject({ state: 'queued' });
  });

  test('after an outage of Redis no lock is lost', async () => {
    await store.submit(ID, SPEC);
    const job = await take('one');
    await loseLock(ID);
    await client.set('wrkz-pow:beat', Date.now() - 60_000);
    await store.heartbeat(undefined, []);
    expect((await beatFor(job)).held).toBe('held');
    expect(await client.hget(key(ID), 'losses')).toBe('0');
  });

  test('a returned job retains its position', async () => {
    const other = 'cd'.repeat(16);
    await store.submit(ID, SPEC);
    await store.submit(other, SPEC);
    const first = await take('one');
    await store.returnJob(first);
    expect((await take('two')).id).toBe(ID);
  });

  test('ids without a job are removed', async () => {
    for (const set of ['waiting', 'running', 'polled']) await client.zadd(`wrkz-pow:${set}`, 0, 'ghost');
    await store.submit(ID, SPEC);
    await store.heartbeat(undefined, []);
    expect((await take('one')).id).toBe(ID);
    expect((await store.take('two')).job).toBeUndefined();
    expect(await store.depth()).toMatchObject({ waiting: 0, tracked: 1 });
  });

  test('Redis deletes a finished job after its TTL, and a late result does not create it again', async () => {
    await store.submit(ID, SPEC);
    await take('one');
    await store.complete(ID, SOLUTION);
    expect(await client.pttl(key(ID))).toBeGreaterThan(0);
    expect(await client.hexists(key(ID), 'prefix')).toBe(0);
    await client.del(key(ID));
    expect(await store.complete(ID, SOLUTION)).toBe(false);
    expect(await store.cancel(ID)).toBeUndefined();
    expect(await client.exists(key(ID))).toBe(0);
  });

  test('an instance that has lost its lock ends the search and takes the next job', async () => {
    const solver = new ManualSolver();
    const { url } = await startHelper(['--queue', redis.url], { solver: solver.solve });
    const submit = async () =>
      String((await post(`${url}/pow`, { prefix: makePrefix().toString('hex') })).body['job_id']);
    const lost = await submit();
    await solver.started(1);
    await client.hset(key(lost), 'owner', 'another instance');
    const next = await submit();
    await solver.started(2);
    solver.calls[1]?.finish();
    expect((await sendRequest(`${url}/pow/${next}?wait_ms=20000`)).body).toMatchObject({ state: 'done' });
    expect((await sendRequest(`${url}/pow/${lost}`)).body).toMatchObject({ state: 'running' });
    expect((await sendRequest(`${url}/stats`)).body['jobs']).toMatchObject({ completed: 1, failed: 0, cancelled: 0 });
  });
});
