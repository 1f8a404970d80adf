import fc from 'fast-check';
import { donationAddress, startService, stopAll, type RunningService } from '../support/service';
import { json, send } from '../support/http-client';

afterAll(stopAll);

let service: RunningService;
const request = (query = '') => send(service.url, `/api/1/proposals${query}`);
const idsOf = (response: { text: string }) =>
  (JSON.parse(response.text) as { data: { id: number }[] }).data.map(({ id }) => id);

beforeAll(async () => {
  service = await startService(['--rate-limit', '0']);
  // Numbers 1 to 7. By date, 3 is before 2 and 1, and 4 equals 5.
  service.add(
    {
      headline: 'The oldest of them',
      category: 'core',
      posted: '2021-01-30T06:11:15Z',
      target: '1234567.89',
      user: 'bob',
      address: donationAddress('one'),
    },
    '# Title\n\nText "quoted" & <b>bold</b>.\n',
  );
  service.add({ posted: '2022-01-01' });
  service.add({ posted: '2023-01-01', category: 'design' });
  service.add({ posted: '2022-06-01' });
  service.add({ posted: '2022-06-01' });
  service.add({ posted: '2024-01-01', status: 'disabled' });
  service.add({ posted: '2024-02-01', status: '4' });
});

test('a record has the documented fields with their types, in alphabetical order, compact, with a line end', async () => {
  const { status, headers, text } = await request('?cat=core');
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/json');
  expect(text).toBe(
    `{"data":[{"addr_donation":"${donationAddress('one')}","category":"core",` +
      '"content_markdown":"# Title\\n\\nText \\"quoted\\" & <b>bold</b>.","date_posted":"Jan 30 2021 06:11:15",' +
      '"date_posted_epoch":"1611987075","funded_pct":0,"funds_target":1234567.89,"headline":"The oldest of them","id":1,' +
      '"status":1,"user":"bob"}]}\n',
  );
  expect(donationAddress('one')).toHaveLength(186);
});

test('lists the newest first, for equal dates the higher number; filters by status, category, limit and offset', async () => {
  expect(idsOf(await request())).toEqual([3, 5, 4, 2, 1]);
  expect(idsOf(await request('?status=1&limit=2'))).toEqual([3, 5]);
  expect(idsOf(await request('?limit=2&offset=2'))).toEqual([4, 2]);
  expect(idsOf(await request('?offset=99'))).toEqual([]);
  expect(idsOf(await request('?cat=design'))).toEqual([3]);
  expect(idsOf(await request('?cat='))).toEqual([3, 5, 4, 2, 1]);
  expect(idsOf(await request('?status=0'))).toEqual([6]);
  expect(idsOf(await request('?status=4'))).toEqual([7]);
  expect(idsOf(await request('?status=2'))).toEqual([]);
  expect(idsOf(await request('?limit=100'))).toEqual([3, 5, 4, 2, 1]);
  expect((await request('?limit=0')).text).toBe('{"data":[]}\n');
});

test('status 5 has no name and matches no proposal: an empty list', async () => {
  expect(idsOf(await request('?status=5'))).toEqual([]);
});

test('uses the first of repeated parameters, and ignores unknown ones', async () => {
  expect(idsOf(await request('?status=4&status=x&limit=1&limit=0'))).toEqual([7]);
  expect(idsOf(await request('?limit=1&Limit=x&nothing=%00'))).toEqual([3]);
});

const TYPE = (name: string) => `wrong type for argument '${name}', should be of type '<class 'int'>'`;
const HIGHEST: Record<string, number> = { status: 5, limit: 100, offset: 2147483647 };
const RANGE = (name: string) => `argument '${name}' must lie between 0 and ${HIGHEST[name]}`;
const BEYOND = [
  '-1',
  '-9223372036854775808',
  '4294967296',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '9'.repeat(400),
];
const NO_NUMBERS = [
  ...[
    '',
    'NaN',
    'Infinity',
    '-Infinity',
    'null',
    'true',
    'abc',
    '1.0',
    '1.5',
    '1e3',
    '0x10',
    '1_000',
    '٣',
    '１',
    '--1',
    '1-1',
    '- 1',
  ],
  ...[
    '1;DROP TABLE proposals',
    "1' OR '1'='1",
    '1 UNION SELECT 1',
    '1/*',
    '[1]',
    '{}',
    '\u0000',
    '1\u0000',
    '<script>',
    '../1',
    '%',
  ],
];

describe.each(['status', 'limit', 'offset'])('%s', (name) => {
  test.each(BEYOND)('%s is out of range', async (value) => {
    const response = await request(`?${name}=${encodeURIComponent(value)}`);
    expect([response.status, json(response)]).toEqual([400, { data: RANGE(name), docstring: null }]);
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.headers['etag']).toBeUndefined();
  });

  test.each(NO_NUMBERS)('%j is not a number', async (value) => {
    const response = await request(`?${name}=${encodeURIComponent(value)}`);
    expect([response.status, json(response)]).toEqual([400, { data: TYPE(name), docstring: null }]);
  });

  test('rejects one more than the maximum, and accepts the maximum', async () => {
    expect((await request(`?${name}=${HIGHEST[name]}`)).status).toBe(200);
    expect((await request(`?${name}=${(HIGHEST[name] ?? 0) + 1}`)).status).toBe(400);
  });

  test('returns 200 or 400 with the documented shape for any query, and loses no proposal', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'binary' }), fc.bigInt().map(String), fc.double().map(String)),
        async (value) => {
          const response = await request(`?${name}=${encodeURIComponent(value.replace(/\p{Cs}/gu, ''))}`);
          expect([200, 400]).toContain(response.status);
          expect(Object.keys(json(response))).toEqual(response.status === 200 ? ['data'] : ['data', 'docstring']);
        },
      ),
      { numRuns: 60 },
    );
    expect(idsOf(await request())).toEqual([3, 5, 4, 2, 1]);
  });
});

test.each(['unknown', 'CORE', 'core ', "core' OR 1=1 --", '%', '\u0000', 'x'.repeat(5000), '__proto__', 'constructor'])(
  'category %j does not exist',
  async (cat) => {
    const response = await request(`?cat=${encodeURIComponent(cat)}`);
    const data = 'unknown category, should be one of: wallets, marketing, core, misc, design';
    expect([response.status, json(response)]).toEqual([400, { data, docstring: null }]);
  },
);

test('a response is cacheable briefly, has an ETag, and is revalidated with 304', async () => {
  const first = await request('?limit=3');
  const tag = String(first.headers['etag']);
  expect(first.headers['cache-control']).toBe('public, max-age=15');
  const again = await send(service.url, '/api/1/proposals?limit=3', { headers: { 'if-none-match': tag } });
  expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', tag]);
  const packed = await send(service.url, '/api/1/proposals?limit=3', { headers: { 'accept-encoding': 'gzip' } });
  expect([packed.headers['content-encoding'], packed.headers['etag'], packed.text]).toEqual(['gzip', tag, first.text]);
  const other = await send(service.url, '/api/1/proposals?limit=2', { headers: { 'if-none-match': tag } });
  expect(other.status).toBe(200);
  const id = service.add({ posted: '2025-01-01' });
  const changed = await send(service.url, '/api/1/proposals?limit=3', { headers: { 'if-none-match': tag } });
  expect([changed.status, idsOf(changed)]).toEqual([200, [id, 3, 5]]);
  service.admin('admin', 'status', String(id), 'disabled');
  expect((await request('?limit=3')).text).toBe(first.text);
});

test('HEAD has no body, OPTIONS returns the CORS headers, other methods are refused', async () => {
  const head = await send(service.url, '/api/1/proposals', { method: 'HEAD' });
  expect([head.status, head.text, head.headers['content-type']]).toEqual([200, '', 'application/json']);
  const options = await send(service.url, '/api/1/proposals', { method: 'OPTIONS' });
  expect([
    options.status,
    options.headers['access-control-allow-origin'],
    options.headers['access-control-allow-methods'],
  ]).toEqual([204, '*', 'GET, HEAD, OPTIONS']);
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const response = await send(service.url, '/api/1/proposals', { method, body: '{}' });
    expect([response.status, response.headers['allow'], json(response)]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      { data: 'Only GET and HEAD are answered here', docstring: null },
    ]);
  }
});

test('allows other origins only below /api/', async () => {
  for (const path of ['/', '/feed.xml', '/openapi.json', '/livez', '/nothing']) {
    const response = await send(service.url, path);
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
  }
  expect((await send(service.url, '/api/nothing')).headers['access-control-allow-origin']).toBe('*');
});

test('an unknown path below /api/ returns 404 as JSON; elsewhere as a page', async () => {
  for (const path of ['/api/1/', '/api/1/proposals/', '/api/2/proposals', '/api/1/Proposals', '/api/1/proposals/1']) {
    const response = await send(service.url, path);
    expect([response.status, json(response)]).toEqual([404, { data: 'Not found', docstring: null }]);
  }
  for (const path of [
    '/nothing',
    '/proposal/0',
    '/proposal/01',
    '/proposal/x',
    '/proposal/999',
    '/assets/../package.json',
    '/assets/',
    '/?status=5',
    '/?cat=x',
    '/?page=0',
    '/?page=x',
  ]) {
    const response = await send(service.url, path);
    expect([path, response.status, response.headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8']);
    expect(response.headers['content-security-policy']).toContain("default-src 'none'");
  }
});
