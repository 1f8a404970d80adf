import { request } from 'node:http';
import { sendRequest, makePrefix, post, startHelper, stopAll } from './support/helper';
import { ManualSolver } from './support/manual-solver';
import { startRedis, withRedis, type RedisServer } from './support/redis';

/* A client disconnects before the response to its submission: no client knows the id of the job, so none can fetch its result. */

const ARGS = ['--rate-limit', '0', '--max-jobs-per-minute', '0'];

/** Sends a submission and disconnects once the search has started. */
async function submitAndLeave(url: string, solver: ManualSolver): Promise<void> {
  const sent = request(`${url}/pow`, { method: 'POST', agent: false });
  sent.on('error', () => undefined);
  sent.end(JSON.stringify({ prefix: makePrefix().toString('hex'), wait_ms: 20_000 }));
  await solver.started(1);
  const closed = new Promise<void>((resolve) => sent.once('close', () => resolve()));
  sent.destroy();
  await closed;
}

function leaving(args: () => readonly string[]): void {
  afterEach(stopAll);

  test('a disconnect before the response aborts the search, and the next job starts', async () => {
    const solver = new ManualSolver();
    const { url } = await startHelper([...ARGS, ...args()], { solver: solver.solve });
    await submitAndLeave(url, solver);
    await solver.calls[0]?.aborted;
    const { body } = await post(`${url}/pow`, { prefix: makePrefix({ unlockTime: 1n }).toString('hex') });
    await solver.started(2);
    solver.calls[1]?.finish();
    expect((await sendRequest(`${url}/pow/${String(body['job_id'])}?wait_ms=20000`)).body).toMatchObject({
      status: 'done',
    });
  });

  test('a disconnect after the response does not end the job', async () => {
    const solver = new ManualSolver();
    const { url } = await startHelper([...ARGS, ...args()], { solver: solver.solve });
    const { body } = await post(`${url}/pow`, { prefix: makePrefix().toString('hex') }, { Connection: 'close' });
    await solver.started(1);
    solver.calls[0]?.finish();
    expect((await sendRequest(`${url}/pow/${String(body['job_id'])}?wait_ms=20000`)).body).toMatchObject({
      status: 'done',
    });
  });
}

describe('in memory', () => leaving(() => []));

withRedis('in Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  leaving(() => ['--queue', redis.url]);
});
