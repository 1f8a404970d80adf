import { z } from 'zod';
import { stopWallClock } from '@wrkz/testing';
import {
  bindRoutes,
  discoverMethod,
  guardOtherMethods,
  HttpError,
  JsonRpcError,
  jsonRpcRoutes,
  type Method,
  methodDeclarer,
  openApiDocument,
  openRpcDocument,
  routeDeclarer,
  type Route,
} from '../src';
import { call, closeAll, raw, rules, serveApp } from './support/http-client';

stopWallClock();

/* Rare parts of declarations, which no other test covers. */

afterEach(closeAll);

const OPEN = { key: false, limit: false };
const declare = routeDeclarer<unknown>();
const status = async (port: number, path: string, method = 'GET') => (await call(port, path, { method })).status;
const post = async (port: number, path: string, body: string) => {
  const response = await call(port, path, { method: 'POST', body });
  return [response.status, response.text];
};

describe('paths', () => {
  test('a dot matches only a dot, and a parameter without a pattern ends at the next slash', async () => {
    const named = declare({
      method: 'GET',
      path: '/of/{name}',
      summary: 'By name.',
      guards: OPEN,
      params: z.object({ name: z.string() }),
      response: z.object({ name: z.string() }),
      errors: [],
      handle: (_context, { path }) => path,
    });
    const { port } = await serveApp([raw('GET', '/a.json', (_request, response) => response.end(), OPEN), named]);
    expect(await status(port, '/a.json')).toBe(200);
    expect(await status(port, '/aXjson')).toBe(404);
    expect((await call(port, '/of/x.y')).text).toBe('{"name":"x.y"}');
    for (const path of ['/of/x/y', '/of/', '/of/x/']) expect([path, await status(port, path)]).toEqual([path, 404]);
  });

  test('rejects a pattern that captures a group, because groups are the parameters', async () => {
    const route = { ...raw('GET', '/of/{id}', () => undefined), params: z.object({ id: z.string().regex(/^(a|b)$/) }) };
    await expect(async () => serveApp([route])).rejects.toThrow('captures a group');
    const plain = { ...route, params: z.object({ id: z.string().regex(/^(?:a|\(b)$/) }) };
    const { port } = await serveApp([{ ...plain, handle: () => 'found' }]);
    expect([await status(port, '/of/a'), await status(port, '/of/(b'), await status(port, '/of/b')]).toEqual([
      200, 200, 404,
    ]);
  });

  test('a route that is not available in this configuration is unknown', async () => {
    const off = { ...raw('GET', '/off', () => undefined), available: () => false };
    const on = { ...raw('GET', '/on', (_request, response) => response.end(), OPEN), available: () => true };
    const { port } = await serveApp([off, on]);
    expect([await status(port, '/off'), await status(port, '/on')]).toEqual([404, 200]);
  });

  test('any other method has the guards of a method of its path, in any order of the routes', async () => {
    const key = { key: true, limit: false };
    const limit = { key: false, limit: true };
    const verbs = ['GET', 'POST', 'PUT'] as const;
    for (const guards of [[key, limit, OPEN] as const, [OPEN, limit, key] as const, [limit, key, OPEN] as const]) {
      const routes = verbs.map((verb, i) => raw(verb, '/x', (_request, response) => response.end(), guards[i]));
      const bound = bindRoutes(routes, undefined, rules);
      const { port } = await serveApp([], {
        apiKey: { key: 'k' },
        rateLimit: { perMinute: 1 },
        routes: [...bound, ...guardOtherMethods(routes)],
      });
      expect(await status(port, '/x', 'DELETE')).toBe(401);
      const withKey = { method: 'DELETE', headers: { 'x-api-key': 'k' } };
      expect((await call(port, '/x', withKey)).status).toBe(404);
      expect((await call(port, '/x', withKey)).status).toBe(429);
    }
  });
});

describe('fields', () => {
  test('only sent fields are checked, a list is checked once, and a too long one is an invalid value', async () => {
    const checked: unknown[] = [];
    const prepared: unknown[] = [];
    const route = declare({
      method: 'POST',
      path: '/read',
      summary: 'Echoes what was read.',
      guards: OPEN,
      body: z.object({ list: z.array(z.string()).max(2).default([]) }),
      response: z.object({ got: z.unknown() }),
      errors: [],
      checks: { list: (value) => checked.push(value) },
      prepare: (members) => (prepared.push(members), members),
      handle: (_context, { body }) => ({ got: body }),
    });
    const named = declare({
      method: 'POST',
      path: '/named',
      summary: 'Has a member that every object inherits.',
      guards: OPEN,
      body: z.object({ constructor: z.string().optional() }),
      response: z.object({ got: z.unknown() }),
      errors: [],
      handle: (_context, { body }) => ({ got: body }),
    });
    const { port } = await serveApp([route, named]);
    expect(await post(port, '/named', '{}')).toEqual([200, '{"got":{}}']);
    expect(await post(port, '/read', '{}')).toEqual([200, '{"got":{"list":[]}}']);
    expect(await post(port, '/read', '{"list":["a"]}')).toEqual([200, '{"got":{"list":["a"]}}']);
    expect(checked).toEqual([[], ['a']]);
    expect(await post(port, '/read', '{"list":["a","b","c"]}')).toEqual([
      400,
      '{"code":"invalid","message":"list: value, array"}',
    ]);
    prepared.length = 0;
    for (const body of ['[]', 'null', '"x"', '5']) expect((await post(port, '/read', body))[0]).toBe(200);
    // Fields are prepared in objects only.
    expect(prepared).toEqual([]);
  });
});

describe('methods', () => {
  const method = methodDeclarer<{ open: boolean }>();
  const failing = method({
    name: 'failing',
    summary: 'Fails with data.',
    params: z.object({ late: z.bigint().optional(), needed: z.string() }),
    result: z.object({}),
    errors: [],
    handle: () => {
      throw new JsonRpcError(-5, 'no', 200, { why: 'so' });
    },
  });
  const sometimes = method({ ...failing, name: 'sometimes', available: ({ open }) => open });
  const methods = [failing, sometimes] as unknown as Method<{ open: boolean }, never>[];

  test('an error has its data; null params have the wrong type', async () => {
    const routes = jsonRpcRoutes<unknown, unknown>({
      path: '/rpc',
      verbs: ['POST'],
      guards: OPEN,
      summary: 'JSON-RPC 2.0.',
      request: z.object({ method: z.string(), params: z.unknown(), id: z.unknown() }),
      response: z.looseObject({}),
      errors: [],
      methods: methods.slice(0, 1),
      invalid: rules.invalid,
      unknownMethod: (name) => new HttpError(404, 'none', name),
    });
    const { port } = await serveApp(routes);
    const error = '{"error":{"code":-5,"message":"no","data":{"why":"so"}},"jsonrpc":"2.0"}';
    expect(await post(port, '/rpc', '{"method":"failing","params":{"needed":"x"}}')).toEqual([200, error]);
    const response = await post(port, '/rpc', '{"method":"failing","params":null}');
    expect(response).toEqual([400, '{"code":"invalid","message":"params: type, object"}']);
  });

  test('the document has required fields first, and discovery lists only existing methods', async () => {
    const about = { title: 't', version: '1', description: 'd', errorBody: z.object({}) };
    const { methods: printed } = openRpcDocument(about, methods) as {
      methods: { params: { name: string; required: boolean }[] }[];
    };
    expect(printed[0]?.params.map(({ name, required }) => [name, required])).toEqual([
      ['needed', true],
      ['late', false],
    ]);
    const discover = discoverMethod(about, () => methods);
    for (const [open, names] of [
      [true, ['failing', 'sometimes']],
      [false, ['failing']],
    ] as const) {
      const found = discover.handle({ open }, undefined as never, undefined as never) as {
        methods: { name: string }[];
      };
      expect(found.methods.map(({ name }) => name)).toEqual(names);
    }
  });
});

test('the OpenAPI document has required query fields, and the statuses with a body', () => {
  const about = { title: 't', version: '1', description: 'd', errorBody: z.object({ error: z.string() }) };
  const route = declare({
    method: 'GET',
    path: '/x',
    summary: 'With a query.',
    guards: OPEN,
    query: z.object({ needed: z.string(), more: z.string().optional() }),
    response: z.object({
      at: z
        .bigint()
        .min(0n)
        .max(2n ** 64n - 1n),
    }),
    errors: [
      { status: 400, text: '', when: 'Bare.' },
      { status: 400, text: 'said', when: 'Spoken.' },
      { status: 404, text: '', when: 'Bare.' },
    ],
    handle: () => ({ at: 1n }),
  });
  const { paths } = openApiDocument(about, [route as Route]) as {
    paths: Record<string, { get: { parameters: object[]; security: object[]; responses: Record<string, object> } }>;
  };
  const { parameters, security, responses } = paths['/x']!.get;
  expect(parameters).toMatchObject([
    { name: 'needed', in: 'query', required: true },
    { name: 'more', in: 'query', required: false },
  ]);
  expect(security).toEqual([]);
  expect(responses[400]).toMatchObject({ description: 'Bare.\n\nSpoken. (said)', content: { 'application/json': {} } });
  expect(responses[404]).toEqual({ description: 'Bare.' });
  const { at } = (responses[200] as { content: Record<string, { schema: { properties: Record<string, object> } }> })
    .content['application/json']!.schema.properties;
  // Most JSON parsers cannot represent 2^64 - 1 exactly, so `format` states the range.
  expect(at).toEqual({ type: 'integer', minimum: 0, format: 'uint64' });
});
