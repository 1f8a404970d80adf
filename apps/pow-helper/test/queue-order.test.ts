import { get } from 'node:http';
import { firstAbandoned, nextJob, POLL_TIMEOUT_MS } from '../src/queue/job-queue';
import { sendRequest, makePrefix, post, startHelper, stopAll } from './support/helper';
import { ManualSolver } from './support/manual-solver';
import { startRedis, withRedis, type RedisServer } from './support/redis';

/* The order of jobs when some clients have stopped polling. */

const ARGS = ['--rate-limit', '0', '--max-jobs-per-minute', '0', '--max-queue', '4'];

interface Scene {
  readonly url: string;
  readonly solver: ManualSolver;
  /** Advances the time until every queued job counts as abandoned. */
  pass(): Promise<void>;
}

/** A queue whose jobs are named by single letters. */
class Letters {
  readonly ids = new Map<string, string>();
  private ended = 0;

  constructor(private readonly scene: Scene) {}

  async submit(letter: string): Promise<number> {
    const prefix = makePrefix({ unlockTime: BigInt(letter.charCodeAt(0)) }).toString('hex');
    const { status, body } = await post(`${this.scene.url}/pow`, { prefix });
    if (status === 200) this.ids.set(letter, String(body['job_id']));
    return status;
  }

  async poll(letter: string, query = ''): Promise<Record<string, unknown>> {
    return (await sendRequest(`${this.scene.url}/pow/${this.ids.get(letter)}${query}`)).body;
  }

  /** Ends `count` more searches. @returns the letters of all ended jobs, in the order of their searches */
  async order(count: number): Promise<string> {
    const { solver } = this.scene;
    for (let i = 0; i < count; i++) {
      await solver.started(this.ended + 1);
      solver.calls[this.ended++]?.finish();
    }
    const known = [...this.ids.keys()];
    const prefixOf = (letter: string) => makePrefix({ unlockTime: BigInt(letter.charCodeAt(0)) });
    return solver.calls
      .slice(0, this.ended)
      .map(({ prefix }) => known.find((letter) => prefixOf(letter).equals(prefix)))
      .join('');
  }
}

function turns(start: () => Promise<Scene>): void {
  test('abandoned jobs run last, the others in FIFO order', async () => {
    const scene = await start();
    const jobs = new Letters(scene);
    for (const letter of 'abcd') await jobs.submit(letter);
    await scene.solver.started(1);
    await scene.pass();
    await jobs.poll('d');
    await jobs.poll('c');
    await jobs.submit('e');
    expect(await jobs.order(4)).toBe('acde');
    // The abandoned job b runs when no other job is queued.
    expect(await jobs.order(1)).toBe('acdeb');
  });

  test('a poll restores the position of an abandoned job', async () => {
    const scene = await start();
    const jobs = new Letters(scene);
    for (const letter of 'abcd') await jobs.submit(letter);
    await scene.solver.started(1);
    await scene.pass();
    await jobs.poll('d');
    await jobs.poll('b');
    expect(await jobs.order(4)).toBe('abdc');
  });

  test('a full queue drops the first abandoned job, and rejects new jobs if there is none', async () => {
    const scene = await start();
    const jobs = new Letters(scene);
    for (const letter of 'abcde') expect(await jobs.submit(letter)).toBe(200);
    expect(await jobs.submit('f')).toBe(503);
    await scene.pass();
    await jobs.poll('b');
    expect(await jobs.submit('f')).toBe(200);
    expect(await jobs.poll('c')).toMatchObject({ state: 'failed', error: 'expired before a worker was free' });
    expect(await jobs.poll('b')).toMatchObject({ state: 'queued', queue_length: 4 });
    const { body } = await sendRequest(`${scene.url}/stats`);
    expect(body['jobs']).toMatchObject({ accepted: 6, expired: 1, rejected_queue_full: 1 });
    expect(await jobs.order(5)).toBe('abfde');
  });
}

async function requestsAt(url: string): Promise<number> {
  const { body } = await sendRequest(`${url}/stats`);
  return (body['http'] as { requests: number }).requests;
}

afterEach(stopAll);

describe('in memory', () => {
  let now = 0;

  const start = async (): Promise<Scene> => {
    const solver = new ManualSolver();
    const { url } = await startHelper(ARGS, { solver: solver.solve, elapsed: () => now });
    return { url, solver, pass: async () => void (now += POLL_TIMEOUT_MS + 1) };
  };

  turns(start);

  test('a job polled half a minute ago is not abandoned', async () => {
    const scene = await start();
    const jobs = new Letters(scene);
    for (const letter of 'abc') await jobs.submit(letter);
    now += POLL_TIMEOUT_MS;
    await jobs.poll('c');
    expect(await jobs.order(3)).toBe('abc');
  });

  test('a waiting request counts as a poll until it ends', async () => {
    const scene = await start();
    const jobs = new Letters(scene);
    for (const letter of 'abc') await jobs.submit(letter);
    const held = get(`${scene.url}/pow/${jobs.ids.get('c')}?wait_ms=20000`);
    held.on('error', () => undefined);
    // Wait until the helper has the three jobs and the long poll; each query of the count is a request too.
    let looks = 1;
    while ((await requestsAt(scene.url)) < 4 + looks) looks++;
    await scene.pass();
    expect(await jobs.order(3)).toBe('acb');
  });
});

withRedis('in Redis', () => {
  let redis: RedisServer;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    await stopAll();
    await redis.stop();
  });

  turns(async () => {
    const solver = new ManualSolver();
    const { url } = await startHelper(['--queue', redis.url, ...ARGS], { solver: solver.solve });
    const client = redis.client();
    const pass = async (): Promise<void> => {
      for (const id of await client.zrange('wrkz-pow:polled', '0', '-1')) {
        await client.zadd('wrkz-pow:polled', Date.now() - POLL_TIMEOUT_MS - 1_000, id);
      }
    };
    return { url, solver, pass };
  });
});

test('order of jobs', () => {
  const waited = (job: string) => job === job.toUpperCase();
  expect(nextJob([...'abCD'], waited)).toBe('C');
  expect(nextJob([...'ab'], waited)).toBe('a');
  expect(nextJob([], waited)).toBeUndefined();
  expect(firstAbandoned([...'CabD'], waited)).toBe('a');
  expect(firstAbandoned([...'CD'], waited)).toBeUndefined();
});
