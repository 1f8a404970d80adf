import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { networkOf } from '@wrkz/core-types';
import {
  createMemoryLogger,
  errorsOfMethod,
  errorsOfRoute,
  openApiDocument,
  openRpcDocument,
  stringifyJson,
  type ErrorRow,
} from '@wrkz/service-kit';
import { documentErrors, stopWallClock } from '@wrkz/testing';
import { readFixture } from '@wrkz/testing/fixtures';
import { startRpcServer, type RpcContext, type RpcServerOptions } from '../../src/rpc';
import { RPC_DEFAULTS } from './support/defaults';
import type { DaemonMethod, DaemonRoute } from '../../src/rpc/declare';
import { allMethods, allRoutes, description } from '../../src/rpc/service';
import { declaredErrors, undeclared } from './support/declared';
import {
  methodProvocations,
  nameOf,
  node,
  ownProvocations,
  type Provocation,
  provocationsOf,
  routeKey,
} from './support/provocations';
import { recordedRows, send, type Recorded } from './support/recorded';

stopWallClock();

/* The declarations of routes and methods match the responses of the daemon. */

type Answer = Awaited<ReturnType<typeof send>>;

async function withServer<T>(
  use: (url: string) => Promise<T>,
  options: Partial<RpcServerOptions> = {},
  context: RpcContext = node(),
): Promise<T> {
  const all = { ...RPC_DEFAULTS, bindIp: '127.0.0.1', port: 0, maxRpm: 0, ...options };
  const server = await startRpcServer(context, all, createMemoryLogger());
  try {
    return await use(`http://127.0.0.1:${server.port}`);
  } finally {
    await server.close();
  }
}

/** Provokes one error of a route. @returns the response */
function provoke({ method, path }: Pick<DaemonRoute, 'method' | 'path'>, how: Provocation): Promise<Answer> {
  const { query = '', body = null, headers = {}, times = 1, context, options } = how;
  return withServer(
    async (url) => {
      let reply = await send(url, { method, path: path + query, body, requestHeaders: headers });
      for (let i = 1; i < times; i++)
        reply = await send(url, { method, path: path + query, body, requestHeaders: headers });
      return reply;
    },
    options,
    context,
  );
}

const JSON_RPC = { method: 'POST', path: '/json_rpc' } as const;

describe('each documented error is reachable', () => {
  const cases: (readonly [string, ErrorRow, Pick<DaemonRoute, 'method' | 'path'>, Provocation | undefined])[] = [
    ...allRoutes.flatMap((route: DaemonRoute) =>
      errorsOfRoute(description, route).map(
        (row) => [`${routeKey(route)}: ${nameOf(row)}`, row, route, provocationsOf(route)[nameOf(row)]] as const,
      ),
    ),
    ...allMethods.flatMap((method: DaemonMethod) =>
      errorsOfMethod(description, method).map(
        (row) => [`${method.name}: ${nameOf(row)}`, row, JSON_RPC, methodProvocations(method)[nameOf(row)]] as const,
      ),
    ),
  ];

  test.each(cases)('%s', async (_name, row, route, how) => {
    if (how === undefined) throw new Error('no provocation is known for this error');
    const reply = await provoke(route, how);
    expect([reply.status, reply.text]).toEqual([row.status, expect.anything()]);
    expect(declaredErrors([row], reply)).toEqual([row]);
    expect(undeclared({ ...route, body: how.body ?? null }, reply)).toEqual([]);
  });

  test('every provocation belongs to a declared error', () => {
    const declared = new Map<string, readonly ErrorRow[]>([
      ...allRoutes.map((route) => [routeKey(route), errorsOfRoute(description, route)] as const),
      ...allMethods.map((method) => [method.name, errorsOfMethod(description, method)] as const),
    ]);
    for (const [key, names] of ownProvocations) {
      const known = (declared.get(key) ?? []).map(nameOf);
      expect([key, names.filter((name) => !(known as string[]).includes(name))]).toEqual([key, []]);
    }
  });
});

test.each(['get', 'post'])('the document of %s /json_rpc has the statuses of errors in the envelope', (verb) => {
  const { paths } = openApiDocument(description, allRoutes) as {
    paths: Record<string, Record<string, { responses: Record<number, { content: unknown }> }>>;
  };
  const responses = paths['/json_rpc']?.[verb]?.responses;
  expect(responses?.[503]?.content).toEqual(responses?.[200]?.content);
});

describe('recorded responses match the schemas', () => {
  /**
   * Rows to which the node of July 2025 responded differently: `/info` without later fields,
   * missing aliases, `f_transaction_json`, internal errors, and an error for too few decoys.
   */
  const EXPLORER_2025 = [...Array.from({ length: 33 }, (_, i) => 164 + i), 202];
  const JULY_2025 = new Set([1, 5, 16, 17, 231, 234, 272, 275, 310, 311, 342, 343, 345, 346, 413, ...EXPLORER_2025]);
  const rows = recordedRows().filter(({ status }) => status !== null);
  const faults = (row: Recorded): string[] => undeclared(row, { status: row.status ?? 0, text: row.response ?? '' });

  test.each(
    rows.filter(({ id }) => !JULY_2025.has(id)).map((row) => [`${row.id} ${row.method} ${row.path}`, row] as const),
  )('%s', (_name, row) => expect(faults(row)).toEqual([]));

  test('no matching row of July 2025 is listed as an exception', () => {
    const listed = rows.filter(({ id }) => JULY_2025.has(id));
    expect(listed).toHaveLength(JULY_2025.size);
    expect(listed.filter((row) => faults(row).length === 0)).toEqual([]);
  });

  test.each([
    ['rpc/info', 'GET', '/info'],
    ['mainnet/getwalletsyncdata_4213000', 'POST', '/getwalletsyncdata'],
    ['mainnet/rawblocks_4213000_v7', 'POST', '/getrawblocks'],
    ['mainnet/get_global_indexes_for_range', 'POST', '/get_global_indexes_for_range'],
    ['mainnet/getrandom_outs', 'POST', '/getrandom_outs'],
  ])('%s of 2026', (name, method, path) => {
    const text = readFixture(`${name}.json`);
    expect(undeclared({ method, path, body: null }, { status: 200, text })).toEqual([]);
  });
});

test('returns the first of several errors in the order of the declaration', async () => {
  const faults: readonly (readonly [string, string, string])[] = [
    ['/getrandom_outs', '{"outs_count":101,"amounts":5}', 'JSON parameter is wrong type. Expected Array, got Number'],
    ['/getrandom_outs', '{"outs_count":101,"amounts":["x"]}', 'outs_count exceeds the maximum of 100'],
    ['/getrandom_outs', '{"outs_count":"x"}', 'JSON parameter is wrong type. Expected uint64_t, got String'],
    ['/getwalletsyncdata', '{"blockCount":1001,"encoding":5}', 'blockCount exceeds rpc-max-block-count'],
    [
      '/getwalletsyncdata',
      '{"blockHashCheckpoints":["x"],"startHeight":"x"}',
      'blockHashCheckpoints contains invalid hash',
    ],
    ['/getwalletsyncdata', '{"encoding":"x","endHeight":"x"}', "encoding must be either 'hex' or 'base64'"],
    [
      '/get_transactions_status',
      '{"transactionHashes":["x",5]}',
      'Transaction hash specified is not a valid hex string!',
    ],
    ['/json_rpc', '{"method":"getblocktemplate","params":{"reserve_size":256}}', 'Too big reserved size'],
    ['/json_rpc', '{"method":"getblocktemplate","params":{}}', "Missing JSON parameter: 'reserve_size'"],
    [
      '/json_rpc',
      '{"method":"getblocktemplate","params":{"extra_nonce":"","reserve_size":"x"}}',
      "Missing JSON parameter: 'wallet_address'",
    ],
    ['/json_rpc', '{"method":"submitblock","params":[5,6]}', 'You must submit one and only one block blob! (Found 2)'],
    ['/json_rpc', '{"method":"generateblocks","params":{"wallet_address":"x","count":"x"}}', 'The address given is'],
  ];
  await withServer(async (url) => {
    for (const [path, body, text] of faults) {
      const reply = await send(url, { method: 'POST', path, body });
      expect([path, body, exactMessage(reply.text)]).toEqual([path, body, expect.stringContaining(text)]);
    }
  });
});

/** The text of a refusal, whichever of the two shapes it has. */
function exactMessage(text: string): string {
  const { error } = JSON.parse(text) as { error: string | { message: string } };
  return typeof error === 'string' ? error : error.message;
}

test('an unknown route requires no token and is not counted', async () => {
  const options = { accessToken: 'k', maxRpm: 1, trustProxy: true };
  const requestHeaders = { 'x-forwarded-for': '192.0.2.1' };
  await withServer(async (url) => {
    for (const [method, path] of [
      ['GET', '/none'],
      ['POST', '/info'],
      ['GET', '/getrawblocks'],
      ['PUT', '/json_rpc'],
      ['GET', '/info/'],
    ] as const) {
      expect(await send(url, { method, path, body: '{}', requestHeaders })).toMatchObject({ status: 404, text: '' });
    }
    const requested = { method: 'GET', path: '/fee', body: null };
    expect((await send(url, { ...requested, requestHeaders })).status).toBe(401);
    const withToken = { ...requestHeaders, authorization: 'Bearer k' };
    expect((await send(url, { ...requested, requestHeaders: withToken })).status).toBe(200);
    expect((await send(url, { ...requested, requestHeaders: withToken })).status).toBe(429);
  }, options);
});

test('each declaration below rpc/handlers is in the list of routes or methods', () => {
  const path = join(__dirname, '../../src/rpc/handlers');
  const declared = readdirSync(path).flatMap((file) =>
    Object.entries(jest.requireActual<Record<string, unknown>>(join(path, file))).filter(
      ([, value]) => typeof value === 'object' && value !== null && 'handle' in value,
    ),
  );
  expect(declared.length).toBeGreaterThan(25);
  const listed: readonly unknown[] = [...allRoutes, ...allMethods];
  expect(declared.filter(([, value]) => !listed.includes(value)).map(([name]) => name)).toEqual([]);
});

describe('documents', () => {
  const discover = { ...JSON_RPC, body: '{"method":"rpc.discover","id":1}' };
  const openApi = { method: 'GET', path: '/openapi.json', body: null };

  test('are served, contain every declaration, and are valid', async () => {
    await withServer(async (url) => {
      const routes = (await send(url, openApi)).text;
      const { result } = JSON.parse((await send(url, discover)).text) as { result: { methods: { name: string }[] } };
      expect(result.methods.map(({ name }) => name)).toEqual(allMethods.map(({ name }) => name));
      const documented = allRoutes.map(({ path }) => path).filter((path) => !path.startsWith('/docs/'));
      expect(Object.keys((JSON.parse(routes) as { paths: object }).paths)).toEqual([...new Set(documented)]);
      expect(await documentErrors('openapi', routes)).toEqual([]);
      expect(await documentErrors('openrpc', JSON.stringify(result))).toEqual([]);
    });
  });

  test('with errors are rejected by the validator', async () => {
    const routes = JSON.parse(stringifyJson(openApiDocument(description, allRoutes))) as Record<string, unknown>;
    const methods = JSON.parse(stringifyJson(openRpcDocument(description, allMethods))) as Record<string, unknown>;
    expect(await documentErrors('openapi', JSON.stringify({ ...routes, info: {} }))).not.toEqual([]);
    expect(await documentErrors('openrpc', JSON.stringify({ ...methods, methods: [{}] }))).not.toEqual([]);
  });

  test('omit routes that this network does not have', async () => {
    await withServer(
      async (url) => expect((await send(url, discover)).text).not.toContain('generateblocks'),
      {},
      node({ network: networkOf('mainnet') }),
    );
  });
});
