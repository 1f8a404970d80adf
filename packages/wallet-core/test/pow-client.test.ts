import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { checkHash, powHash } from '@wrkz/crypto';
import { DEFAULT_POW_SERVER, PowClient, powServerUrl, type PowClientOptions, type PowServerSettings } from '../src';

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

/** A server that answers as the test says; what it saw is kept. */
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
  (_seen, response) => {
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

test('a wallet starts with the server switched off and asks nobody', async () => {
  const { seen, settings } = await startServer(json({}));
  const answer = await find({ ...settings, enabled: DEFAULT_POW_SERVER.enabled });
  expect(answer.source).toBe('local');
  expect(verifies(answer.nonce)).toBe(true);
  expect(seen).toEqual([]);
});

test('a server is asked once and its verified nonce is taken', async () => {
  const nonce = await rightNonce();
  const { seen, settings } = await startServer(json({ status: 'done', nonce }));
  const answer = await find({ ...settings, apiKey: 'the key' });
  expect(answer).toEqual({ nonce: Buffer.from(nonce, 'hex'), source: 'server' });
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ method: 'POST', url: '/pow', headers: { 'x-api-key': 'the key' } });
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ prefix: PREFIX.toString('hex'), wait_ms: 20_000 });
});

test('a pending job is polled until it is done', async () => {
  const nonce = await rightNonce();
  const job_id = 'ab'.repeat(16);
  const { seen, settings } = await startServer((entry, response) => {
    const done = seen.length >= 3;
    json(done ? { status: 'done', nonce } : { status: 'pending', state: 'queued', job_id })(entry, response);
  });
  expect((await find(settings)).source).toBe('server');
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /pow',
    `GET /pow/${job_id}?wait_ms=20000`,
    `GET /pow/${job_id}?wait_ms=20000`,
  ]);
});

const wrongNonce = 'ffffffffffffffff';

test.each<[string, Reply, RegExp]>([
  [
    'a refusal',
    json({ status: 'error', error: 'queue is full, try again later' }, 503),
    /refused \(503\): queue is full/,
  ],
  ['an error state', json({ status: 'error', state: 'failed' }), /ended as error/],
  ['a cancelled job', json({ status: 'cancelled' }), /ended as cancelled/],
  ['a nonce that does not verify', json({ status: 'done', nonce: wrongNonce }), /does not verify/],
  ['a nonce of another form', json({ status: 'done', nonce: '00' }), /without a nonce/],
  ['a job id of another form', json({ status: 'pending', job_id: '../stats' }), /without a job id/],
  ['an answer that is no JSON', (_seen, response) => response.end('<html>'), /ended as no reason given/],
  [
    'a redirect',
    (_seen, response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
    /refused \(302\)/,
  ],
  ['a connection that breaks', (_seen, response) => response.destroy(), /hang up|reset/],
  ['an answer without end', (_seen, response) => endless(response), /maxContentLength/],
])('%s leads to the local search', async (_name, reply, reason) => {
  const reasons: string[] = [];
  const { settings } = await startServer(reply);
  const answer = await find(settings, { onFallback: (text) => reasons.push(text) });
  expect(answer.source).toBe('local');
  expect(verifies(answer.nonce)).toBe(true);
  expect(answer.serverFailure).toMatch(reason);
  expect(reasons).toEqual([answer.serverFailure]);
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

test('when the time is over the job is cancelled and searched here', async () => {
  const job_id = 'cd'.repeat(16);
  let held = false;
  const { seen, settings, changed } = await startServer((entry, response) => {
    if (entry.method === 'GET') held = true;
    else json({ status: 'pending', job_id })(entry, response);
  });
  const answer = await find(settings, { serverLimitMs: 300 });
  expect(held).toBe(true);
  expect(answer).toMatchObject({ source: 'local', serverFailure: 'gave no answer in time' });
  while (!seen.some(({ method }) => method === 'DELETE')) await changed();
  expect(seen.at(-1)).toMatchObject({ method: 'DELETE', url: `/pow/${job_id}` });
});

test('a cancelled wallet gets no nonce', async () => {
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
])('the settings %j mean %s', (settings, url) => {
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
