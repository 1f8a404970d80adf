import { z } from 'zod';
import { stopWallClock } from '@wrkz/testing';
import {
  bindRoutes,
  createMemoryLogger,
  createMetrics,
  discoverMethod,
  FinishedJson,
  guardOtherMethods,
  HttpError,
  type HttpAppOptions,
  type MethodDeclaration,
  JsonRpcError,
  jsonRpcRoutes,
  methodDeclarer,
  openApiDocument,
  openRpcDocument,
  Reply,
  RequestCounters,
  type Refusal,
  type Route,
  routeDeclarer,
  type RouteRequest,
} from '../src';
import { call, closeAll, raw, rules, serveApp } from './support/http-client';

stopWallClock();

afterEach(closeAll);

const OPEN = { key: false, limit: false };
const GUARDED = { key: true, limit: true };
const row = (text: string) => ({ status: 400, text, when: 'In a test.' });
const declare = routeDeclarer<unknown>();

const sendRequest = async (port: number, path: string, body?: string, method = body === undefined ? 'GET' : 'POST') => {
  const { status, text } = await call(port, path, { method, ...(body === undefined ? {} : { body }) });
  return [status, text];
};

describe('matching', () => {
  const guarded: Partial<HttpAppOptions> = {
    apiKey: { key: 'k' },
    rateLimit: { perMinute: 1 },
    bodyLengthCheck: 'first',
  };
  const routes = [
    raw('GET', '/jobs', (_request, response) => response.end('jobs')),
    raw('POST', '/open', (_request, response) => response.end('open'), OPEN),
  ];

  test('unknown paths require no key and are not counted', async () => {
    const refused: unknown[] = [];
    const { port } = await serveApp(routes, {
      ...guarded,
      onRefusal: ({ code }: Refusal, { path, client }) => refused.push([code, path, client]),
    });
    for (const [path, method] of [
      ['/none', 'GET'],
      ['/jobs', 'POST'],
      ['/jobs', 'DELETE'],
      ['/jobs/', 'GET'],
      ['/Jobs', 'GET'],
      ['/open', 'GET'],
    ] as const) {
      const large = { method, body: 'x'.repeat(2000), headers: { 'content-length': 2000 } };
      expect(await call(port, path, large)).toMatchObject({ status: 404 });
    }
    expect((await call(port, '/jobs')).status).toBe(401);
    const key = { headers: { 'x-api-key': 'k' } };
    expect((await call(port, '/jobs?x=1', key)).text).toBe('jobs');
    expect((await call(port, '/jobs', key)).status).toBe(429);
    expect((await call(port, '/open', { method: 'POST' })).text).toBe('open');
    const nowhere = ['not_found', undefined, '127.0.0.1'];
    expect(refused).toEqual([
      ...Array.from({ length: 6 }, () => nowhere),
      ['unauthorized', '/jobs', '127.0.0.1'],
      ['rate_limited', '/jobs', '127.0.0.1'],
    ]);
  });

  test('a target without a path counts as an unknown path', async () => {
    const refused: unknown[] = [];
    const metrics = createMetrics('thing_');
    const { port } = await serveApp(routes, {
      metrics,
      onRefusal: ({ code }, { path }) => refused.push([code, path]),
      cors: { origin: 'http://a', preflight: () => ({ status: 204, headers: {} }) },
    });
    for (const path of ['http://[/jobs', 'http://', 'http://a:b/jobs']) {
      expect(await call(port, path)).toMatchObject({
        status: 404,
        text: '{"code":"not_found","message":"Not found"}',
        headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      });
      expect(await call(port, path, { method: 'OPTIONS' })).toMatchObject({ status: 204, text: '' });
    }
    expect(refused).toEqual(Array.from({ length: 3 }, () => ['not_found', undefined]));
    const text = await metrics.registry.metrics();
    expect(text).toContain('\nhttp_requests_total{method="GET",route="none",status="404"} 3');
  });

  test('an error within the error handler closes the connection without details', async () => {
    const logger = createMemoryLogger();
    const onRefusal = (): never => {
      throw new Error('inner');
    };
    const { port } = await serveApp(routes, { logger, onRefusal });
    await expect(call(port, '/none')).rejects.toThrow('socket hang up');
    expect(logger.linesOf('error').join()).toContain('inner');
  });

  test('an app may guard its paths for all methods', async () => {
    const bound = bindRoutes(routes, undefined, rules);
    const paths = [...routes, { path: '/off', guards: { key: true, limit: false } }];
    const { port } = await serveApp([], { ...guarded, routes: [...bound, ...guardOtherMethods(paths)] });
    const key = { headers: { 'x-api-key': 'k' } };
    const status = async (path: string, options: object) => (await call(port, path, options)).status;
    expect(await status('/jobs', { method: 'PUT' })).toBe(401);
    expect(await status('/off', {})).toBe(401);
    expect(await status('/open', {})).toBe(404);
    expect(await status('/none', { method: 'PUT' })).toBe(404);
    expect(await status('/off', key)).toBe(404);
    expect(await status('/jobs', { method: 'PUT', ...key })).toBe(404);
    expect(await status('/jobs', key)).toBe(429);
    expect(await status('/open', { method: 'POST' })).toBe(200);
  });

  test('an error is reported even if the client has disconnected', async () => {
    const refused: unknown[] = [];
    let begun = (): void => undefined;
    const started = new Promise<void>((done) => (begun = done));
    const wait = raw('GET', '/wait', async (_request, response) => {
      const closed = new Promise((done) => response.once('close', done));
      begun();
      await closed;
      throw new HttpError(503, 'full', 'full');
    });
    let noted = (): void => undefined;
    const heard = new Promise<void>((done) => (noted = done));
    const { port } = await serveApp([wait], { onRefusal: ({ code }) => (refused.push(code), noted()) });
    const leaving = new AbortController();
    const requested = call(port, '/wait', { signal: leaving.signal });
    await started;
    leaving.abort();
    await expect(requested).rejects.toThrow();
    await heard;
    expect(refused).toEqual(['full']);
  });

  test('size, key, limit and body are checked in this order', async () => {
    const { port } = await serveApp(routes, guarded);
    const post = async (path: string, options: object) =>
      (await call(port, path, { method: 'GET', ...options })).status;
    const large = { body: 'x'.repeat(2000), headers: { 'content-length': '2000' } };
    const encoded = { 'content-encoding': 'gzip', 'content-length': '1' };
    expect(await post('/jobs', large)).toBe(413);
    expect(await post('/jobs', { body: 'x', headers: encoded })).toBe(401);
    expect(await post('/jobs', { body: 'x', headers: { ...encoded, 'x-api-key': 'k' } })).toBe(415);
    expect(await post('/jobs', { body: 'x', headers: { ...encoded, 'x-api-key': 'k' } })).toBe(429);
  });

  test('a parameter is typed by its pattern, HEAD is handled as GET', async () => {
    const { port } = await serveApp([
      declare({
        method: 'GET',
        path: '/pow/{id}',
        summary: 'A job.',
        guards: OPEN,
        params: z.object({ id: z.string().regex(/^[0-9a-f]{4}$/) }),
        query: z.object({ wait: z.string().optional() }),
        response: z.object({ id: z.string(), wait: z.string().optional() }),
        errors: [],
        handle: (_context, { path, query }) => ({ id: path.id, wait: query.wait }),
      }),
    ]);
    expect(await sendRequest(port, '/pow/00ff?wait=5')).toEqual([200, '{"id":"00ff","wait":"5"}']);
    for (const id of ['00FF', '00fff', '00f', '00ff/', ''])
      expect((await sendRequest(port, `/pow/${id}`))[0]).toBe(404);
    expect(await call(port, '/pow/00ff', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  test('a path and its schema must name the same parameters', async () => {
    const route = { ...raw('GET', '/pow/{id}', () => undefined), params: z.object({ other: z.string() }) };
    await expect(async () => serveApp([route])).rejects.toThrow('its schema has other parameters');
  });

  test('rejected requests have the label of their route', async () => {
    const metrics = createMetrics('thing_');
    const { port } = await serveApp(routes, { ...guarded, metrics });
    await call(port, '/jobs');
    await call(port, '/none');
    const text = await metrics.registry.metrics();
    expect(text).toContain('\nhttp_requests_total{method="GET",route="/jobs",status="401"} 1');
    expect(text).toContain('\nhttp_requests_total{method="GET",route="none",status="404"} 1');
  });
});

test('a client that disconnects before the response counts as 499, an unknown method as other', async () => {
  const metrics = createMetrics('thing_');
  const counters = new RequestCounters();
  let begun = (): void => undefined;
  const started = new Promise<void>((done) => (begun = done));
  let closed: Promise<unknown> | undefined;
  const wait = raw(
    'GET',
    '/wait',
    async (_request, response) => {
      closed = new Promise((done) => response.once('close', () => setImmediate(done)));
      begun();
      await closed;
    },
    OPEN,
  );
  const { port } = await serveApp([wait], { metrics, counters });
  const leaving = new AbortController();
  const requested = call(port, '/wait', { signal: leaving.signal });
  await started;
  leaving.abort();
  await expect(requested).rejects.toThrow();
  await closed;
  expect((await call(port, '/wait', { method: 'PROPFIND' })).status).toBe(404);
  const text = await metrics.registry.metrics();
  expect(text).toContain('\nhttp_requests_total{method="GET",route="/wait",status="499"} 1');
  expect(text).toContain('\nhttp_requests_total{method="other",route="none",status="404"} 1');
  expect([counters.requests, counters.count(499), counters.count(404), counters.count(200)]).toEqual([2, 1, 1, 0]);
});

describe('fields', () => {
  const integer = z.codec(z.bigint().min(0n), z.number(), { decode: Number, encode: BigInt });
  const read = declare({
    method: 'POST',
    path: '/read',
    summary: 'Echoes what was read.',
    guards: OPEN,
    body: z.object({
      first: integer.default(7),
      hashes: z.array(z.string().regex(/^[0-9a-f]+$/)).default([]),
      last: z.enum(['a', 'b']).optional(),
      needed: z.bigint(),
    }),
    response: z.object({ got: z.unknown() }),
    errors: [],
    invalid: { hashes: row('a bad hash') },
    checks: {
      first: (value) => {
        if (value > 10) throw new HttpError(400, 'own', 'first is too much');
      },
      hashes: (value, { fields }) => {
        if (value.length > (fields.first ?? 0)) throw new HttpError(400, 'own', 'more hashes than first');
      },
    },
    handle: (_context, { body }) => ({ got: body }),
  });
  let port: number;
  beforeEach(async () => ({ port } = await serveApp([read])));
  const message = async (body: string) =>
    (JSON.parse(String((await sendRequest(port, '/read', body))[1])) as { message: string }).message;

  test('a long array is parsed only slightly beyond its first invalid entry', async () => {
    let looked = 0;
    const entry = z.string().refine((text) => (looked++, text === 'ab'));
    const long = declare({
      ...read,
      path: '/long',
      body: z.object({ hashes: z.array(entry).default([]) }),
      invalid: {},
      checks: {},
      handle: (_context, { body: { hashes } }) => ({ got: hashes.length }),
    });
    const { port: own } = await serveApp([long], { bodyLimit: 500_000 });
    const send = (good: number, bad: number) => {
      looked = 0;
      const hashes = [...Array<string>(good).fill('ab'), ...Array<string>(bad).fill('zz')];
      return sendRequest(own, '/long', JSON.stringify({ hashes }));
    };
    expect(await send(0, 39_000)).toEqual([400, '{"code":"invalid","message":"hashes.0: value, unknown"}']);
    expect(looked).toBeLessThan(100);
    expect(await send(1000, 9000)).toEqual([400, '{"code":"invalid","message":"hashes.1000: value, unknown"}']);
    expect(looked).toBeLessThan(1100);
    expect(await send(39_000, 0)).toEqual([200, '{"got":39000}']);
  });

  test('are typed, have defaults, and unknown ones are omitted', async () => {
    const body = '{"needed":18446744073709551615,"hashes":["ab"],"strange":1,"toString":2}';
    expect(await sendRequest(port, '/read', body)).toEqual([
      200,
      '{"got":{"first":7,"hashes":["ab"],"needed":18446744073709551615}}',
    ]);
  });

  test.each([
    ['{', 'not JSON: {'],
    ['{}', 'needed: missing, bigint'],
    ['[]', 'needed: missing, bigint'],
    ['"x"', 'needed: missing, bigint'],
    ['{"needed":1.0}', 'needed: type, bigint'],
    ['{"needed":null}', 'needed: type, bigint'],
    ['{"first":-1}', 'first: value, bigint'],
    ['{"first":11,"hashes":5}', 'first is too much'],
    ['{"hashes":5}', 'hashes: type, array'],
    ['{"first":1,"hashes":[5,6]}', 'more hashes than first'],
    ['{"hashes":["ab",5]}', 'hashes.1: type, string'],
    ['{"hashes":["AB",5],"last":5}', 'a bad hash'],
    ['{"last":5}', 'last: type, string'],
    ['{"last":"c"}', 'last: value, string'],
  ])('%s is rejected with the first error in the order of the declaration: %s', async (body, text) => {
    expect(await message(body)).toBe(text);
  });
});

describe('bodies with invalid UTF-8 or a byte order mark', () => {
  const echo = declare({
    method: 'POST',
    path: '/echo',
    summary: 'Echoes a text.',
    guards: OPEN,
    body: z.object({ text: z.string() }),
    response: z.object({ text: z.string() }),
    errors: [],
    handle: (_context, { body }) => body,
  });
  const bodies = ['{"text":"\xff"}', '\xef\xbb\xbf{"text":"x"}'].map((text) => Buffer.from(text, 'latin1'));
  const statuses = async (port: number) =>
    Promise.all(bodies.map(async (body) => (await call(port, '/echo', { method: 'POST', body })).status));

  test('a byte order mark is skipped; invalid bytes become U+FFFD, or are rejected if the app is strict', async () => {
    expect(await statuses((await serveApp([echo])).port)).toEqual([200, 200]);
    const strict = { routes: bindRoutes<unknown, unknown>([echo], undefined, { ...rules, strictUtf8: true }) };
    expect(await statuses((await serveApp([], strict)).port)).toEqual([400, 200]);
  });
});

describe('responses', () => {
  test('finished JSON, another status, text, and labels that are checked before the fields', async () => {
    const { port } = await serveApp([
      declare({
        method: 'GET',
        path: '/finished',
        summary: 'Finished.',
        guards: OPEN,
        response: z.object({}),
        errors: [],
        handle: () => new FinishedJson('{"a" : 1}'),
      }),
      declare({
        method: 'GET',
        path: '/other',
        summary: 'Another status.',
        guards: OPEN,
        response: z.object({ a: z.number() }),
        errors: [],
        handle: () => new Reply(202, { a: 1 }, { 'X-Own': 'yes' }),
      }),
    ]);
    expect(await sendRequest(port, '/finished')).toEqual([200, '{"a" : 1}']);
    expect(await call(port, '/other')).toMatchObject({ status: 202, text: '{"a":1}', headers: { 'x-own': 'yes' } });
  });

  test('a handler is notified when its client disconnects', async () => {
    let started = (): void => undefined;
    let left = (): void => undefined;
    const [running, gone] = [new Promise<void>((done) => (started = done)), new Promise<void>((done) => (left = done))];
    const wait: Route = {
      ...raw('GET', '/wait', () => undefined),
      handle: (_context, request: { gone: AbortSignal }) => {
        started();
        return new Promise((resolve) => request.gone.addEventListener('abort', () => (left(), resolve(''))));
      },
    };
    const { port } = await serveApp([wait]);
    const leaving = new AbortController();
    const requested = call(port, '/wait', { signal: leaving.signal });
    await running;
    leaving.abort();
    await expect(requested).rejects.toThrow();
    await gone;
  });

  test('a handler that checks later detects it too', async () => {
    let begun = (): void => undefined;
    let reportAbort = (_gone: boolean): void => undefined;
    const [running, heard] = [
      new Promise<void>((done) => (begun = done)),
      new Promise<boolean>((done) => (reportAbort = done)),
    ];
    const wait: Route = {
      ...raw('GET', '/wait', () => undefined),
      handle: async (_context, request: RouteRequest) => {
        const closed = new Promise((done) => request.http.response.once('close', done));
        begun();
        await closed;
        reportAbort(request.gone.aborted);
        return 'nobody reads this';
      },
    };
    const { port } = await serveApp([wait]);
    const leaving = new AbortController();
    const requested = call(port, '/wait', { signal: leaving.signal });
    await running;
    leaving.abort();
    await expect(requested).rejects.toThrow();
    expect(await heard).toBe(true);
  });

  test('a completed response is not a disconnect', async () => {
    let signal: AbortSignal | undefined;
    const closed: Promise<unknown>[] = [];
    const quick: Route = {
      ...raw('GET', '/quick', () => undefined),
      handle: (_context, request: RouteRequest) => {
        signal = request.gone;
        closed.push(new Promise((done) => request.http.response.once('close', done)));
        return 'done';
      },
    };
    const { port } = await serveApp([quick]);
    expect((await call(port, '/quick')).text).toBe('done');
    await Promise.all(closed);
    expect(signal?.aborted).toBe(false);
  });

  test('labels are checked after the JSON of the body and before its fields', async () => {
    const closed = declare({
      method: 'POST',
      path: '/closed',
      summary: 'Not now.',
      guards: OPEN,
      labels: 'closed' as never,
      body: z.object({ needed: z.string() }),
      response: z.object({}),
      errors: [],
      handle: () => ({}),
    });
    const admit = (labels: unknown): void => {
      if (labels === 'closed') throw new HttpError(403, 'closed', 'closed');
    };
    const { port } = await serveApp([], {
      routes: bindRoutes<unknown, unknown>([closed], undefined, { ...rules, admit }),
    });
    expect((await sendRequest(port, '/closed', '{'))[0]).toBe(400);
    expect((await sendRequest(port, '/closed', '{}'))[0]).toBe(403);
    expect((await sendRequest(port, '/closed', '{"needed":"x"}'))[0]).toBe(403);
  });
});

describe('JSON-RPC', () => {
  const method = methodDeclarer<{ open: boolean }, 'closed'>();
  const double = method({
    name: 'double',
    summary: 'Twice a number.',
    params: z.object({ value: z.bigint() }),
    result: z.object({ value: z.bigint() }),
    errors: [{ status: 200, code: -1, text: 'too much', when: 'The number is large.' }],
    checks: {
      value: (value) => {
        if (value > 9n) throw new JsonRpcError(-1, 'too much');
      },
    },
    handle: (_context, { value }) => ({ value: value * 2n }),
  });
  const pair = method({
    name: 'pair',
    summary: 'Two by position.',
    params: z.tuple([z.string(), z.bigint()]),
    result: z.object({ text: z.string() }),
    errors: [],
    handle: (_context, [text, count]) => ({ text: text.repeat(Number(count)) }),
  });
  const secret = method({
    name: 'secret',
    summary: 'Closed.',
    labels: 'closed',
    result: z.object({}),
    errors: [],
    handle: () => {
      throw new Error('inner');
    },
  });
  const hidden = method({ ...secret, name: 'hidden', available: ({ open }) => open });
  const methods = [double, pair, secret, hidden] as unknown as MethodDeclaration<unknown, unknown>[];
  const start = () =>
    serveApp(
      jsonRpcRoutes<unknown, unknown>({
        path: '/rpc',
        verbs: ['POST'],
        guards: GUARDED,
        summary: 'JSON-RPC 2.0.',
        request: z.object({ method: z.string(), params: z.unknown(), id: z.unknown() }),
        response: z.looseObject({ jsonrpc: z.literal('2.0') }),
        errors: [],
        methods: methods.map((one) => (one.name === 'hidden' ? { ...one, available: () => false } : one)),
        invalid: rules.invalid,
        admit: (labels) => {
          if (labels === 'closed') throw new HttpError(403, 'closed', 'closed');
        },
        unknownMethod: (name) => new HttpError(404, 'none', name),
      }),
    );

  test.each([
    ['{"method":"double","id":"x","params":{"value":4}}', 200, '{"result":{"value":8},"id":"x","jsonrpc":"2.0"}'],
    ['{"method":"double","params":{"value":10}}', 200, '{"error":{"code":-1,"message":"too much"},"jsonrpc":"2.0"}'],
    ['{"method":"double","id":1}', 400, '{"code":"invalid","message":"params: missing, object"}'],
    ['{"method":"double","params":[]}', 400, '{"code":"invalid","message":"params: type, object"}'],
    ['{"method":"double","params":{}}', 400, '{"code":"invalid","message":"value: missing, bigint"}'],
    ['{"method":"pair","params":["ab",2]}', 200, '{"result":{"text":"abab"},"jsonrpc":"2.0"}'],
    ['{"method":"pair","params":{}}', 400, '{"code":"invalid","message":"params: type, array"}'],
    ['{"method":"pair","params":["ab","c"]}', 400, '{"code":"invalid","message":"params.1: type, bigint"}'],
    ['{"method":"secret"}', 403, '{"code":"closed","message":"closed"}'],
    ['{"method":"hidden"}', 404, '{"code":"none","message":"hidden"}'],
    ['{"method":"toString"}', 404, '{"code":"none","message":"toString"}'],
    ['{}', 400, '{"code":"invalid","message":"method: missing, string"}'],
    ['[]', 400, '{"code":"invalid","message":"method: missing, string"}'],
  ])('%s', async (body, status, text) => {
    const { port } = await start();
    expect(await sendRequest(port, '/rpc', body)).toEqual([status, text]);
  });

  test('the document is built once for the available methods', () => {
    const about = { title: 't', version: '1', description: 'd', errorBody: z.object({}) };
    const { handle } = discoverMethod(about, () => methods);
    const sendRequest = (open: boolean) => handle({ open }, undefined as never, {} as RouteRequest);
    const [open, closed] = [sendRequest(true), sendRequest(false)] as { methods: { name: string }[] }[];
    expect(open?.methods.map(({ name }) => name)).toContain('hidden');
    expect(closed?.methods.map(({ name }) => name)).not.toContain('hidden');
    expect(sendRequest(true)).toBe(open);
    expect(sendRequest(false)).toBe(closed);
  });

  test('the document has fields, positions, results and errors', () => {
    const about = { title: 't', version: '1', description: 'd', errorBody: z.object({}) };
    const printed = openRpcDocument(about, methods) as { methods: Record<string, unknown>[] };
    expect(printed.methods[0]).toMatchObject({
      name: 'double',
      paramStructure: 'by-name',
      params: [{ name: 'value', required: true, schema: { type: 'integer' } }],
      errors: [{ code: -1, message: 'too much' }],
    });
    expect(printed.methods[1]).toMatchObject({
      paramStructure: 'by-position',
      params: [{ schema: { type: 'string' } }, {}],
    });
  });
});

test('the OpenAPI document has paths, fields, statuses and required keys', () => {
  const about = {
    title: 't',
    version: '1',
    description: 'd',
    errorBody: z.object({ error: z.string() }),
    routeErrors: ({ guards }: Route) => (guards.key ? [{ status: 401, text: 'no', when: 'Without the key.' }] : []),
  };
  const job = declare({
    method: 'POST',
    path: '/jobs/{id}',
    summary: 'A job.',
    guards: GUARDED,
    params: z.object({ id: z.string().regex(/^[0-9a-f]{4}$/) }),
    body: z.object({ amount: z.bigint().min(0n).max(5n), note: z.string().default('x') }),
    response: z.object({ at: z.bigint() }),
    errors: [row('first'), row('second')],
    handle: () => ({ at: 1n }),
  });
  const printed = openApiDocument(about, [job as Route]) as {
    paths: Record<string, { post: Record<string, unknown> }>;
  };
  expect(printed.paths['/jobs/{id}']?.post).toMatchObject({
    operationId: 'postJobsId',
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^[0-9a-f]{4}$' } }],
    requestBody: {
      content: {
        'application/json': {
          schema: {
            properties: { amount: { type: 'integer', minimum: 0, maximum: 5 }, note: { default: 'x' } },
            required: ['amount'],
          },
        },
      },
    },
    security: [{ apiKey: [] }, {}],
    responses: { 401: {}, 400: { description: 'In a test. (first)\n\nIn a test. (second)' } },
  });
});
