import { lookup } from 'node:dns/promises';
import { connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { endpointText, errorText, listenErrorText } from '@wrkz/service-kit';
import { canonicalHost, type PeerAddress } from '../addresses';
import type { P2pConfig } from '../config';
import { CONNECT_TIMEOUT } from '../constants';
import type { P2pLogger } from '../ports';

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Required if an IPv4 listener uses the same port: IPv6 sockets accept IPv4 by default. */
  readonly ipv6Only?: boolean;
}

/** Sockets and name resolution, replaceable in tests. */
export interface Transport {
  /** Opens a connection; `undefined` if it fails or takes longer than 5 s. */
  connect(address: PeerAddress): Promise<Duplex | undefined>;
  /** Accepts connections. @throws Error with a message for the operator if the address cannot be used */
  listen(
    host: string,
    port: number,
    onSocket: (socket: Duplex, remote: PeerAddress) => void,
    options?: ListenOptions,
  ): Promise<Listener>;
  /** The IP addresses of a host name; empty if it cannot be resolved. */
  resolve(host: string): Promise<string[]>;
}

/** TCP by the operating system. */
export const tcpTransport: Transport = {
  connect(address) {
    return new Promise((done) => {
      const socket = connect({ host: address.host, port: address.port });
      const fail = (): void => {
        clearTimeout(timer);
        socket.destroy();
        done(undefined);
      };
      const timer = setTimeout(fail, CONNECT_TIMEOUT);
      socket.once('error', fail);
      socket.once('connect', () => {
        clearTimeout(timer);
        socket.off('error', fail);
        // Until `PeerConnection` adds its own handler: an unhandled error event would end the process.
        socket.on('error', () => undefined);
        socket.setNoDelay(true);
        done(socket);
      });
    });
  },

  listen(host, port, onSocket, { ipv6Only = false } = {}) {
    return new Promise((done, refuse) => {
      const server = createServer({ noDelay: true }, (socket: Socket) => {
        socket.on('error', () => undefined);
        const remoteHost = canonicalHost(socket.remoteAddress ?? '');
        if (remoteHost === undefined || socket.remotePort === undefined) socket.destroy();
        else onSocket(socket, { host: remoteHost, port: socket.remotePort });
      });
      server.once('error', (error) => {
        const text = listenErrorText(error, ipv6Only ? 'p2p-bind-port-ipv6' : 'p2p-bind-port');
        refuse(new Error(`cannot listen for peers on ${endpointText({ host, port })}: ${text}`));
      });
      server.listen({ host, port, ipv6Only }, () => {
        server.removeAllListeners('error');
        server.on('error', () => undefined);
        const address = server.address();
        done({
          port: typeof address === 'object' && address !== null ? address.port : port,
          close: () =>
            new Promise((closed) => {
              server.close(() => closed());
            }),
        });
      });
    });
  },

  async resolve(host) {
    try {
      const addresses = await lookup(host, { all: true });
      return addresses.map(({ address }) => address);
    } catch {
      return [];
    }
  },
};

/** A listener with its configured address and its actual port. */
export interface PeerListener extends Listener {
  readonly host: string;
}

/**
 * Listens for peers, also on the IPv6 address if one is configured. Its default port is the port of the first listener.
 * @throws Error with a message for the operator if the first address cannot be bound; a failure of the second is only logged
 */
export async function listenForPeers(
  config: Pick<P2pConfig, 'bindHost' | 'bindPort' | 'bindHost6' | 'bindPort6'>,
  { transport, logger }: { readonly transport: Transport; readonly logger: P2pLogger },
  onSocket: (socket: Duplex, remote: PeerAddress) => void,
): Promise<PeerListener[]> {
  const { bindHost, bindPort, bindHost6, bindPort6 } = config;
  const first = { host: bindHost, ...(await transport.listen(bindHost, bindPort, onSocket)) };
  if (bindHost6 === undefined) return [first];
  const port = bindPort6 === 0 ? first.port : bindPort6;
  try {
    const second = await transport.listen(bindHost6, port, onSocket, { ipv6Only: true });
    return [first, { host: bindHost6, ...second }];
  } catch (error) {
    logger.warning(`${errorText(error)}; peers reach this node by ${bindHost} alone`);
    return [first];
  }
}
