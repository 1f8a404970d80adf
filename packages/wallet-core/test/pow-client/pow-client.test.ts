import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { checkHash, powHash } from '@wrkz/crypto';
import { DEFAULT_POW_SERVER, PowClient, powServerUrl, type PowClientOptions, type PowServerSettings } from '../../src';

const DIFFICULTY = 20n;
const PREFIX = Buffer.concat([Buffer.from('a prefix of a transaction'), Buffer.alloc(8)]);

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Reply = (seen: Seen, response: ServerResponse) => void;

const servers = new Set<Server>();
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers.clear();
});

/** A server with a reply function. `seen` has its requests; `changed` resolves after the next reply. */
async function startServer(
  reply: Reply,
): Promise<{ settings: PowServerSettings; seen: Seen[]; changed(): Promise<void> }> {
  const seen: Seen[] = [];
  let wake = (): void => undefined;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const entry = { method: request.method, url: request.url, headers: request.headers, body };
      seen.push(entry);
      reply(entry, response);
      wake();
    });
  }).listen(0, '127.0.0.1');
  servers.add(server);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    settings: { enabled: true, host: '127.0.0.1', port, ssl: false },
    seen,
    changed: () => new Promise<void>((resolve) => (wake = resolve)),
  };
}

const json =
  (value: object, status = 200): Reply =>
  (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
  };

const verifies = (nonce: Buffer): boolean =>
  checkHash(powHash('cn_upx', Buffer.concat([PREFIX.subarray(0, -8), nonce])), DIFFICULTY);

const find = (settings: PowServerSettings, options: PowClientOptions = {}, signal?: AbortSignal) =>
  new PowClient(settings, { threads: 1, ...options }).findNonce({
    prefix: PREFIX,
    difficulty: DIFFICULTY,
    ...(signal === undefined ? {} : { signal }),
  });

const rightNonce = async (): Promise<string> => (await find({ ...DEFAULT_POW_SERVER })).nonce.toString('hex');

test('the default settings search locally without a request', async () => {
  const { seen, settings } = await startServer(json({}));
  const result = await find({ ...settings, enabled: DEFAULT_POW_SERVER.enabled });
  expect(result.source).toBe('local');
  expect(verifies(result.nonce)).toBe(true);
  expect(seen).toEqual([]);
});

test('a job that is done immediately takes a single request, and its nonce is verified and used', async () => {
  const nonce = await rightNonce();
  const { seen, settings } = await startServer(json({ status: 'done', nonce }));
  const result = await find({ ...settings, apiKey: 'the key' });
  expect(result).toEqual({ nonce: Buffer.from(nonce, 'hex'), source: 'server' });
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ method: 'POST', url: '/pow', headers: { 'x-api-key': 'the key' } });
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ prefix: PREFIX.toString('hex'), wait_ms: 0 });
});

const job_id = 'ab'.repeat(16);
const pending = { status: 'pending', state: 'queued', job_id };
const requestsOf = (seen: readonly Seen[]): string[] => seen.map(({ method, url }) => `${method} ${url}`);
const POLL = `GET /pow/${job_id}?wait_ms=20000`;
const DELETE = `DELETE /pow/${job_id}`;

/** Replies to the submission with a pending job, and to polls with `replies` in order; the last one repeats. */
function polled(...replies: Reply[]): Reply {
  let polls = 0;
  return (entry, response) => {
    const reply = entry.method === 'GET' ? replies[Math.min(polls++, replies.length - 1)] : json(pending);
    reply?.(entry, response);
  };
}

test('a pending job is polled until it is done, at most once per second, and not cancelled', async () => {
  const nonce = await rightNonce();
  let polledAt = 0;
  const reply = polled(json(pending), json(pending), json({ status: 'done', nonce }));
  const { seen, settings } = await startServer((entry, response) => {
    if (entry.method === 'GET') polledAt = performance.now();
    reply(entry, response);
  });
  const startedAt = performance.now();
  expect((await find(settings)).source).toBe('server');
  expect(requestsOf(seen)).toEqual(['POST /pow', POLL, POLL, POLL]);
  // Two gaps; a timer may fire a millisecond early. A busy server may see two polls in a shorter interval.
  expect(polledAt - startedAt).toBeGreaterThan(1_990);
});

const disconnect: Reply = (_request, response) => response.destroy();

test.each<[string, Reply, Reply[]]>([
  ['two connections that break', disconnect, [json(pending), disconnect]],
  ['status 503', json({ status: 'error', error: 'the queue is away, retry later' }, 503), []],
  ['status 429', json({ status: 'error', error: 'too many requests' }, 429), []],
])('a poll that fails is repeated once: %s', async (_name, failure, more) => {
  const nonce = await rightNonce();
  const { seen, settings } = await startServer(polled(failure, ...more, json({ status: 'done', nonce })));
  expect((await find(settings)).source).toBe('server');
  expect(requestsOf(seen)).toEqual(['POST /pow', POLL, POLL, ...more.map(() => POLL)]);
});

/** The requests up to the first DELETE. */
async function untilDeleted({ seen, changed }: Awaited<ReturnType<typeof startServer>>): Promise<string[]> {
  while (!requestsOf(seen).includes(DELETE)) await changed();
  return requestsOf(seen);
}

describe('the job is cancelled', () => {
  test.each<[string, Reply, number, RegExp]>([
    ['after two polls that failed', disconnect, 2, /hang up|reset/],
    ['after a poll that was refused', json({ error: 'missing or incorrect X-API-KEY header' }, 401), 1, /401/],
    ['when the server does not know the job', json({ error: 'unknown or expired job' }, 404), 1, /404/],
    ['when the response has an unknown status', json({ status: 'soon' }), 1, /ended: soon/],
    ['when the job has failed', json({ status: 'error', state: 'failed' }), 1, /ended: error/],
    ['when the nonce is malformed', json({ status: 'done', nonce: 'no' }), 1, /no valid nonce/],
    ['when the nonce does not verify', json({ status: 'done', nonce: 'f'.repeat(16) }), 1, /does not verify/],
  ])('%s', async (_name, reply, polls, reason) => {
    const server = await startServer(polled(reply));
    const result = await find(server.settings);
    expect(result).toMatchObject({ source: 'local', serverFailure: expect.stringMatching(reason) });
    expect(verifies(result.nonce)).toBe(true);
    expect(await untilDeleted(server)).toEqual(['POST /pow', ...Array.from({ length: polls }, () => POLL), DELETE]);
  });

  test('when the wallet is cancelled during a poll', async () => {
    const abort = new AbortController();
    const server = await startServer(polled(() => abort.abort()));
    await expect(find(server.settings, {}, abort.signal)).rejects.toMatchObject({ name: 'AbortError' });
    expect(await untilDeleted(server)).toEqual(['POST /pow', POLL, DELETE]);
  });

  test('when the wallet is cancelled before the job has an id', async () => {
    const abort = new AbortController();
    let respond = (): void => undefined;
    const server = await startServer((entry, response) => {
      respond = () => json(pending)(entry, response);
      if (entry.method === 'POST') abort.abort();
      else respond();
    });
    await expect(find(server.settings, {}, abort.signal)).rejects.toMatchObject({ name: 'AbortError' });
    respond();
    expect(await untilDeleted(server)).toEqual(['POST /pow', DELETE]);
  });

  test('when the time limit expires between two polls', async () => {
    const server = await startServer(polled(json(pending)));
    const result = await find(server.settings, { serverLimitMs: 300 });
    expect(result).toMatchObject({ source: 'local', serverFailure: 'no response in time' });
    expect(await untilDeleted(server)).toEqual(['POST /pow', POLL, DELETE]);
  });
});

test.each([
  [
    'control characters',
    'red \u001b[31m and\r\na second line\u0007\u0000',
    'red \\u001b[31m and\\r\\na second line\\u0007\\u0000',
  ],
  ['direction marks', '\u202eturned\u2066 round\u0085', '\\u202eturned\\u2066 round\\u0085'],
  ['a long text', 'x'.repeat(5_000), 'x'.repeat(300)],
  ['an empty text', '', 'no reason given'],
])('the text of a server is reported as one printable line: %s', async (_name, error, reported) => {
  const { settings } = await startServer(json({ status: 'error', error }, 400));
  expect((await find(settings)).serverFailure).toBe(`status 400: ${reported}`);
  const other = await startServer(json({ status: error }));
  expect((await find(other.settings)).serverFailure).toBe(`the job ended: ${reported}`);
});

const wrongNonce = 'ffffffffffffffff';

test.each<[string, Reply, RegExp]>([
  ['status 503', json({ status: 'error', error: 'queue is full, try again later' }, 503), /status 503: queue is full/],
  ['an error state', json({ status: 'error', state: 'failed' }), /ended: error/],
  ['a cancelled job', json({ status: 'cancelled' }), /ended: cancelled/],
  ['a nonce that does not verify', json({ status: 'done', nonce: wrongNonce }), /does not verify/],
  ['a malformed nonce', json({ status: 'done', nonce: '00' }), /no valid nonce/],
  ['a malformed job id', json({ status: 'pending', job_id: '../stats' }), /no valid job id/],
  ['a response that is not JSON', (_request, response) => response.end('<html>'), /ended: no reason given/],
  [
    'a redirect',
    (_request, response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
    /status 302/,
  ],
  ['a connection that breaks', (_request, response) => response.destroy(), /hang up|reset/],
  ['an endless response', (_request, response) => endless(response), /maxContentLength/],
])('%s leads to the local search', async (_name, reply, reason) => {
  const reasons: string[] = [];
  const { settings } = await startServer(reply);
  const result = await find(settings, { onFallback: (text) => reasons.push(text) });
  expect(result.source).toBe('local');
  expect(verifies(result.nonce)).toBe(true);
  expect(result.serverFailure).toMatch(reason);
  expect(reasons).toEqual([result.serverFailure]);
});

function endless(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

test('a server that cannot be reached leads to the local search', async () => {
  const { settings } = await startServer(json({}));
  for (const server of servers) {
    server.close();
    await once(server, 'close');
  }
  expect((await find(settings)).serverFailure).toMatch(/ECONNREFUSED/);
});

test('when the time limit expires, the job is cancelled and the nonce is searched locally', async () => {
  let held = false;
  const { seen, settings, changed } = await startServer((entry, response) => {
    if (entry.method === 'GET') held = true;
    else json({ status: 'pending', job_id })(entry, response);
  });
  const result = await find(settings, { serverLimitMs: 300 });
  expect(held).toBe(true);
  expect(result).toMatchObject({ source: 'local', serverFailure: 'no response in time' });
  while (!seen.some(({ method }) => method === 'DELETE')) await changed();
  expect(seen.at(-1)).toMatchObject({ method: 'DELETE', url: `/pow/${job_id}` });
});

test('an abort signal ends the search without a nonce', async () => {
  const abort = new AbortController();
  const { settings } = await startServer(() => abort.abort());
  await expect(find(settings, {}, abort.signal)).rejects.toMatchObject({ name: 'AbortError' });
  await expect(find(settings, {}, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
});

test.each<[Partial<PowServerSettings>, string]>([
  [{}, 'https://txpow.wrkz.work:443'],
  [{ host: 'pow.example', port: 17870, ssl: false }, 'http://pow.example:17870'],
  [{ host: 'pow.example/helper/', port: 8080, ssl: true }, 'https://pow.example:8080/helper'],
  [{ host: 'http://pow.example/api', port: 80, ssl: true }, 'http://pow.example:80/api'],
  [{ host: 'https://pow.example:9000', port: 80, ssl: false }, 'https://pow.example:9000'],
  [{ host: '[::1]', port: 17870, ssl: false }, 'http://[::1]:17870'],
])('the settings %j give the URL %s', (settings, url) => {
  const wanted = new URL(url);
  const got = new URL(powServerUrl({ ...DEFAULT_POW_SERVER, ...settings }));
  expect([got.protocol, got.host, got.pathname]).toEqual([wanted.protocol, wanted.host, wanted.pathname]);
});

test.each([
  { host: '' },
  { host: 'ftp://pow.example' },
  { host: 'file:///etc' },
  { port: 0 },
  { port: 70_000 },
  { host: 'a b' },
])('the settings %j are refused', (settings) => {
  expect(() => powServerUrl({ ...DEFAULT_POW_SERVER, ...settings })).toThrow(RangeError);
});
