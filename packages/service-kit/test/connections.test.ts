import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, type RequestListener, Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { countedAddress, networkGroup } from '../src';
import type { ListenerKind } from '../src/http/client-address';
import { type ConnectionOptions, Connections, endSoon } from '../src/http/connections';
import { readBody } from '../src/http/request';
import { acceptUpgrades } from '../src/http/upgrade';

/** A connection from any address, without a network. */
class Client extends Duplex {
  received = '';
  /** Whether the client reads responses. */
  isReading = true;

  constructor(readonly remoteAddress: string | undefined) {
    super({
      read: () => undefined,
      write: (chunk, _encoding, done) => {
        this.received += String(chunk);
        if (this.isReading) done();
        this.emit('received');
      },
    });
    this.on('error', () => undefined);
  }

  destroySoon(): void {
    this.end(() => this.destroy());
  }

  setTimeout(): this {
    return this;
  }

  send(text: string): this {
    this.push(text);
    return this;
  }
}

const OPTIONS: ConnectionOptions = {
  maxConnections: 1000,
  maxPerAddress: 0,
  isExempt: () => false,
  maxHeldBytes: 1e9,
  headerTimeoutMs: 15_000,
  busyBody: '{"error":"busy"}',
};

/** A function that opens connections from addresses. */
function serving(options: Partial<ConnectionOptions> = {}, kind: ListenerKind = 'open', app?: RequestListener) {
  const server = new Server();
  const connections = new Connections(app ?? (() => undefined), { ...OPTIONS, ...options });
  connections.attach(server, kind);
  const open = (...addresses: (string | undefined)[]): Client[] =>
    addresses.map((address) => {
      const client = new Client(address);
      server.emit('connection', client);
      return client;
    });
  return { open, connections, server };
}

const isOpen = (clients: readonly Client[]): boolean[] => clients.map(({ writable }) => writable);
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const HALF_REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\nX-';

describe('limit per address', () => {
  test('closes further connections; a closed one frees its slot', async () => {
    const { open } = serving({ maxPerAddress: 2 });
    const clients = open('192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1', '192.0.2.2');
    expect(isOpen(clients)).toEqual([true, true, false, true]);
    clients[0]?.destroy();
    await once(clients[0] as Client, 'close');
    expect(isOpen(open('192.0.2.1', '192.0.2.1'))).toEqual([true, false]);
  });

  test('counts IPv6 by /64', () => {
    const clients = serving({ maxPerAddress: 2 }).open(
      ...['2001:db8::1', '2001:db8::2', '2001:db8::ffff:1:2:3', '2001:db8:0:1::1'],
    );
    expect(isOpen(clients)).toEqual([true, true, false, true]);
  });

  test('exempts loopback, listed addresses, and all for 0', () => {
    const loopback = serving({ maxPerAddress: 1 }).open('127.0.0.1', '::1', '127.0.0.1', '::ffff:127.0.0.9');
    expect(isOpen(loopback)).toEqual(Array(4).fill(true));
    expect(isOpen(serving().open('192.0.2.1', '192.0.2.1'))).toEqual([true, true]);
    const { open } = serving({ maxPerAddress: 1, isExempt: (address) => address === '192.0.2.7' });
    expect(isOpen(open('192.0.2.7', '192.0.2.7', '192.0.2.8', '192.0.2.8'))).toEqual([true, true, true, false]);
  });
});

test('closes a TCP connection without an address, but not one of a socket file', () => {
  expect(isOpen(serving().open(undefined, ''))).toEqual([false, false]);
  expect(isOpen(serving({ maxPerAddress: 1 }, 'local').open(undefined, undefined))).toEqual([true, true]);
});

test('a refused connection is closed as idle, although its client neither reads nor closes', () => {
  const { open, connections } = serving();
  const [refused, other] = open('192.0.2.1', '192.0.2.2');
  connections.refuse(refused as never, '400 Bad Request');
  connections.closeIdle(60_000);
  expect([refused?.destroyed, other?.destroyed]).toEqual([true, false]);
});

test('a connection with an HTTP/2 upgrade offer counts once for its address', async () => {
  const { open, server } = serving({ maxPerAddress: 1 }, 'open', (_request, response) => void response.end('ok'));
  acceptUpgrades(
    server,
    () => undefined,
    () => true,
  );
  const [client] = open('192.0.2.1');
  const received = once(client as Client, 'received');
  client?.send('GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n');
  await received;
  expect(client?.received).toMatch(/^HTTP\/1\.1 200 /);
});

describe('all slots in use', () => {
  const attackers = Array.from({ length: 17 }, (_, i) => `198.51.${i}.1`);

  test('seventeen addresses that fill all slots with incomplete requests are evicted for a client of another network', () => {
    const { open } = serving({ maxConnections: 17 * 60, maxPerAddress: 64 });
    for (const address of attackers) open(...Array<string>(60).fill(address)).forEach((one) => one.send(HALF_REQUEST));
    for (let i = 0; i < 200; i++) {
      const [honest] = open(`203.0.${i}.1`);
      honest?.send(REQUEST);
      expect([i, honest?.writable]).toEqual([i, true]);
      // The attackers come back at once.
      open(...attackers).forEach((one) => one.send(HALF_REQUEST));
      expect([i, honest?.writable]).toEqual([i, true]);
    }
  });

  test('the evicted connection gets a 503', () => {
    const { open } = serving({ maxConnections: 2 });
    const clients = open('192.0.2.1', '192.0.2.2', '203.0.113.1');
    expect(isOpen(clients)).toEqual([false, true, true]);
    expect(clients[0]?.received).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n.*\r\n\r\n\{"error":"busy"\}$/s);
  });

  /** Opens connections whose requests do not end. */
  async function withRunningRequests({ open, server }: ReturnType<typeof serving>, ...addresses: string[]) {
    const clients = open(...addresses);
    for (const client of clients) {
      const arrived = once(server, 'request');
      client.send(REQUEST);
      const [request] = (await arrived) as [IncomingMessage];
      if (!request.complete) await once(request.resume(), 'end');
    }
    return clients;
  }

  test('a running request is not interrupted for a client of a network with as many connections', async () => {
    const server = serving({ maxConnections: 2 });
    const clients = await withRunningRequests(server, '192.0.2.1', '198.51.100.1');
    const [late] = server.open('203.0.113.1');
    expect(late?.received).toMatch(/^HTTP\/1\.1 503 /);
    expect(isOpen(clients)).toEqual([true, true]);
  });

  test('a network that fills all slots with running requests loses one for a client of another network only', async () => {
    const server = serving({ maxConnections: 4 });
    const clients = await withRunningRequests(server, '127.0.0.1', '192.0.2.1', '192.0.2.2', '198.51.100.1');
    const [late] = server.open('192.0.2.3');
    expect(late?.received).toMatch(/^HTTP\/1\.1 503 /);
    const [other] = server.open('203.0.113.1');
    expect(isOpen([...clients, other as Client])).toEqual([true, false, true, true, true]);
  });

  test('a client without a request yet is not evicted for one of a network that fills the slots with running requests', async () => {
    const server = serving({ maxConnections: 9 });
    const clients = await withRunningRequests(server, ...Array.from({ length: 9 }, (_, i) => `192.0.2.${i + 1}`));
    const [honest] = server.open('203.0.113.1') as [Client];
    expect(isOpen([...clients, honest])).toEqual([false, ...Array<boolean>(9).fill(true)]);
    expect(isOpen([honest, ...server.open('192.0.2.20')])).toEqual([true, false]);
    expect(isOpen([honest, ...server.open('198.51.100.1')])).toEqual([true, true]);
  });

  describe('a response that its client has not read', () => {
    const app: RequestListener = ({ url }, response) => {
      if (url === '/download') response.end('blocks');
    };

    /** Fills eight slots: with downloads from 198.51.100.1 and following networks, and with running requests. */
    async function withDownloads(count: number, ...running: string[]) {
      const server = serving({ maxConnections: 8 }, 'open', app);
      const clients = await withRunningRequests(server, ...running);
      const downloads = server.open(...Array.from({ length: count }, (_, i) => `198.51.${100 + i}.1`));
      for (const download of downloads) {
        download.isReading = false;
        const received = once(download, 'received');
        download.send('GET /download HTTP/1.1\r\nHost: x\r\n\r\n');
        await received;
      }
      return { ...server, clients, downloads };
    }
    /** Addresses of a network. */
    const network = (count: number, prefix: string): string[] =>
      Array.from({ length: count }, (_, i) => `${prefix}.${i + 2}`);

    test('is not cut while another network fills the slots with running requests', async () => {
      const { open, clients, downloads } = await withDownloads(1, ...network(7, '192.0.2'));
      expect(isOpen([...downloads, ...open('192.0.2.1')])).toEqual([true, false]);
      const [other] = open('203.0.113.1') as [Client];
      expect(isOpen([...clients, ...downloads, other])).toEqual([false, ...Array<boolean>(8).fill(true)]);
    });

    test('is evicted before a running request if there are many', async () => {
      const { open, clients, downloads } = await withDownloads(2, ...network(6, '192.0.2'));
      expect(isOpen([...clients, ...downloads, ...open('203.0.113.1')])).toEqual([
        ...Array<boolean>(6).fill(true),
        ...[false, true, true],
      ]);
    });

    test('is evicted before a running request of its own network', async () => {
      const { open, clients, downloads } = await withDownloads(1, ...network(7, '198.51.100'));
      expect(isOpen([...clients, ...downloads, ...open('203.0.113.1')])).toEqual([
        ...Array<boolean>(7).fill(true),
        ...[false, true],
      ]);
    });

    test.each(['203.0.113.1', '127.0.0.1'])('is evicted if no network is larger, for a client at %s', async (late) => {
      const { open, clients, downloads } = await withDownloads(1, ...network(7, '127.0.0'));
      expect(isOpen([...clients, ...downloads, ...open(late)])).toEqual([
        ...Array<boolean>(7).fill(true),
        ...[false, true],
      ]);
    });
  });

  test('an upgraded connection does not count for its network', async () => {
    const server = serving({ maxConnections: 3 });
    const clients = await withRunningRequests(server, '192.0.2.1', '192.0.2.2', '198.51.100.1');
    server.connections.upgrade(clients[0] as unknown as Socket);
    expect(isOpen([...clients, ...server.open('203.0.113.1')])).toEqual([true, true, true, false]);
  });

  test('an upgraded connection is never evicted', () => {
    const { open, connections } = serving({ maxConnections: 2 });
    const clients = open('192.0.2.1', '192.0.2.2');
    connections.upgrade(clients[0] as unknown as Socket);
    expect(isOpen([...clients, ...open('203.0.113.1')])).toEqual([true, false, true]);
  });

  test('a new connection determines no address group but its own, because that takes most of the time', () => {
    const isExempt = jest.fn(() => false);
    const { open } = serving({ maxConnections: 200, isExempt });
    open(...Array.from({ length: 200 }, (_, i) => `2001:db8:${i}::1`));
    isExempt.mockClear();
    open('2001:db8:ffff::1');
    expect(isExempt.mock.calls).toEqual([['2001:db8:ffff::1']]);
  });

  test('a refused upgrade whose client does not close is evicted', () => {
    const { open, connections } = serving({ maxConnections: 2 });
    const clients = open('192.0.2.1', '192.0.2.2');
    for (const client of clients) connections.upgrade(client as unknown as Socket);
    endSoon(clients[1] as Client, 'HTTP/1.1 404 Not Found\r\n\r\n');
    const [late] = open('203.0.113.1');
    expect(isOpen([...clients, late as Client])).toEqual([true, false, true]);
    expect(clients[1]?.received).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('loopback connections are evicted last', () => {
    const { open } = serving({ maxConnections: 4 });
    const clients = open('127.0.0.1', '127.0.0.1', '127.0.0.1', '192.0.2.1', '203.0.113.1');
    expect(isOpen(clients)).toEqual([true, true, true, false, true]);
  });

  test('a loopback client gets a slot while small networks have running requests in the others', async () => {
    const server = serving({ maxConnections: 8 });
    const clients = await withRunningRequests(server, ...attackers.slice(0, 5), ...Array<string>(3).fill('127.0.0.1'));
    const [stranger] = server.open('203.0.113.1');
    expect(stranger?.received).toMatch(/^HTTP\/1\.1 503 /);
    const [late] = server.open('127.0.0.1');
    expect(isOpen([...clients, late as Client])).toEqual([false, ...Array<boolean>(8).fill(true)]);
  });

  test('an idle loopback connection is not evicted for a client of a network, only for one of loopback', async () => {
    const server = serving({ maxConnections: 3 });
    const clients = await withRunningRequests(server, '127.0.0.1', '127.0.0.1');
    const idle = server.open('127.0.0.1');
    const [stranger] = server.open('203.0.113.1');
    expect(stranger?.received).toMatch(/^HTTP\/1\.1 503 /);
    const [late] = server.open('127.0.0.1');
    expect(isOpen([...clients, ...idle, late as Client])).toEqual([true, true, false, true]);
  });

  test('a loopback client is refused if loopback clients have running requests in all slots', async () => {
    const server = serving({ maxConnections: 2 });
    const clients = await withRunningRequests(server, '127.0.0.1', '127.0.0.1');
    const [late] = server.open('127.0.0.1');
    expect(late?.received).toMatch(/^HTTP\/1\.1 503 /);
    expect(isOpen(clients)).toEqual([true, true]);
  });

  test('many idle connections of a proxy are not evicted while a network has running requests in the other slots', async () => {
    const server = serving({ maxConnections: 8, isExempt: (address) => address === '192.0.2.7' });
    const clients = await withRunningRequests(server, ...Array<string>(5).fill('198.51.100.1'));
    const idle = server.open('192.0.2.7', '192.0.2.7', '192.0.2.7');
    const [late] = server.open('203.0.113.1');
    expect(isOpen([...clients, ...idle, late as Client])).toEqual([false, ...Array<boolean>(8).fill(true)]);
  });

  test('the time for a header decreases while slots run out, and increases again', async () => {
    const { open, server } = serving({ maxConnections: 10 });
    expect(server.headersTimeout).toBe(15_000);
    const clients = open(...Array.from({ length: 10 }, (_, i) => `192.0.${i}.1`));
    expect(server.headersTimeout).toBe(1_000);
    clients.slice(2).forEach((client) => client.destroy());
    await once(clients[9] as Client, 'close');
    expect(server.headersTimeout).toBe(15_000);
  });
});

describe('memory', () => {
  const header = `X: ${'y'.repeat(9_000)}`;
  const large = `GET / HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`;

  test('used by requests: the connections with the highest usage are closed', async () => {
    const { open, server } = serving({ maxHeldBytes: 50_000 });
    const [honest] = open('203.0.113.1');
    const attackers = open(...Array.from({ length: 10 }, () => '192.0.2.1'));
    for (const client of [honest, ...attackers]) {
      const arrived = once(server, 'request');
      client?.send(client === honest ? REQUEST : large);
      await arrived;
    }
    expect(isOpen(attackers).filter((one) => one)).toHaveLength(5);
    expect(honest?.writable).toBe(true);
  });

  test('is freed by the response', async () => {
    const { open } = serving({ maxHeldBytes: 25_000 }, 'open', (_request, response) => void response.end('ok'));
    const [client] = open('192.0.2.1');
    for (let i = 0; i < 10; i++) {
      const received = once(client as Client, 'received');
      client?.send(large);
      await received;
    }
    expect(client?.received.match(/HTTP\/1\.1 200/g)).toHaveLength(10);
  });

  test('used by unsent responses: the connection that reads nothing is closed', async () => {
    const app: RequestListener = (_request, response) => void response.end(Buffer.alloc(16_000_000));
    const { connections, server } = serving({ maxHeldBytes: 1_000_000 }, 'open', app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause();
    const accepted = once(server, 'request');
    socket.write(REQUEST);
    const [{ socket: served }] = (await accepted) as [{ socket: Socket }];
    const closed = once(served, 'close');
    connections.enforceMemory();
    await closed;
    socket.destroy();
    server.close();
  });
});

describe('an aborted request uses no memory', () => {
  const text = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n${'y'.repeat(4_000)}`;

  test.each([
    ['an ordinary one', text],
    ['one with an offer of HTTP/2', text.replace('\r\n\r\n', '\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n')],
  ])('%s', async (_name, sent) => {
    const bodies = new EventEmitter();
    const { connections, server } = serving({}, 'open', (request) => {
      request.once('data', () => bodies.emit('part'));
      readBody(request, 10_000)?.catch(() => undefined);
    });
    acceptUpgrades(
      server,
      () => undefined,
      () => true,
    );
    server.on('clientError', (_error, socket) => void socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    for (let i = 0; i < 3; i++) {
      const accepted = once(server, 'connection') as Promise<[Socket]>;
      const arrived = once(bodies, 'part');
      const client = connect(port, '127.0.0.1');
      client.on('error', () => undefined);
      client.write(sent);
      await arrived;
      expect(connections['heldBytes']).toBeGreaterThan(4_000);
      const [socket] = await accepted;
      const closed = once(socket, 'close');
      client.destroy();
      await closed;
      await new Promise((resolve) => setImmediate(resolve));
      expect(connections['heldBytes']).toBe(0);
    }
    server.close();
  });
});

test('more than four pipelined requests are not read until the earlier ones have responses', async () => {
  let result: (() => void)[] = [];
  const app: RequestListener = (_request, response) => void result.push(() => response.end());
  const { server } = serving({}, 'open', app);
  let requests = 0;
  server.on('request', () => requests++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
  socket.resume();
  const count = 300;
  // One read has 64 KB: some twenty of these.
  for (let i = 0; i < count; i++) socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(3_500)}\r\n\r\n`);
  await once(server, 'request');
  let most = 0;
  for (let answered = 0; answered < count;) {
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, requests - answered);
    for (const send of result.splice(0)) {
      send();
      answered += 1;
    }
  }
  expect(requests).toBe(count);
  expect(most).toBeLessThan(32);
  result = [];
  socket.destroy();
  server.close();
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['::1', '::/64'],
  ['local', 'local'],
  ['a:b', 'a:b'],
])('limits count %s as %s', (address, counted) => expect(countedAddress(address)).toBe(counted));

test('a network group is an IPv4 /24 or an IPv6 /48', () => {
  expect(networkGroup('192.0.2.1')).toBe(networkGroup('::ffff:192.0.2.255'));
  expect(networkGroup('192.0.2.1')).not.toBe(networkGroup('192.0.3.1'));
  expect(networkGroup('2001:db8:1:2ff::1')).toBe(networkGroup('2001:db8:1::1'));
  expect(networkGroup('2001:db8:1::1')).not.toBe(networkGroup('2001:db8:2::1'));
  expect(networkGroup('local')).toBe('local');
});

test('pipelined requests of all connections are started one per iteration of the event loop', async () => {
  let started = 0;
  const app: RequestListener = (_request, response) => {
    started += 1;
    response.end('ok');
  };
  const { open, server } = serving({}, 'open', app);
  const clients = open(...Array.from({ length: 20 }, (_, i) => `192.0.2.${i}`));
  let arrived = 0;
  server.on('request', () => arrived++);
  for (const client of clients) client.send(REQUEST.repeat(4));
  while (arrived < 80) await new Promise((resolve) => setImmediate(resolve));
  let most = 0;
  while (started < 80) {
    const before = started;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, started - before);
  }
  expect(most).toBeLessThanOrEqual(2);
});
