import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chainAWallet, type SuiteNode } from '@wrkz/testing';
import { newSuite } from '../network/daemons';
import { exercises } from '../support/exercises';

exercises('events-keep', 'events-during-sync', 'notify-during-sync', 'notify-secret-file', 'ws-max-clients-per-ip');
exercises('reorg-notify', 'tx-notify');
exercises('rpc-ipc-path', 'rpc-ipc-group', 'rpc-ipc-require-token');

/* A whole daemon with options of its interfaces that no other test uses for a whole daemon. */

const KEY = Buffer.alloc(32, 7);
const suite = newSuite();
const reported: { headers: IncomingMessage['headers']; body: string }[] = [];
const receiver = createServer((incoming, response) => {
  let body = '';
  incoming.on('data', (part) => (body += String(part)));
  incoming.on('end', () => {
    reported.push({ headers: incoming.headers, body });
    response.writeHead(200).end();
    receiver.emit('told');
  });
});
let node: SuiteNode;
let socketPath: string;

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const folder = suite.folder();
  socketPath = join(folder, 'node.sock');
  const secretFile = join(folder, 'secret');
  writeFileSync(secretFile, `whsec_${KEY.toString('base64')}`, { mode: 0o600 });
  const hook = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}/`;
  const group = String(process.getgid?.() ?? 0);
  node = await suite.node({
    args: [
      ...['--block-notify', hook, '--notify-during-sync', '--notify-secret-file', secretFile],
      ...['--reorg-notify', `${hook}reorg`, '--tx-notify', `${hook}tx`],
      ...['--events-keep', '1', '--events-during-sync'],
      ...['--rpc-ipc-path', socketPath, '--rpc-ipc-group', group, '--rpc-ipc-require-token'],
      ...['--rpc-access-token', 'open-sesame', '--rpc-trust-proxy'],
      ...['--enable-websocket', '--ws-max-clients-per-ip', '1', '--no-zmq', '--enable-metrics'],
    ],
  });
});

afterAll(async () => {
  await suite.stopAll();
  receiver.close();
});

interface Asked {
  readonly socketPath?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** @returns the status and the body; an upgraded connection is 101 and is left open */
function query(path: string, { body, ...options }: Asked = {}): Promise<[number, string]> {
  const { port } = new URL(node.url);
  const target = options.socketPath === undefined ? { host: '127.0.0.1', port } : {};
  return new Promise((resolve, reject) => {
    const clientRequest = request({ ...target, path, agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve([response.statusCode ?? 0, text]));
    });
    clientRequest.on('upgrade', (_response, socket) => {
      socket.on('error', () => undefined);
      resolve([101, '']);
    });
    clientRequest.on('error', reject);
    clientRequest.end(body);
  });
}

const TOKEN = { 'x-api-key': 'open-sesame' };

test('sends a block to a signed hook and records it in the journal', async () => {
  const params = { wallet_address: chainAWallet('alice').address, count: 1 };
  const body = JSON.stringify({ method: 'generateblocks', params });
  expect((await query('/json_rpc', { method: 'POST', headers: TOKEN, body }))[0]).toBe(200);
  while (reported.length === 0) await once(receiver, 'told');
  const [first] = reported as [(typeof reported)[number]];
  expect(JSON.parse(first.body)).toMatchObject({ event: 'block', height: 1 });
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = first.headers;
  const signed = `${String(id)}.${String(time)}.${first.body}`;
  expect(signature).toBe(`v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`);
  const [status, text] = await query('/events?after=0&topics=block&wait=30', { headers: TOKEN });
  expect([status, text]).toEqual([200, expect.stringContaining('"height":1')]);
});

test('requires the token on the local socket too, which belongs to the group', async () => {
  expect(statSync(socketPath).gid).toBe(process.getgid?.() ?? 0);
  expect((await query('/height', { socketPath }))[0]).toBe(401);
  expect((await query('/height', { socketPath, headers: TOKEN }))[0]).toBe(200);
  // The limit counts the requests of both listeners.
  const [, metrics] = await query('/metrics', { headers: TOKEN });
  expect(metrics).toContain('http_requests_total{method="GET",route="/height",status="401"} 1');
});

test('limits an address to one stream; another address has its own', async () => {
  const upgrade = (from: string): Promise<[number, string]> =>
    query('/ws', {
      headers: {
        ...TOKEN,
        'x-forwarded-for': from,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      },
    });
  const statuses = [];
  for (const from of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) statuses.push((await upgrade(from))[0]);
  expect(statuses).toEqual([101, 429, 101]);
});
