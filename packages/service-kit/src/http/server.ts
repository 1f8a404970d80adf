import { createServer, RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { errorText } from '../error-text';
import type { Logger } from '../logging/logger';
import { addressMatcher } from './client-address';
import { Connections } from './connections';
import { hasIpv4, listenOn, type ListenAddress } from './listen';
import { listenLocally, type LocalSocketAddress } from './local-socket';
import { RequestQueue } from './request-queue';
import { guardWrites } from './write-timeout';

export interface ServerLimits {
  /** Time for a whole request to arrive, in milliseconds. */
  readonly readTimeoutMs?: number;
  /** An answer that the caller does not take for so long ends the connection. */
  readonly writeTimeoutMs?: number;
  /** Idle time of a kept-alive connection. */
  readonly keepAliveMs?: number;
  readonly maxRequestsPerConnection?: number;
  /** Connections at once, per listener. */
  readonly maxConnections?: number;
  /** Connections at once from one address (IPv6: from one /64), loopback exempt; 0: no cap. */
  readonly maxConnectionsPerAddress?: number;
  /** Addresses or CIDR ranges without that cap, such as those of proxies. */
  readonly uncapped?: readonly string[];
}

export interface HttpServerOptions {
  readonly app: RequestListener;
  readonly listen: readonly (ListenAddress | LocalSocketAddress)[];
  readonly logger: Logger;
  readonly limits?: ServerLimits;
}

/** A server that listens. */
export interface HttpServer {
  /** The addresses it listens on, in the order asked for; failed optional ones and local sockets are left out. */
  readonly addresses: readonly AddressInfo[];
  /** The port of the first listener that has one. */
  readonly port: number;
  readonly servers: readonly Server[];
  /**
   * Takes no new connections, lets running requests finish (their answers close the connection), and after `deadlineMs`
   * cuts what is left.
   */
  close(deadlineMs?: number): Promise<void>;
}

/** How long a request may be on its way, from its head or the connection on, when the server closes. */
const ARRIVAL_MS = 1_000;

const DEFAULTS: Required<ServerLimits> = {
  readTimeoutMs: 15_000,
  writeTimeoutMs: 30_000,
  keepAliveMs: 3_000,
  maxRequestsPerConnection: 1000,
  maxConnections: 1024,
  maxConnectionsPerAddress: 64,
  uncapped: [],
};

/**
 * Listens on every address.
 * @throws Error with a message for the operator when a required address cannot be had (nothing is left listening)
 */
export async function startHttpServer({ app, listen, logger, limits = {} }: HttpServerOptions): Promise<HttpServer> {
  const settings = { ...DEFAULTS, ...limits };
  const servers: Server[] = [];
  const connections: Connections[] = [];
  let draining = false;

  const queue = new RequestQueue((request, response) => {
    if (draining) response.setHeader('Connection', 'close');
    app(request, response);
  });

  async function close(deadlineMs = 5_000): Promise<void> {
    draining = true;
    for (const response of queue.running()) if (!response.headersSent) response.setHeader('Connection', 'close');
    const closed = servers.map((server) => new Promise<void>((done) => server.close(() => done())));
    // A connection becomes idle when its last answer is out, and only then can it be closed. A request that is on its way
    // gets a moment; nobody who only holds a connection can hold up the stop.
    const isBusy = (socket: Socket, acceptedAt: number): boolean => {
      const since = queue.knows(socket) ? queue.busySince(socket) : acceptedAt;
      return since !== undefined && performance.now() - since < ARRIVAL_MS;
    };
    const closeIdle = (): void => connections.forEach((open) => open.cutIdle(isBusy));
    closeIdle();
    const sweep = setInterval(closeIdle, 50);
    const cut = setTimeout(() => connections.forEach((open) => open.cutAll()), deadlineMs);
    await Promise.all(closed);
    clearInterval(sweep);
    clearTimeout(cut);
  }

  // a second listener asked for on port 0 takes the port the first one got
  let firstPort = 0;
  const besideIpv4 = hasIpv4(listen.filter((address) => 'port' in address));
  for (const address of listen) {
    const server = createServer({ connectionsCheckingInterval: 1_000 }, queue.take);
    server.on('dropRequest', (_request, socket) => queue.drop(socket as Socket));
    const local = 'socketPath' in address;
    const open = applyLimits(server, settings, local);
    try {
      if (local) await listenLocally(server, address, logger);
      else await listenOn(server, { ...address, port: address.port === 0 ? firstPort : address.port }, besideIpv4);
    } catch (error) {
      if (address.required ?? true) {
        await close(0);
        throw error;
      }
      logger.warning(errorText(error));
      continue;
    }
    servers.push(server);
    connections.push(open);
    if (!local) firstPort = (server.address() as AddressInfo).port;
  }
  const addresses = servers
    .flatMap((server) => server.address() ?? [])
    .filter((address) => typeof address !== 'string');
  return { addresses, port: addresses[0]?.port ?? 0, servers, close };
}

function applyLimits(server: Server, limits: Required<ServerLimits>, local: boolean): Connections {
  server.requestTimeout = limits.readTimeoutMs;
  server.headersTimeout = limits.readTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveMs;
  server.maxRequestsPerSocket = limits.maxRequestsPerConnection;
  server.maxConnections = limits.maxConnections;
  const connections = new Connections(server, {
    local,
    maxPerAddress: limits.maxConnectionsPerAddress,
    isExempt: addressMatcher(limits.uncapped),
  });
  server.on('clientError', (error, socket) => answerMalformed(error, socket as Socket, connections));
  guardWrites(server, limits.writeTimeoutMs);
  return connections;
}

/** What is not HTTP gets the shortest answer and no more time. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Socket, connections: Connections): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request';
  connections.refuse(socket, `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
