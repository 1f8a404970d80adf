import { stopWallClock } from '@wrkz/testing';
import { sendRequest, goodPrefix, post, startHelper, stopAll } from './support/helper';
import { ManualSolver } from './support/manual-solver';

stopWallClock();

afterEach(stopAll);

/** The middle of a minute, so that no test crosses the boundary of a rate-limit window. */
const NOW = Math.floor(Date.now() / 60_000) * 60_000 + 30_000;
const overrides = () => ({ solver: new ManualSolver().solve, now: () => NOW });

const id = '0'.repeat(32);

test('a burst above the limit of a client address', async () => {
  const { url } = await startHelper(['--rate-limit', '5'], overrides());
  const responses = await Promise.all(Array.from({ length: 12 }, () => sendRequest(`${url}/pow/${id}`)));
  expect(responses.filter(({ status }) => status === 404)).toHaveLength(5);
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(7);
  for (const { body, headers } of refused) {
    expect(body).toEqual({ status: 'error', error: 'too many requests from this address, retry later' });
    expect(headers.get('retry-after')).toBe('30');
  }
  for (const path of ['/', '/health']) expect((await sendRequest(url + path)).status).toBe(200);
});

test('/stats counts against the limit of a client address', async () => {
  const { url } = await startHelper(['--rate-limit', '2', '--trusted-proxy', '127.0.0.1'], overrides());
  const asks = (client: string) => sendRequest(`${url}/stats`, { headers: { 'x-real-ip': client } });
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await asks('203.0.113.5')).status);
  expect(statuses).toEqual([200, 200, 429, 429]);
  expect((await asks('203.0.113.6')).body['jobs']).toMatchObject({ rejected_rate_limited: 2, received: 0 });
});

test('a wrong key is refused before it counts against the limit', async () => {
  const { url } = await startHelper(['--rate-limit', '1', '--api-key', 'k'], overrides());
  for (let i = 0; i < 3; i++) expect((await sendRequest(`${url}/pow/${id}`)).status).toBe(401);
  expect((await sendRequest(`${url}/pow/${id}`, { headers: { 'x-api-key': 'k' } })).status).toBe(404);
  expect((await sendRequest(`${url}/pow/${id}`, { headers: { 'x-api-key': 'k' } })).status).toBe(429);
});

test('only valid prefixes count against the limit over all clients', async () => {
  const { url } = await startHelper(['--max-jobs-per-minute', '3'], overrides());
  for (let i = 0; i < 5; i++) expect((await post(`${url}/pow`, { prefix: '00'.repeat(20) })).status).toBe(400);
  const responses = await Promise.all(Array.from({ length: 6 }, () => post(`${url}/pow`, { prefix: goodPrefix() })));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(3);
  expect(refused[0]?.body).toEqual({
    status: 'error',
    error: 'the server has reached its jobs-per-minute limit, retry later',
  });
  expect(refused[0]?.headers.get('retry-after')).toBe('30');
  expect((await sendRequest(`${url}/stats`)).body['jobs']).toMatchObject({ rejected_global_limit: 3, accepted: 3 });
});

describe('forged proxy headers', () => {
  const from = (url: string, headers: Record<string, string>) => sendRequest(`${url}/pow/${id}`, { headers });

  test('are ignored unless the connection is from a trusted proxy', async () => {
    const { url } = await startHelper(['--rate-limit', '2', '--trusted-proxy', '10.9.8.7'], overrides());
    const statuses = [];
    for (let i = 0; i < 4; i++) {
      statuses.push((await from(url, { 'x-real-ip': `1.2.3.${i}`, 'x-forwarded-for': `5.6.7.${i}` })).status);
    }
    expect(statuses).toEqual([404, 404, 429, 429]);
  });

  test('from a trusted proxy X-Real-IP is used, otherwise the last entry of X-Forwarded-For', async () => {
    const { url } = await startHelper(['--rate-limit', '1', '--trusted-proxy', '10.0.0.1,127.0.0.1'], overrides());
    expect((await from(url, { 'x-real-ip': ' 1.2.3.4 ', 'x-forwarded-for': '9.9.9.9' })).status).toBe(404);
    expect((await from(url, { 'x-real-ip': '::ffff:1.2.3.4' })).status).toBe(429);
    // A client can forge all entries but the last one, which the proxy adds.
    expect((await from(url, { 'x-forwarded-for': '1.1.1.1, 2.2.2.2' })).status).toBe(404);
    expect((await from(url, { 'x-forwarded-for': '3.3.3.3, 2.2.2.2' })).status).toBe(429);
    expect((await from(url, { 'x-forwarded-for': 'not an address' })).status).toBe(404);
    expect((await from(url, {})).status).toBe(429);
  });
});

test('CORS: one origin in every response, preflight without a key', async () => {
  const origin = 'https://wallet.example';
  const { url } = await startHelper(['--enable-cors', origin, '--api-key', 'k']);
  const preflight = await sendRequest(`${url}/pow`, { method: 'OPTIONS', headers: { Origin: origin } });
  expect(preflight.status).toBe(204);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
    'access-control-allow-headers': 'Origin, X-Requested-With, Content-Type, Accept, X-API-KEY',
    'access-control-max-age': '600',
  });
  const refused = await sendRequest(`${url}/stats`);
  expect(refused.status).toBe(401);
  expect(refused.headers.get('access-control-allow-origin')).toBe(origin);

  const plain = await startHelper();
  const without = await sendRequest(`${plain.url}/pow`, { method: 'OPTIONS' });
  expect(without.status).toBe(204);
  expect([...without.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
});
