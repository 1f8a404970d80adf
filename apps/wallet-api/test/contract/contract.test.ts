import { join } from 'node:path';
import { createMetrics, errorsOfRoute, isDocumented } from '@wrkz/service-kit';
import { type Example, exampleOf, typesOf, storedExamples } from '@wrkz/testing';
import { walletRoutes } from '../../src/routes';
import { WALLET_SERVICE, type WalletRoute } from '../../src/routes/declare';
import { type ServiceResponse, TestService } from '../support/service';
import { faultsOf } from './answers';
import { isOptional, wrongBodies } from './fields';
import { jsonOf, type Success, successes } from './successes';
import { World } from './world';

/* Every route behaves as declared: the tests provoke each declared response. */

const routes = walletRoutes({
  metrics: createMetrics('wrkz_wallet_'),
  isStopping: () => false,
  wallets: { current: undefined } as never,
}).filter(isDocumented);
const keyOf = ({ method, path }: Pick<WalletRoute, 'method' | 'path'>): string => `${method} ${path}`;
const routeOf = (key: string): WalletRoute => {
  const found = routes.find((route) => keyOf(route) === key);
  if (found === undefined) throw new Error(`no route ${key}`);
  return found;
};

/** Valid values of path parameters. */
const PARAMETERS: Readonly<Record<string, string>> = {
  address: `Wrkz${'a'.repeat(94)}`,
  hash: 'ab'.repeat(32),
  subject: 'ab'.repeat(32),
  paymentId: 'ab'.repeat(8),
  startHeight: '1',
  endHeight: '2',
};

const pathWith = (path: string, given: Readonly<Record<string, string>> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_all, name: string) => given[name] ?? PARAMETERS[name] ?? '');

let world: World;
/** The bodies of successful requests, from which bodies with one fault are made. */
const good = new Map<string, object>();
const closing: TestService[] = [];

beforeAll(async () => {
  world = await World.start('--enable-metrics');
});

afterAll(async () => {
  await Promise.all(closing.map((service) => service.stop()));
  await world.stop();
});

function requestAt(at: Success['at'], success: Success, text?: string): Promise<ServiceResponse> {
  const { method, path } = routeOf(success.route);
  const body = text ?? (success.body === undefined ? undefined : JSON.stringify(success.body));
  return world.at(at).request({ method, path: pathWith(path, success.path) + (success.query ?? ''), body });
}

const bare = (status: number) => ({ status, text: '' });

test('returns 401 without a key and with a wrong key', async () => {
  let minute = 0;
  const service = await TestService.start(['--enable-metrics'], { now: () => ++minute * 60_000 });
  closing.push(service);
  const wrong: string[] = [];
  for (const { method, path, guards } of routes.filter((route) => route.guards.key)) {
    for (const key of ['', 'wrong', 'THE KEY OF THE TESTS', 'the key of the test']) {
      const { status, text } = await service.request({ method, path: pathWith(path), key, body: '{}' });
      if (status !== 401 || text !== '' || !guards.key) wrong.push(`${method} ${path} ${key}: ${String(status)}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(routes.filter(({ guards }) => !guards.key).map(keyOf)).toEqual(['GET /livez', 'GET /readyz', 'GET /docs']);
});

describe.each(routes.filter(({ labels }) => labels !== undefined).map((route) => [keyOf(route), route] as const))(
  '%s',
  (_name, { method, path, labels }) => {
    test('returns 403 without a body in the wrong wallet state', async () => {
      const places = { open: ['closed'], closed: ['full', 'view'], any: [] } as const;
      for (const place of places[labels?.wallet ?? 'any']) {
        for (const body of [undefined, '{}', 'no json']) {
          expect(await world.at(place).request({ method, path: pathWith(path), body })).toMatchObject(bare(403));
        }
      }
    });

    test('returns illegalViewWalletOperation in a view wallet as declared', async () => {
      if (labels?.viewWallet !== false) return;
      const { status, text } = await world.at('view').request({ method, path: pathWith(path), body: '{}' });
      expect({ status, code: (JSON.parse(text) as { errorCode: number }).errorCode }).toEqual({
        status: 400,
        code: 39,
      });
    });
  },
);

test('succeeds on every route with the declared status and fields, like the documented examples', async () => {
  const faults: string[] = [];
  const examples: Record<string, Example> = {};
  for (const success of successes(world.nodePort)) {
    const { route, at, body, note } = success;
    const response = await requestAt(at, success);
    const { path } = routeOf(route);
    const requested = { path: pathWith(path, success.path) + (success.query ?? ''), body };
    examples[route] = exampleOf({ ...response, ...requested }, world.nodePort);
    if (body !== undefined) good.set(route, body);
    faults.push(...faultsOf(routeOf(route), response).map((fault) => `${route}: ${fault}`));
    note?.(jsonOf(response));
  }
  expect(faults).toEqual([]);
  expect(routes.map(keyOf).filter((key) => examples[key] === undefined)).toEqual([]);
  const stored = storedExamples(join(__dirname, '../../src/routes/examples.json'), examples);
  expect(typesOf(examples)).toEqual(typesOf(stored));
});

test('returns 400 without a body for a missing or invalid field', async () => {
  const wrong: string[] = [];
  let count = 0;
  for (const route of routes.filter(({ body }) => body !== undefined)) {
    const key = keyOf(route);
    const at = route.labels?.wallet === 'open' ? (key.endsWith('/import/view') ? 'view' : 'full') : 'closed';
    for (const { name, text } of wrongBodies(route, good.get(key) ?? {})) {
      count++;
      const response = await requestAt(at, { route: key, at }, text);
      if (response.status !== 400 || response.text !== '')
        wrong.push(`${key} ${name}: ${String(response.status)} ${response.text}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(400);
});

test('returns 415 for an encoded body and 413 for one above 1 MiB, as every route declares', async () => {
  for (const route of routes.filter(({ labels }) => labels?.wallet !== 'closed')) {
    const { method, path } = route;
    const sent = { method, path: pathWith(path), body: '{}' };
    const refused = [
      await world.at('full').request({ ...sent, headers: { 'Content-Encoding': 'gzip' } }),
      await world.at('full').request({ ...sent, body: ' '.repeat(1024 * 1024 + 1) }),
    ];
    expect([keyOf(route), ...refused.map(({ status, text }) => `${String(status)}${text}`)]).toEqual([
      keyOf(route),
      '415',
      '413',
    ]);
    const declared = errorsOfRoute(WALLET_SERVICE, route).map(({ status }) => status);
    expect([keyOf(route), ...declared]).toEqual(expect.arrayContaining([413, 415]));
  }
});

test('rejects a reset with a truncated body', async () => {
  for (const text of ['{"scanHeight": 700', '[]', '5', 'null', '{"scanHeight": 1e400}']) {
    expect(await world.at('full').request({ method: 'PUT', path: '/reset', body: text })).toMatchObject(bare(400));
  }
});

test('ignores an invalid body and unknown fields', async () => {
  for (const route of routes.filter(({ body }) => body !== undefined)) {
    const key = keyOf(route);
    const needs = Object.values(route.body?.shape ?? {}).some((member) => !isOptional(member as never));
    if (!needs) continue;
    const at = route.labels?.wallet === 'open' ? (key.endsWith('/import/view') ? 'view' : 'full') : 'closed';
    for (const text of ['', '{', '[]', '"text"', '5', 'null', '\u0000', '{"__proto__":{"address":"x"}}', '\ufeff{}']) {
      expect(await requestAt(at, { route: key, at }, text)).toMatchObject(bare(400));
    }
  }
  const { address } = { address: pathWith('{address}') };
  const response = await world
    .at('closed')
    .json('POST', '/addresses/validate', { address, more: [1, { deep: true }], Address: 5 });
  expect(response).toMatchObject({ status: 400, text: expect.stringContaining('"errorCode":15') });
});

describe('path parameters', () => {
  const wrongOf: Readonly<Record<string, readonly string[]>> = {
    address: [`Wrkz${'a'.repeat(93)}`, `wrkz${'a'.repeat(94)}`, `Wrkz${'a'.repeat(93)}-`, `Wrkz${'a'.repeat(182)}`],
    subject: ['ab'.repeat(31), `Wrkz${'a'.repeat(93)}`, `Wrkz${'a'.repeat(182)}`],
    hash: ['ab'.repeat(31), `${'ab'.repeat(31)}ag`, 'ab'.repeat(33)],
    paymentId: ['ab'.repeat(7), `${'ab'.repeat(7)}ag`, 'ab'.repeat(16)],
    startHeight: ['-1', '1.5', '0x1', '+1', '%31x', '١'],
    endHeight: ['-1', '1.5', 'x'],
  };

  test.each(routes.filter(({ params }) => params !== undefined).map((route) => [keyOf(route), route] as const))(
    '%s: a segment that does not match the pattern is an unknown path',
    async (_name, { method, path, params }) => {
      for (const name of Object.keys(params?.shape ?? {})) {
        for (const value of wrongOf[name] ?? []) {
          const wrong = pathWith(path, { [name]: encodeURI(value) });
          expect([wrong, (await world.at('full').request({ method, path: wrong })).status]).toEqual([wrong, 404]);
        }
      }
      const slash = await world.at('full').request({ method, path: `${pathWith(path)}/` });
      expect(slash).toMatchObject(bare(404));
    },
  );

  test('returns 400 without a body for a height above 64 bits and an empty range', async () => {
    const address = pathWith('{address}');
    for (const heights of ['18446744073709551616', '99999999999999999999/5', '5/5', '6/5', '1/18446744073709551616']) {
      expect(await world.at('full').json('GET', `/transactions/${heights}`)).toMatchObject(bare(400));
      const judged = await world.at('full').json('GET', `/transactions/address/${address}/${heights}`);
      expect(judged).toMatchObject({ status: 400, text: expect.stringContaining('"errorCode":15') });
    }
    const highest = await world.at('full').json('GET', '/transactions/18446744073709551615');
    expect(highest).toMatchObject({ status: 200, text: '{"transactions":[]}' });
  });
});

test.each([
  ...['limit=0', 'limit=-1', 'limit=1.5', 'limit=100000', 'limit=x', 'limit=', 'cursor=x', 'cursor=5', 'order=up'],
  ...[
    'direction=both',
    'minAmount=-1',
    'minAmount=1.5',
    'minAmount=x',
    'limit=1&limit=2',
    `minAmount=${'9'.repeat(21)}`,
  ],
])('returns 400 without a body for GET /transactions?%s', async (query) => {
  expect(await world.at('full').json('GET', `/transactions?${query}`)).toMatchObject(bare(400));
});

test.each(['format=xml', 'from=-1', 'to=x', 'from=1.5', 'direction=both', 'minAmount=x', 'from=1&from=2'])(
  'GET /transactions/export?%s returns 400 without a body',
  async (query) => {
    expect(await world.at('full').json('GET', `/transactions/export?${query}`)).toMatchObject(bare(400));
  },
);

test('returns 404 for an unknown path before the key check, and 400 for an unknown method', async () => {
  const service = world.at('closed');
  for (const path of ['/', '/none', '/wallet', '/Status', '/status/', '//status', '/transactions/send/fusion/basic']) {
    expect(await service.request({ method: 'GET', path, key: '' })).toMatchObject(bare(404));
  }
  expect(await service.request({ method: 'POST', path: '/transactions/send/fusion/advanced', key: '' })).toMatchObject(
    bare(404),
  );
  for (const method of ['PATCH', 'TRACE', 'PROPFIND']) {
    expect(await service.request({ method, path: '/status', key: '' })).toMatchObject(bare(400));
  }
  const head = await world.at('full').request({ method: 'HEAD', path: '/status?x=1' });
  expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-type': expect.stringContaining('json') } });
});

test('sends a request id with every response', async () => {
  const [one, two] = await Promise.all([
    world.at('full').json('GET', '/status'),
    world.at('full').request({ method: 'GET', path: '/none', key: '' }),
  ]);
  for (const { headers } of [one, two]) expect(headers['x-request-id']).toMatch(/^[\w-]{36}$/);
  expect(one.headers['x-request-id']).not.toBe(two.headers['x-request-id']);
});
