import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createMemoryLogger } from '@wrkz/service-kit';
import { walletRoutes } from '../src/routes';
import { type ServiceResponse, PASSWORD, TestService } from './support/service';

/* Hostile clients with and without the key: no request causes a response with 5xx. */

const logger = createMemoryLogger();
let service: TestService;
const FILE = { filename: 'mine.wallet', password: 'the password of the wallet', daemonPort: 1 };

beforeAll(async () => {
  service = await TestService.start(['--enable-metrics', '--log-level', '5'], { logger });
  expect((await service.json('POST', '/wallet/create', FILE)).status).toBe(200);
});

afterAll(() => service.stop());

const address = async (): Promise<string> =>
  (JSON.parse((await service.json('GET', '/addresses/primary')).text) as { address: string }).address;

function soundness(response: ServiceResponse): string | undefined {
  if (response.status >= 500) return `status ${String(response.status)}: ${response.text}`;
  if (/ at .*\.[jt]s:\d+|node_modules/.test(response.text)) return `a stack: ${response.text}`;
  return undefined;
}

/** The response to raw bytes, until the server closes. */
async function raw(bytes: string | Buffer, ends = true): Promise<string> {
  const socket = connect(service.api.port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => void (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  socket.write(bytes);
  if (ends) socket.end();
  await once(socket, 'close');
  return text;
}

const MEMBERS = [
  ...['-1', '1.5', '1e400', '-1e400', '1e308', 'NaN', 'Infinity', '18446744073709551616', `1${'0'.repeat(5_000)}`],
  ...['9007199254740993', '1e-400', '-0', '0.1e1', '01', '0x10', '"\\ud800"', '"\\u0000"', '"\u202e"', 'null', 'true'],
  ...[
    '{}',
    '[]',
    '[[[[]]]]',
    `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  ],
  ...[
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{}}}',
    `"${'x'.repeat(500_000)}"`,
    '"\\q"',
    '"',
    '',
  ],
];

test('returns no internal error for any field value of any route', async () => {
  const to = await address();
  const faults: string[] = [];
  const routes = walletRoutes({ metrics: undefined, isStopping: () => false, wallets: service as never });
  for (const { method, path, body } of routes) {
    const names = Object.keys(body?.shape ?? {});
    if (path.startsWith('/wallet') && path !== '/wallet/password') continue;
    const target = path
      .replace('{address}', to)
      .replace('{hash}', 'ab'.repeat(32))
      .replace(/\{\w+\}/g, '1');
    for (const name of names) {
      for (const value of MEMBERS) {
        const others = names.filter((other) => other !== name).map((other) => `"${other}":"${to}"`);
        const text = `{${[...others, `"${name}":${value}`].join(',')}}`;
        const fault = soundness(await service.request({ method, path: target, body: text }));
        if (fault !== undefined) faults.push(`${method} ${path} ${name}=${value.slice(0, 50)}: ${fault}`);
      }
    }
  }
  expect(faults).toEqual([]);
});

test('returns 400 for duplicate fields: the C++ program uses the last one, many programs the first', async () => {
  const to = await address();
  for (const [method, path, body] of [
    ['POST', '/addresses/validate', `{"address":"${to}","address":"${to}"}`],
    ['POST', '/transactions/send/basic', `{"destination":"${to}","amount":1,"amount":5000}`],
    ['POST', '/transactions/send/advanced', `{"destinations":[{"address":"${to}","amount":1,"amount":5000}]}`],
    ['PUT', '/reset', '{"scanHeight":1,"scanHeight":2}'],
  ] as const) {
    expect(await service.request({ method, path, body })).toMatchObject({ status: 400, text: '' });
  }
});

test('returns 413 for a body above the limit and 415 for an encoded body', async () => {
  const big = Buffer.alloc(1024 * 1024 + 1, 0x20).toString();
  expect(await service.request({ method: 'POST', path: '/addresses/validate', body: big })).toMatchObject({
    status: 413,
    text: '',
  });
  const head = `POST /addresses/validate HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${PASSWORD}\r\nConnection: close\r\n`;
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  expect(await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`)).toMatch(/^HTTP\/1.1 413 /);
  expect(await raw(`${head}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`)).toMatch(/^HTTP\/1.1 415 /);
});

test('returns 4xx for malformed HTTP or closes the connection', async () => {
  const key = `X-API-KEY: ${PASSWORD}\r\n`;
  for (const bytes of [
    ...[
      '\u0000\u0001\u0002\r\n\r\n',
      'GET\r\n\r\n',
      'GET /status HTTP/9.9\r\n\r\n',
      `GET /status HTTP/1.1\r\n${key}\r\n`,
    ],
    `GET /status HTTP/1.1\r\nHost: x\r\n${key}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `GET /status HTTP/1.1\r\nHost: x\r\n${key}Content-Length: -5\r\n\r\n`,
    `GET /status HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`,
    `GET /status HTTP/1.1\r\nHost: x\r\n${'X-Many: 1\r\n'.repeat(5_000)}\r\n`,
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `POST /wallet/open HTTP/1.1\r\nHost: x\r\n${key}Content-Length: 100\r\n\r\n{"cut`,
  ]) {
    expect(await raw(bytes)).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
  }
  const two = `GET /status HTTP/1.1\r\nHost: x\r\nX-API-KEY: wrong\r\n${key}Connection: close\r\n\r\n`;
  expect(await raw(two)).toMatch(/^HTTP\/1\.1 401 /);
  const keys = `GET /status HTTP/1.1\r\nHost: x\r\nX-API-KEY: \r\nConnection: close\r\n\r\n`;
  expect(await raw(keys)).toMatch(/^HTTP\/1\.1 401 /);
});

test('returns 4xx for malformed request targets', async () => {
  const to = await address();
  for (const path of [
    ...[
      '/%',
      '/%00',
      '/%ff',
      '/..',
      '/../status',
      '/./status',
      '/status/..',
      '//',
      '/status%2f',
      '/STATUS',
      '/status;x=1',
    ],
    ...[
      `/keys/${to}%00`,
      `/keys/${to}/../..`,
      '/transactions/%2e%2e',
      'http://[',
      'http://other/status',
      '*',
      '?x',
      '/status#x',
    ],
  ]) {
    const text = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: wrong\r\nConnection: close\r\n\r\n`);
    expect([path, /^HTTP\/1\.1 (\d+)/.exec(text)?.[1]]).toEqual([path, expect.stringMatching(/^(400|401|404)$/)]);
    expect(text).not.toMatch(/ at .*\.[jt]s:\d+/);
  }
});

test('rejects every file name that leaves the directory', async () => {
  const outside = join(service.folder, '..', 'outside-of-it');
  mkdirSync(outside, { recursive: true });
  symlinkSync(outside, join(service.folder, 'link'));
  symlinkSync(join(outside, 'made-by-link.json'), join(service.folder, 'dangling.json'));
  writeFileSync(join(outside, 'plain.json'), '{');
  symlinkSync(join(outside, 'plain.json'), join(service.folder, 'present.json'));
  const names = ['../x.json', '/tmp/x.json', 'link/x.json', 'present.json', 'a\0b', 'link', '..', 'x/../../y.json'];
  for (const filename of [...names, `${'a/'.repeat(3_000)}x`, 'x'.repeat(300)]) {
    const response = await service.json('POST', '/export/json', { filename });
    expect([filename.slice(0, 20), response.status, response.text.includes('"errorCode":2')]).toEqual([
      filename.slice(0, 20),
      400,
      true,
    ]);
  }
  // The new file replaces a dangling link.
  expect(await service.json('POST', '/export/json', { filename: 'dangling.json' })).toMatchObject({ status: 200 });
  expect(readdirSync(outside)).toEqual(['plain.json']);
  expect(existsSync(join(service.folder, '..', 'x.json'))).toBe(false);
});

test('responds to 1,000 requests, 250 at a time, while the wallet is closed and opened', async () => {
  const reads = [
    '/status',
    '/balance',
    '/balances',
    '/transactions',
    '/addresses',
    '/keys',
    '/node',
    '/none',
    '/transactions/export',
  ];
  const life = (async () => {
    const changes: number[] = [];
    for (let i = 0; i < 3; i++) {
      changes.push(
        (await service.json('DELETE', '/wallet')).status,
        (await service.json('POST', '/wallet/open', FILE)).status,
      );
    }
    return changes;
  })();
  const responses: ServiceResponse[] = [];
  while (responses.length < 1_000) {
    const requests = Array.from({ length: 250 }, (_, i) =>
      service.json(i % 7 === 0 ? 'PUT' : 'GET', i % 7 === 0 ? '/save' : (reads[i % reads.length] ?? '/')),
    );
    responses.push(...(await Promise.all(requests)));
  }
  expect(responses.map(soundness).filter((fault) => fault !== undefined)).toEqual([]);
  expect(responses.filter(({ status }) => ![200, 403, 404].includes(status))).toEqual([]);
  expect(await life).toEqual([200, 200, 200, 200, 200, 200]);
});

test('serializes concurrent opens, closes and password changes', async () => {
  const send = (method: string, path: string, body?: object) => service.json(method, path, body);
  const responses = await Promise.all([
    ...Array.from({ length: 5 }, (_, i) =>
      send('PUT', '/wallet/password', { password: FILE.password, newPassword: `p${String(i)}` }),
    ),
    ...Array.from({ length: 3 }, () => send('DELETE', '/wallet')),
    ...Array.from({ length: 3 }, () => send('POST', '/wallet/open', FILE)),
  ]);
  expect(responses.map(soundness).filter((fault) => fault !== undefined)).toEqual([]);
  expect(responses.slice(0, 5).filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  await send('DELETE', '/wallet');
  const opened: number[] = [];
  for (const password of [FILE.password, 'p0', 'p1', 'p2', 'p3', 'p4']) {
    const { status } = await send('POST', '/wallet/open', { ...FILE, password });
    if (status !== 200) continue;
    opened.push(status);
    await send('PUT', '/wallet/password', { password, newPassword: FILE.password });
    break;
  }
  expect(opened).toEqual([200]);
});

test('writes no secret to the log', async () => {
  const { text } = await service.json('GET', '/keys');
  const { privateViewKey } = JSON.parse(text) as { privateViewKey: string };
  await service.request({ method: 'GET', path: '/status', key: 'a wrong key' });
  const log = JSON.stringify(logger);
  for (const secret of [PASSWORD, FILE.password, privateViewKey, 'a wrong key']) expect(log).not.toContain(secret);
  expect(log).not.toMatch(/ at .*\.[jt]s:\d+/);
});
