import { get, request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { once } from 'node:events';
import { sendRequest, goodPrefix, makePrefix, post, startHelper, stopAll } from './support/helper';
import { ManualSolver } from './support/manual-solver';

afterEach(stopAll);

async function startManual(args: readonly string[] = [], now?: () => number) {
  const solver = new ManualSolver();
  const running = await startHelper(args, { solver: solver.solve, ...(now === undefined ? {} : { elapsed: now }) });
  const submit = (extra: object = {}) => post(`${running.url}/pow`, { prefix: goodPrefix(), ...extra });
  return { ...running, solver, submit };
}

test('a job is queued, running, done', async () => {
  const { url, solver, submit } = await startManual();
  const first = await submit();
  expect(first.status).toBe(200);
  expect(first.body).toEqual({
    job_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    state: 'running',
    status: 'pending',
    difficulty: 45_000,
    inputs: 1,
    outputs: 1,
    hashes: 256,
    elapsed_ms: expect.any(Number),
  });
  const second = await submit();
  expect(second.body).toMatchObject({ state: 'queued', status: 'pending', queue_length: 1 });
  expect((await sendRequest(`${url}/health`)).body).toEqual({
    status: 'OK',
    queue: 1,
    capacity: 64,
    threads: expect.any(Number),
  });

  const poll = sendRequest(`${url}/pow/${String(first.body['job_id'])}?wait_ms=20000`);
  solver.calls[0]?.finish();
  expect((await poll).body).toMatchObject({ state: 'done', status: 'done', nonce: '0102030405060708', hashes: 1000 });
  await solver.started(2);
  expect((await sendRequest(`${url}/pow/${String(second.body['job_id'])}`)).body).toMatchObject({ state: 'running' });
});

test('a submission can wait for the result, by a field of the body or the query', async () => {
  const { url, solver, submit } = await startManual();
  const waiting = submit({ wait_ms: 20_000 });
  await solver.started(1);
  solver.calls[0]?.finish();
  expect((await waiting).body).toMatchObject({ status: 'done' });
  const byQuery = post(`${url}/pow?wait_ms=20000`, { prefix: goodPrefix(), wait_ms: 'soon' });
  await solver.started(2);
  solver.calls[1]?.finish();
  expect((await byQuery).body).toMatchObject({ status: 'done' });
});

test('a wait is clamped and never an error', async () => {
  const { url, submit } = await startManual(['--max-wait-ms', '20']);
  expect((await submit({ wait_ms: 10 ** 15 })).body).toMatchObject({ status: 'pending' });
  const { body } = await submit();
  for (const wait of ['999999999999999999999', 'abc', '-1', '']) {
    expect(await sendRequest(`${url}/pow/${String(body['job_id'])}?wait_ms=${wait}`)).toMatchObject({ status: 200 });
  }
});

test('a client that disconnects does not lose its result', async () => {
  const { url, solver, submit } = await startManual();
  const { body } = await submit();
  const request = get(`${url}/pow/${String(body['job_id'])}?wait_ms=20000`);
  request.on('error', () => undefined);
  await once(request, 'socket');
  await sendRequest(`${url}/health`);
  request.destroy();
  solver.calls[0]?.finish();
  const poll = await sendRequest(`${url}/pow/${String(body['job_id'])}?wait_ms=20000`);
  expect(poll.body).toMatchObject({ status: 'done', nonce: '0102030405060708' });
});

test('DELETE cancels queued and running jobs, and returns jobs that have ended', async () => {
  const { url, solver, submit } = await startManual();
  const running = String((await submit()).body['job_id']);
  const queued = String((await submit()).body['job_id']);
  const remove = (id: string) => sendRequest(`${url}/pow/${id}`, { method: 'DELETE' });
  expect((await remove(queued)).body).toEqual({ status: 'cancelled', job_id: queued });
  expect((await sendRequest(`${url}/pow/${queued}`)).body).toMatchObject({ state: 'cancelled', status: 'cancelled' });
  expect((await remove(running)).body).toEqual({ status: 'cancelled', job_id: running });
  expect((await sendRequest(`${url}/pow/${running}?wait_ms=20000`)).body).toMatchObject({ state: 'cancelled' });
  expect((await remove(running)).body).toMatchObject({ state: 'cancelled', difficulty: 45_000 });
  const done = String((await submit()).body['job_id']);
  await solver.started(2);
  solver.calls[1]?.finish();
  await sendRequest(`${url}/pow/${done}?wait_ms=20000`);
  expect((await remove(done)).body).toMatchObject({ state: 'done', nonce: '0102030405060708' });
  expect((await sendRequest(`${url}/stats`)).body['jobs']).toMatchObject({ accepted: 3, completed: 1, cancelled: 2 });
});

test('an expired job is dropped before it runs, a result is deleted after its TTL', async () => {
  let now = Date.now();
  const { url, solver, submit } = await startManual(['--job-timeout', '600', '--result-ttl', '300'], () => now);
  const first = String((await submit()).body['job_id']);
  const late = String((await submit()).body['job_id']);
  now += 600_001;
  const dropped = sendRequest(`${url}/pow/${late}?wait_ms=20000`);
  solver.calls[0]?.finish();
  expect((await dropped).body).toMatchObject({
    state: 'failed',
    status: 'error',
    error: 'expired before a worker was free',
  });
  expect((await sendRequest(`${url}/stats`)).body['jobs']).toMatchObject({ completed: 1, expired: 1, failed: 0 });
  expect((await sendRequest(`${url}/pow/${first}`)).status).toBe(200);
  now += 300_001;
  expect(await sendRequest(`${url}/pow/${first}`)).toMatchObject({
    status: 404,
    body: { error: 'unknown or expired job' },
  });
});

test('a queued job expires after --job-timeout while another one runs', async () => {
  const { url, solver, submit } = await startManual(['--job-timeout', '1']);
  const running = String((await submit()).body['job_id']);
  await solver.started(1);
  const queued = String((await submit()).body['job_id']);
  const ended = (await sendRequest(`${url}/pow/${queued}?wait_ms=20000`)).body;
  expect(ended).toMatchObject({ state: 'failed', error: 'expired before a worker was free' });
  expect(ended['elapsed_ms']).toBeGreaterThanOrEqual(900);
  expect((await sendRequest(`${url}/pow/${running}`)).body).toMatchObject({ state: 'running' });
  expect((await sendRequest(`${url}/stats`)).body).toMatchObject({
    jobs: { expired: 1, failed: 0 },
    queue: { waiting: 0 },
  });
});

test('200 concurrent jobs with a queue of 64', async () => {
  const { url, submit, solver } = await startManual(['--max-jobs-per-minute', '0', '--rate-limit', '0']);
  const responses = await Promise.all(Array.from({ length: 200 }, () => submit()));
  const taken = responses.filter(({ status }) => status === 200);
  const refused = responses.filter(({ status }) => status === 503);
  expect(taken).toHaveLength(65); // one runs, 64 wait
  expect(refused).toHaveLength(135);
  for (const { body, headers } of refused) {
    expect(body).toEqual({ status: 'error', error: 'queue is full, try again later' });
    expect(headers.get('retry-after')).toBe('1');
  }
  expect((await sendRequest(`${url}/stats`)).body).toMatchObject({
    jobs: { received: 200, accepted: 65, rejected_queue_full: 135 },
    queue: { waiting: 64, capacity: 64, tracked_jobs: 65 },
    active: { difficulty: 45_000, inputs: 1, outputs: 1, hashes: 256, running_ms: expect.any(Number) },
  });
  for (let i = 0; i < 65; i++) {
    await solver.started(i + 1);
    solver.calls[i]?.finish();
  }
  const last = await Promise.all(
    taken.map(({ body }) => sendRequest(`${url}/pow/${String(body['job_id'])}?wait_ms=20000`)),
  );
  expect(last.every(({ body }) => body['status'] === 'done')).toBe(true);
});

test('a stop responds to waiting clients and rejects new jobs', async () => {
  const { url, submit, stop, helper } = await startManual();
  const running = String((await submit()).body['job_id']);
  const queued = String((await submit()).body['job_id']);
  const polls = [running, queued].map((id) => sendRequest(`${url}/pow/${id}?wait_ms=20000`));
  await sendRequest(`${url}/health`);
  await stop();
  for (const poll of polls) {
    expect((await poll).body).toMatchObject({ state: 'failed', error: 'server shutting down' });
  }
  await expect(sendRequest(`${url}/health`)).rejects.toThrow();
  expect(helper.port).toBeGreaterThan(0);
});

test('a request that arrives while the helper stops is refused', async () => {
  const { url, helper, stop } = await startManual();
  const body = JSON.stringify({ prefix: goodPrefix() });
  const late = request(`${url}/pow`, { method: 'POST', headers: { 'Content-Length': body.length } });
  const answered = once(late, 'response') as Promise<[IncomingMessage]>;
  late.write(body.slice(0, 5));
  // The helper has received the head once it responds to the next request.
  await sendRequest(`${url}/health`);
  const stopped = stop();
  late.end(body.slice(5));
  const [response] = await answered;
  expect(response.statusCode).toBe(503);
  expect(await json(response)).toEqual({ status: 'error', error: 'server is shutting down' });
  await stopped;
  expect(helper.port).toBeGreaterThan(0);
});

test('the search gets the prefix unchanged', async () => {
  const { solver, submit } = await startManual();
  await submit();
  expect(solver.calls[0]?.prefix).toEqual(makePrefix());
});
