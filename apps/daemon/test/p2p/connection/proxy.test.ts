import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Command } from '@wrkz/levin';
import { proxyTransport } from '../../../src/p2p/connection/proxy';
import type { PeerAddress } from '../../../src/p2p/addresses';
import { TestLogger, toyChain } from '../fakes';
import { Harness } from '../harness';

/** A SOCKS5 server (RFC 1928, RFC 1929) that connects to IPv4 addresses. */
class Proxy {
  readonly requests: { readonly destination: PeerAddress; readonly credentials: string }[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((client) => {
    this.sockets.add(client);
    client.on('error', () => client.destroy());
    void this.serve(client).catch(() => client.destroy());
  });

  static async listen(): Promise<Proxy> {
    const proxy = new Proxy();
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get address(): PeerAddress {
    return { host: '127.0.0.1', port: (this.server.address() as AddressInfo).port };
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((closed) => this.server.close(closed));
  }

  private async serve(client: Socket): Promise<void> {
    const [, methods = 0] = await read(client, 2);
    const offered = await read(client, methods);
    if (!offered.includes(2)) throw new Error('no credentials were offered');
    client.write(Buffer.from([5, 2]));
    const [, nameLength = 0] = await read(client, 2);
    const name = await read(client, nameLength);
    const [passwordLength = 0] = await read(client, 1);
    const password = await read(client, passwordLength);
    client.write(Buffer.from([1, 0]));
    const request = await read(client, 10);
    const destination = { host: request.subarray(4, 8).join('.'), port: request.readUInt16BE(8) };
    this.requests.push({ destination, credentials: `${name.toString()}:${password.toString()}` });
    const target = connect(destination.port, destination.host);
    this.sockets.add(target);
    try {
      await once(target, 'connect');
    } catch {
      client.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0]));
      return;
    }
    target.on('error', () => client.destroy());
    client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    client.pipe(target).pipe(client);
  }
}

async function read(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(count) as Buffer | null;
    if (bytes !== null) return bytes;
    await once(socket, 'readable');
  }
}

describe('a node with a SOCKS5 proxy', () => {
  const harness = new Harness();
  let proxy: Proxy;
  beforeEach(async () => {
    proxy = await Proxy.listen();
  });
  afterEach(async () => {
    await harness.stop();
    await proxy.close();
  });

  it('connects to peers through the proxy, with other credentials each time', async () => {
    const servers = [await harness.server(), await harness.server()];
    const addresses = servers.map(({ address }) => address);
    await harness.node(toyChain(3), { exclusiveNodes: addresses, proxy: proxy.address });
    for (const server of servers) {
      const peer = await server.caller();
      await peer.nextOf(Command.handshake);
    }
    expect(proxy.requests.map(({ destination }) => destination)).toEqual(expect.arrayContaining(addresses));
    expect(proxy.requests).toHaveLength(2);
    expect(new Set(proxy.requests.map(({ credentials }) => credentials)).size).toBe(2);
  });

  it('resolves no host names, since DNS queries would not go through the proxy', async () => {
    expect(await proxyTransport(proxy.address, new TestLogger()).resolve('localhost')).toEqual([]);
  });

  it('warns once if the proxy does not accept connections, and not about peers that are offline', async () => {
    const logger = new TestLogger();
    const { address } = await harness.server();
    const transport = proxyTransport(proxy.address, logger);
    const warnings = (): string[] => logger.lines.filter((line) => line.startsWith('warning'));
    const offline = { host: '127.0.0.1', port: 1 };
    expect(await transport.connect(offline)).toBeUndefined();
    (await transport.connect(address))?.destroy();
    expect([proxy.requests.length, warnings()]).toEqual([2, []]);
    const gone = proxyTransport(offline, logger);
    expect([await gone.connect(address), await gone.connect(address)]).toEqual([undefined, undefined]);
    expect(warnings()).toEqual([expect.stringContaining('through the proxy 127.0.0.1:1: ')]);
  });
});
