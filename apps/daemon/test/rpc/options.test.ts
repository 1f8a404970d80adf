import { once } from 'node:events';
import { connect } from 'node:net';
import { createMemoryLogger, type EarlyExit, type HttpError, type HttpServer } from '@wrkz/service-kit';
import { stopWallClock } from '@wrkz/testing';
import { listenAddresses, readConfig } from '../../src/config/config';
import { startRpcServer, type RpcContext } from '../../src/rpc';
import { checkLabels } from '../../src/rpc/declare';
import { rpcContext, type RpcContextDependencies, rpcServerOptions } from '../../src/wiring/rpc';
import { node } from './support/provocations';
import { send } from './support/recorded';
import { exercises } from '../support/exercises';

stopWallClock();

exercises('rpc-use-ipv6', 'rpc-bind-ipv6-address', 'public-node', 'rpc-no-mining');
exercises('rpc-access-token', 'enable-cors', 'rpc-allowed-host', 'rpc-trust-proxy');
exercises('rpc-max-connections-per-ip', 'rpc-max-body-bytes', 'rpc-read-timeout', 'rpc-write-timeout');
exercises('rpc-max-block-count', 'rpc-max-global-index-range', 'enable-health');

/* The effect of each RPC option, from the command line to the response. */

let server: HttpServer | undefined;
afterEach(() => server?.close(0));

const DEVNET = ['--network', 'devnet', '--rpc-bind-port', '0'];

const rpcParts = (args: readonly string[]): RpcContextDependencies =>
  ({
    config: readConfig([...DEVNET, ...args]),
    now: () => 0,
    pool: {},
    chain: {},
  }) as unknown as RpcContextDependencies;

/** Serves the node of a provocation with the limits of these options. */
async function serve(args: readonly string[], changes: Partial<RpcContext> = {}): Promise<string> {
  const parts = rpcParts(args);
  const { limits, explorer, miningOff } = rpcContext(parts);
  const context = node({ limits, explorer, ...(miningOff === undefined ? {} : { miningOff }), ...changes });
  server = await startRpcServer(context, rpcServerOptions(parts.config), createMemoryLogger());
  return `http://127.0.0.1:${server.port}`;
}

const get = (url: string, path: string, requestHeaders: Record<string, string> = {}) =>
  send(url, { method: 'GET', path, body: null, requestHeaders });
const post = (url: string, path: string, body: unknown) =>
  send(url, { method: 'POST', path, body: JSON.stringify(body) });
const error = (text: string): unknown => (JSON.parse(text) as { error: unknown }).error;

test('--rpc-access-token requires the token in either header', async () => {
  const url = await serve(['--rpc-access-token', 'sesame']);
  const refused = await get(url, '/fee');
  expect([refused.status, JSON.parse(refused.text)]).toEqual([
    401,
    { status: 'Failed', error: 'Unauthorized RPC request' },
  ]);
  expect((await get(url, '/fee', { 'x-api-key': 'sesame' })).status).toBe(200);
  expect((await get(url, '/fee', { authorization: 'Bearer sesame' })).status).toBe(200);
  expect(readConfig([...DEVNET, '--rpc-access-token', 'sesame']).secrets).toEqual(['sesame']);
});

test('--enable-cors adds its header to every response', async () => {
  const url = await serve(['--enable-cors', 'https://a.example', '--rpc-access-token', 'k']);
  const { status, headers } = await get(url, '/fee', { origin: 'https://a.example' });
  expect([status, headers['access-control-allow-origin']]).toEqual([401, 'https://a.example']);
  expect(headers['access-control-expose-headers']).toContain('X-Request-Id');
  expect(() => readConfig([...DEVNET, '--enable-cors', 'a.example'])).toThrow('--enable-cors: an origin starts with');
});

test('--rpc-allowed-host allows a host name, * all of them', async () => {
  const url = await serve(['--rpc-allowed-host', 'node.example']);
  expect((await get(url, '/fee', { host: 'node.example' })).status).toBe(200);
  const refused = await get(url, '/fee', { host: 'evil.example' });
  expect([refused.status, error(refused.text)]).toEqual([
    403,
    'Requests for this host are not answered. Please relaunch your daemon with --rpc-allowed-host to allow it.',
  ]);
  await server?.close(0);
  expect((await get(await serve(['--rpc-allowed-host', '*']), '/fee', { host: 'evil.example' })).status).toBe(200);
  expect(() => readConfig([...DEVNET, '--rpc-allowed-host', 'node.example:80'])).toThrow('without port');
});

test('--rpc-trust-proxy and --rpc-max-rpm apply one limit per forwarded address', async () => {
  const url = await serve(['--rpc-trust-proxy', '--rpc-max-rpm', '1']);
  const from = async (address: string): Promise<number> =>
    (await get(url, '/fee', { 'x-forwarded-for': address })).status;
  expect(await from('192.0.2.1')).toBe(200);
  expect(await from('192.0.2.1, 192.0.2.9')).toBe(429);
  expect(await from('192.0.2.2')).toBe(200);
  await server?.close(0);
  const plain = await serve(['--rpc-max-rpm', '1']);
  for (let i = 0; i < 3; i++) expect((await get(plain, '/fee', { 'x-forwarded-for': '192.0.2.1' })).status).toBe(200);
});

test('--rpc-max-body-bytes is not accepted below 1024', async () => {
  const url = await serve(['--rpc-max-body-bytes', '1024']);
  expect((await post(url, '/sendrawtransaction', { tx_as_hex: 'x'.repeat(1024) })).status).toBe(413);
  expect((await post(url, '/sendrawtransaction', { tx_as_hex: 'x'.repeat(900) })).status).toBe(200);
  expect(() => readConfig([...DEVNET, '--rpc-max-body-bytes', '1023'])).toThrow('at least 1024');
});

test('--rpc-max-block-count and --rpc-max-global-index-range work with their lowest values', async () => {
  const url = await serve(['--rpc-max-block-count', '5', '--rpc-max-global-index-range', '100']);
  expect(error((await post(url, '/getwalletsyncdata', { blockCount: 6 })).text)).toBe(
    'blockCount exceeds rpc-max-block-count',
  );
  expect(error((await post(url, '/get_global_indexes_for_range', { startHeight: 0, endHeight: 100 })).text)).toBe(
    'Requested range exceeds rpc-max-global-index-range',
  );
  expect(() => readConfig([...DEVNET, '--rpc-max-block-count', '0'])).toThrow('at least 1');
  expect(() => readConfig([...DEVNET, '--rpc-max-global-index-range', '99'])).toThrow('at least 100');
});

test('--rpc-read-timeout, --rpc-write-timeout and --rpc-max-connections-per-ip reach the server', async () => {
  const args = ['--rpc-read-timeout', '1', '--rpc-write-timeout', '2', '--rpc-max-connections-per-ip', '3'];
  await serve(args);
  expect(server?.servers[0]?.requestTimeout).toBe(1000);
  expect(rpcServerOptions(readConfig([...DEVNET, ...args]))).toMatchObject({
    readTimeoutSeconds: 1,
    writeTimeoutSeconds: 2,
    maxConnectionsPerAddress: 3,
  });
  for (const name of ['read', 'write']) {
    expect(() => readConfig([...DEVNET, `--rpc-${name}-timeout`, '0'])).toThrow('is out of range (1 to');
  }
});

test('--rpc-read-timeout aborts a request that does not arrive', async () => {
  const url = new URL(await serve(['--rpc-read-timeout', '1']));
  const socket = connect(Number(url.port), '127.0.0.1');
  socket.write('POST /fee HT');
  const [text] = (await once(socket, 'data')) as [Buffer];
  expect(String(text)).toMatch(/^HTTP\/1\.1 408 /);
  socket.destroy();
});

test.each([
  ['standard', [200, 200, 403, 403]],
  ['explorer', [200, 200, 200, 200]],
])('--daemon-mode %s responds 403 to other calls before reading the request', (mode, statuses) => {
  const { explorer } = rpcContext(rpcParts(['--daemon-mode', mode]));
  const labels = ['Default', 'MiningEnabled', 'BlockExplorerEnabled', 'AllMethodsEnabled'] as const;
  const request = (label: (typeof labels)[number]): number => {
    try {
      checkLabels({ mode: label, source: 'chain' }, node({ explorer }));
      return 200;
    } catch (refused) {
      return (refused as HttpError).status;
    }
  };
  expect(labels.map(request)).toEqual(statuses);
});

test('--rpc-no-mining responds 403 to mining calls in every mode', async () => {
  const text = 'This node does not answer mining calls.';
  const url = await serve(['--rpc-no-mining', '--daemon-mode', 'explorer']);
  for (const method of ['getblocktemplate', 'submitblock']) {
    const { status, text: body } = await post(url, '/json_rpc', { method });
    expect([status, JSON.parse(body)]).toEqual([403, { status: 'Failed', error: text }]);
  }
  expect((await post(url, '/json_rpc', { method: 'getblockcount' })).status).toBe(200);
});

test('--enable-metrics and --enable-health add routes that are absent without them', async () => {
  const url = await serve([]);
  for (const path of ['/metrics', '/health', '/livez', '/readyz']) expect((await get(url, path)).status).toBe(404);
  await server?.close(0);
  const peers = {
    isSynchronized: () => true,
    connections: () => ({ incoming: 1, outgoing: 2 }),
    networkHeight: () => 101,
  } as unknown as RpcContext['peers'];
  const healthy = await serve(['--enable-health'], { peers });
  for (const path of ['/health', '/livez', '/readyz']) expect((await get(healthy, path)).status).toBe(200);
});

describe('--rpc-use-ipv6 with --rpc-bind-ipv6-address', () => {
  const both = ['--rpc-use-ipv6', '--rpc-bind-ipv6-address', '::1'];

  test('opens a second listener on the same port', async () => {
    const { port } = new URL(await serve(both));
    for (const host of ['127.0.0.1', '[::1]']) expect((await fetch(`http://${host}:${port}/fee`)).status).toBe(200);
  });

  test('logs a warning for an unavailable address, before and during the start', async () => {
    const config = readConfig([...DEVNET, '--rpc-use-ipv6', '--rpc-bind-ipv6-address', '2001:db8::1']);
    expect(listenAddresses(config)).toContainEqual({ host: '2001:db8::1', port: 0, required: false });
    const logger = createMemoryLogger();
    server = await startRpcServer(node(), rpcServerOptions(config), logger);
    expect(logger.linesOf('warning')).toEqual([expect.stringContaining('cannot listen on [2001:db8::1]:')]);
    expect((await get(`http://127.0.0.1:${server.port}`, '/fee')).status).toBe(200);
  });

  test.each([
    [['--rpc-use-ipv6'], '--rpc-use-ipv6 needs --rpc-bind-ipv6-address too: there is no IPv6 listener'],
    [both.slice(1), '--rpc-bind-ipv6-address counts only with --rpc-use-ipv6: there is no IPv6 listener'],
  ])('rejects one without the other: %p', (args, warning) => {
    const config = readConfig([...DEVNET, ...args]);
    expect(config.warnings).toEqual([warning]);
    expect(rpcServerOptions(config).bindIpv6).toBeUndefined();
  });

  test.each(['1.2.3.4', 'localhost', '::1]:80'])('rejects the IPv6 address %s', (text) =>
    expect(() => readConfig([...DEVNET, `--rpc-bind-ipv6-address=${text}`])).toThrow('an IPv6 address is expected'),
  );
});

test('warns about an RPC without a token on a public address', () => {
  const open = ['--rpc-bind-ip', '0.0.0.0'];
  expect(readConfig([...DEVNET, ...open]).warnings).toEqual([expect.stringContaining('--rpc-access-token is empty')]);
  expect(readConfig([...DEVNET, ...open, '--rpc-access-token', 'k']).warnings).toEqual([]);
});

describe('--public-node', () => {
  const config = (...args: string[]) => readConfig([...DEVNET, '--public-node', ...args]);

  test('sets the options of an open node, and logs that', () => {
    const { options, preset, warnings } = config();
    expect(options).toMatchObject({ 'rpc-bind-ip': '0.0.0.0', 'rpc-no-mining': true, 'enable-cors': '*' });
    expect(preset).toContain('rpc-bind-ip=0.0.0.0');
    expect(preset).toHaveLength(7);
    expect(warnings).toEqual([]);
    expect(readConfig(DEVNET).preset).toEqual([]);
  });

  test('does not override explicit options, even if they are the default', () => {
    const { options, preset } = config('--rpc-bind-ip', '127.0.0.1', '--rpc-no-mining=false');
    expect(options).toMatchObject({ 'rpc-bind-ip': '127.0.0.1', 'rpc-no-mining': false, 'enable-cors': '*' });
    expect(preset.filter((text) => /bind-ip|no-mining/.test(text))).toEqual([]);
  });

  test('is expanded by --dump-config', () => {
    const dumped = (): unknown => {
      try {
        return config('--dump-config');
      } catch (text) {
        return JSON.parse((text as EarlyExit).message);
      }
    };
    expect(dumped()).toMatchObject({ 'public-node': true, 'enable-cors': '*' });
  });
});
