import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { UpgradeGuard } from '@wrkz/service-kit';
import { WebSocket } from 'ws';
import type { TopicMessage } from '../../src/events/topics';
import { WebSocketHub, type WebSocketHubOptions } from '../../src/events/websocket/hub';

/* Clients that do not respond to pings, do not read, or exceed the limit. */

const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanup.splice(0).reverse()) await clean();
});

const freely: UpgradeGuard = { admit: () => Promise.resolve(), refuse: (_, socket) => socket.destroy() };

interface HubBench {
  readonly hub: WebSocketHub;
  readonly publish: (body: string) => void;
  readonly open: (options?: { autoPong?: boolean }) => Client;
}

async function bench(options: Partial<WebSocketHubOptions> = {}, guard = freely): Promise<HubBench> {
  const listeners = new Set<(message: TopicMessage) => void>();
  const hub = new WebSocketHub(
    { maxClients: 10, maxClientsPerAddress: 0, ...options },
    {
      topics: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
      tip: () => ({ height: 7, hash: Buffer.alloc(32, 7) }),
    },
  );
  const server: Server = createServer().on('upgrade', hub.listener(guard)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `ws://127.0.0.1:${String((server.address() as AddressInfo).port)}/ws`;
  cleanup.push(async () => {
    await hub.close();
    server.close();
    await once(server, 'close');
  });
  return {
    hub,
    publish: (body) => {
      for (const listener of listeners) listener({ topic: 'hashblock', body });
    },
    open: (how) => new Client(new WebSocket(url, how)),
  };
}

class Client {
  readonly read: string[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.read.push(data.toString()));
    socket.on('error', () => undefined);
    this.closed = once(socket, 'close').then(([code, reason]) => ({ code: code as number, reason: String(reason) }));
    cleanup.push(() => {
      socket.terminate();
      return this.closed;
    });
  }

  /** Until one of its messages has this in it. */
  async reads(text: string): Promise<void> {
    while (!this.read.some((message) => message.includes(text))) await once(this.socket, 'message');
  }
}

test('closes a client that does not respond to pings, not one that does', async () => {
  const { hub, open } = await bench({ heartbeatMs: 20, silenceMs: 200 });
  const [silent, alive] = [open({ autoPong: false }), open()];
  await Promise.all([silent.reads('hello'), alive.reads('hello')]);
  expect(hub.size).toBe(2);
  // The connection is cut without a close frame: the client would not read it.
  expect((await silent.closed).code).toBe(1006);
  expect(silent.read).toContain('{"topic":"heartbeat","data":{}}');
  await once(alive.socket, 'ping');
  expect([hub.size, alive.socket.readyState]).toEqual([1, WebSocket.OPEN]);
});

test('queues a thousand messages for a client that does not read, then closes it without sending them', async () => {
  const { hub, open, publish } = await bench();
  const [slow, quick] = [open(), open()];
  await Promise.all([slow.reads('hello'), quick.reads('hello')]);
  slow.socket.pause();
  const large = 'x'.repeat(10_000);
  let published = 0;
  // Socket buffers of the system are not counted, so they are filled first.
  for (let behind = false; !behind; published++) {
    publish(`{"number":${String(published)},"text":"${large}"}`);
    await quick.reads(`{"number":${String(published)},`);
    quick.read.length = 0;
    behind = hub.behind > 0;
  }
  for (let waits = hub.behind; waits < 1000; waits = hub.behind) publish(`{"number":${String(published++)}}`);
  expect(hub.size).toBe(2);
  publish('{"last":true}');
  await quick.reads('"last"');
  expect(hub.behind).toBe(0);
  slow.socket.resume();
  expect(await slow.closed).toEqual({ code: 1008, reason: 'fell too far behind' });
  expect(slow.read.join()).not.toContain('"last"');
  expect(slow.read.length).toBeLessThan(published);
  expect(quick.socket.readyState).toBe(WebSocket.OPEN);
});

test('disconnects a client that is too far behind and never reads', async () => {
  const { hub, open, publish } = await bench();
  const slow = open();
  await slow.reads('hello');
  slow.socket.pause();
  const large = 'x'.repeat(100_000);
  for (let i = 0; hub.size > 0; i++) {
    publish(`{"number":${String(i)},"text":"${large}"}`);
    await new Promise(setImmediate);
  }
  slow.socket.resume();
  expect([1006, 1008]).toContain((await slow.closed).code);
});

test('gives the last slot to one of two concurrent clients, and refuses the other with a retry hint', async () => {
  let letIn = (): void => undefined;
  const door = new Promise<void>((resolve) => (letIn = resolve));
  let waiting = 0;
  const guard: UpgradeGuard = {
    admit: () => {
      if ((waiting += 1) === 2) letIn();
      return door;
    },
    refuse: (_, socket) => socket.destroy(),
  };
  const { hub, open } = await bench({ maxClients: 1 }, guard);
  const clients = [open(), open()];
  const first = await Promise.race(clients.map(({ closed }) => closed));
  expect(first).toEqual({ code: 1008, reason: 'subscriptions are full, retry later' });
  expect(hub.size).toBe(1);
  const kept = clients.find(({ socket }) => socket.readyState === WebSocket.OPEN);
  await kept?.reads('hello');
  expect(clients.flatMap(({ read }) => read)).toHaveLength(1);
});
