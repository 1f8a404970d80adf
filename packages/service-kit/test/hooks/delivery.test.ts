import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { type Delivery, type DeliveryOutcome } from '../../src/hooks/delivery';
import { DeliveryProcess } from '../../src/hooks/launcher';
import type { HookTarget } from '../../src/hooks/target';
import { isAlive, untilEnded, untilLines } from '../support/processes';
import { WebhookReceiver } from '../support/receiver';

const launcher = new DeliveryProcess();
const receiver = new WebhookReceiver();
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wrkz-delivery-'));
  await receiver.open();
});

afterAll(async () => {
  await launcher.close();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

const never = new AbortController().signal;

function deliver(target: HookTarget, more: Partial<Delivery> = {}, signal = never): Promise<DeliveryOutcome> {
  const placeholders = { s: 'ab cd', h: '7' };
  const delivery = { target, id: 'id-1', placeholders, body: '{"event":"block"}', timeoutMs: 10_000, ...more };
  return launcher.deliver(delivery, signal);
}

const command = (...words: string[]): HookTarget => ({ kind: 'command', words });
const webhook = (url = receiver.url): HookTarget => ({ kind: 'webhook', url });

describe('a command', () => {
  it('gets separate arguments, the environment and the id, and no input', async () => {
    const out = join(folder, 'out');
    const script = 'printf "%%s\\n" "$@" "$WRKZ_DELIVERY_ID" "$(cat)" > "$0"';
    expect(await deliver(command('sh', '-c', script, out, '%s', '%h%%', '$(false)'))).toEqual({ kind: 'delivered' });
    expect(readFileSync(out, 'utf8').split('\n')).toEqual(['ab cd', '7%', '$(false)', 'id-1', '', '']);
  });

  it('is refused by its exit code or by a signal, unreachable if it cannot be started', async () => {
    expect(await deliver(command('sh', '-c', 'exit 3'))).toEqual({
      kind: 'refused',
      why: "'sh' exited with code 3",
    });
    expect(await deliver(command('sh', '-c', 'kill -TERM $$'))).toMatchObject({
      why: expect.stringMatching(/SIGTERM/),
    });
    expect(await deliver(command(join(folder, 'nothing')))).toMatchObject({
      kind: 'unreachable',
      why: expect.stringMatching(/failed to start .*no such file/),
    });
    expect(await deliver(command('true', '%s'), { placeholders: { s: 'a\0b' } })).toMatchObject({
      kind: 'unreachable',
    });
  });

  it('that hangs is killed after the timeout, with its child processes', async () => {
    const pids = join(folder, 'hanging');
    const script = 'trap "" TERM; sleep 600 & echo $! >> "$0"; echo $$ >> "$0"; wait';
    const outcome = await deliver(command('sh', '-c', script, pids), { timeoutMs: 500 });
    expect(outcome).toEqual({ kind: 'unreachable', why: "'sh' did not finish within 0.5 s" });
    const started = (await untilLines(pids, 2)).map(Number);
    await Promise.all(started.map(untilEnded));
  });

  it('is killed when the delivery is cancelled', async () => {
    const pids = join(folder, 'cancelled');
    const cancel = new AbortController();
    const outcome = deliver(command('sh', '-c', 'echo $$ >> "$0"; sleep 600', pids), {}, cancel.signal);
    const [pid = 0] = (await untilLines(pids, 1)).map(Number);
    expect(isAlive(pid)).toBe(true);
    cancel.abort();
    expect(await outcome).toEqual({ kind: 'cancelled' });
    await untilEnded(pid);
  });
});

describe('a webhook', () => {
  it('is a POST of JSON', async () => {
    receiver.received.length = 0;
    expect(await deliver(webhook())).toEqual({ kind: 'delivered' });
    expect(receiver.received).toMatchObject([
      {
        method: 'POST',
        path: '/hook',
        body: '{"event":"block"}',
        headers: { 'content-type': 'application/json', 'content-length': '17', 'webhook-id': 'id-1' },
      },
    ]);
    expect(receiver.received[0]?.headers['webhook-signature']).toBeUndefined();
    await deliver(webhook(), { key: Buffer.alloc(16, 1).toString('base64') });
    expect(receiver.received[1]?.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
  });

  it.each([400, 404, 500, 503, 302])('is final with status %d', async (status) => {
    receiver.received.length = 0;
    receiver.respond = (_request, response) => response.writeHead(status, { Location: receiver.url }).end('no');
    expect(await deliver(webhook())).toMatchObject({
      kind: 'refused',
      why: expect.stringMatching(new RegExp(`answered HTTP ${String(status)}$`)),
    });
    expect(receiver.received).toHaveLength(1);
  });

  it('is retried once if the connection fails', async () => {
    let connections = 0;
    const server: Server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await deliver(webhook(`http://127.0.0.1:${String(port)}`))).toMatchObject({ kind: 'unreachable' });
    expect(connections).toBe(2);
    server.close();
    expect(await deliver(webhook(`http://127.0.0.1:${String(port)}`))).toMatchObject({
      kind: 'unreachable',
      why: expect.stringMatching(/ECONNREFUSED/),
    });
  });

  it('is aborted without a response, and not retried', async () => {
    receiver.received.length = 0;
    receiver.respond = () => undefined;
    const outcome = await deliver(webhook(), { timeoutMs: 300 });
    expect(outcome).toEqual({
      kind: 'unreachable',
      why: `webhook ${new URL(receiver.url).origin} did not finish within 0.3 s`,
    });
    expect(receiver.received).toHaveLength(1);
  });

  it('with an unrequested protocol upgrade fails', async () => {
    const server: Server = createServer((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const outcome = await deliver(webhook(url), { timeoutMs: 3_000 });
    server.close();
    expect(outcome).toEqual({ kind: 'refused', why: `webhook ${url} answered HTTP 101` });
  });

  it('is decided by the status, with a body of any length', async () => {
    receiver.respond = (_request, response) => {
      response.writeHead(200);
      const more = (): void =>
        void (response.write('x'.repeat(65_536)) ? setImmediate(more) : response.once('drain', more));
      more();
    };
    expect(await deliver(webhook())).toEqual({ kind: 'delivered' });
    receiver.respond = (_request, response) => void response.writeHead(200).write('and then nothing');
    expect(await deliver(webhook())).toEqual({ kind: 'delivered' });
  });
});

it('delivers again after its process has died', async () => {
  const other = new DeliveryProcess();
  const cancelled = new AbortController();
  const pids = join(folder, 'parents');
  const words = ['sh', '-c', 'echo $PPID >> "$0"', pids];
  const delivery = { target: command(...words), id: '', placeholders: {}, body: '', timeoutMs: 10_000 };
  expect(await other.deliver(delivery, cancelled.signal)).toEqual({ kind: 'delivered' });
  const [pid = 0] = (await untilLines(pids, 1)).map(Number);
  process.kill(pid, 'SIGKILL');
  await untilEnded(pid);
  let outcome: DeliveryOutcome;
  do outcome = await other.deliver(delivery, cancelled.signal);
  while (outcome.kind === 'unreachable');
  expect(outcome).toEqual({ kind: 'delivered' });
  const again = Number((await untilLines(pids, 2))[1]);
  expect(again).not.toBe(pid);
  await other.close();
  await untilEnded(again);
  expect(await other.deliver(delivery, cancelled.signal)).toEqual({ kind: 'cancelled' });
  expect(existsSync(pids)).toBe(true);
});
