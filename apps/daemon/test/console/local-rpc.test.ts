import { request } from 'node:http';
import { join } from 'node:path';
import { bindRoutes, createMemoryLogger } from '@wrkz/service-kit';
import { stopWallClock } from '@wrkz/testing';
import type { ConsoleContext } from '../../src/console/command';
import { consoleRoute, ConsoleRunner } from '../../src/console/runner';
import { type RpcServerOptions, startLocalRpc } from '../../src/rpc';
import { RPC_DEFAULTS } from '../rpc/support/defaults';
import { routeRules } from '../../src/rpc/service';
import { node } from '../rpc/support/provocations';
import { temporaryDirectory } from '../support/temporary';

stopWallClock();

/* Access over the local socket, and its responses while there is no console. */

const { admit: _admit, ...rules } = routeRules;

async function withSocket(
  use: (
    query: (method: string, path: string, headers?: Record<string, string>) => Promise<[number, string]>,
    runner: ConsoleRunner,
  ) => Promise<void>,
  requireToken = false,
  more: Partial<RpcServerOptions> = {},
): Promise<void> {
  const socketPath = join(temporaryDirectory(), 'rpc.sock');
  const runner = new ConsoleRunner();
  const options = { ...RPC_DEFAULTS, bindIp: '', port: 0, maxRpm: 1, trustProxy: true, accessToken: 'secret', ...more };
  const socket = { socketPath, mode: 0o600, group: '' };
  const routes = bindRoutes([consoleRoute], runner, rules);
  const server = await startLocalRpc(node(), options, { socket, requireToken, routes }, createMemoryLogger());
  const query = (method: string, path: string, headers: Record<string, string> = {}): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const clientRequest = request({ socketPath, method, path, headers, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve([response.statusCode ?? 0, text]));
      });
      clientRequest.on('error', reject);
      clientRequest.end(method === 'POST' ? '{"command":"ban list"}' : undefined);
    });
  try {
    await use(query, runner);
  } finally {
    await server?.close();
  }
}

const NO_CONSOLE = '{"status":"Failed","error":"The daemon console is not available yet, please retry in a moment"}';

test('responds 503 until the console is ready and again after its stop', () =>
  withSocket(async (query, runner) => {
    expect(await query('POST', '/console')).toEqual([503, NO_CONSOLE]);
    runner.open({ peers: { bans: () => [] }, rpc: { now: () => 0 } } as unknown as ConsoleContext);
    expect(await query('POST', '/console')).toEqual([200, '{"output":"Ban list is empty.\\n","status":"OK"}']);
    await runner.close();
    expect(await query('POST', '/console')).toEqual([503, NO_CONSOLE]);
  }));

test('requires no token and applies no rate limit, for any address in a header', () =>
  withSocket(async (query) => {
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    for (let i = 0; i < 5; i++) expect((await query('GET', '/fee', headers))[0]).toBe(200);
  }));

test('requires the token on every route if the operator enables that', () =>
  withSocket(async (query, runner) => {
    runner.open({ peers: { bans: () => [] }, rpc: { now: () => 0 } } as unknown as ConsoleContext);
    for (const [method, path] of [
      ['GET', '/fee'],
      ['POST', '/console'],
    ] as const) {
      expect((await query(method, path))[0]).toBe(401);
      expect((await query(method, path, { 'x-api-key': 'wrong' }))[0]).toBe(401);
      expect((await query(method, path, { 'x-api-key': 'secret' }))[0]).toBe(200);
      expect((await query(method, path, { authorization: 'Bearer secret' }))[0]).toBe(200);
    }
  }, true));

test('GET /console is not found', () =>
  withSocket(async (query) => expect(await query('GET', '/console')).toEqual([404, ''])));
