import { createServer, RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { endpointText } from '../addresses';
import { errorText } from '../error-text';
import type { Logger } from '../logging/logger';
import { guardConnections } from './connections';
import { RequestQueue } from './request-queue';
import { guardWrites } from './write-timeout';

/** Where a server listens. The failure of a listener that is not required is a warning only. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly required?: boolean;
}

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
  /** Connections at once from one address, loopback exempt; 0: no cap. */
  readonly maxConnectionsPerAddress?: number;
}

export interface HttpServerOptions {
  readonly app: RequestListener;
  readonly listen: readonly ListenAddress[];
  readonly logger: Logger;
  readonly limits?: ServerLimits;
}

/** A server that listens. */
export interface HttpServer {
  /** The addresses it listens on, in the order asked for; failed optional ones are left out. */
  readonly addresses: readonly AddressInfo[];
  /** The port of the first listener. */
  readonly port: number;
  readonly servers: readonly Server[];
  /**
   * Takes no new connections, lets running requests finish (their answers close the connection), and after `deadlineMs`
   * cuts what is left.
   */
  close(deadlineMs?: number): Promise<void>;
}

const DEFAULTS: Required<ServerLimits> = {
  readTimeoutMs: 15_000,
  writeTimeoutMs: 30_000,
  keepAliveMs: 3_000,
  maxRequestsPerConnection: 1000,
  maxConnections: 1024,
  maxConnectionsPerAddress: 0,
};

/**
 * Listens on every address.
 * @throws Error with a message for the operator when a required address cannot be had (nothing is left listening)
 */
export async function startHttpServer({ app, listen, logger, limits = {} }: HttpServerOptions): Promise<HttpServer> {
  const settings = { ...DEFAULTS, ...limits };
  const servers: Server[] = [];
  let draining = false;

  const queue = new RequestQueue((request, response) => {
    if (draining) response.setHeader('Connection', 'close');
    app(request, response);
  });

  async function close(deadlineMs = 5_000): Promise<void> {
    draining = true;
    for (const response of queue.running()) if (!response.headersSent) response.setHeader('Connection', 'close');
    const closed = servers.map((server) => new Promise<void>((done) => server.close(() => done())));
    // a connection becomes idle when its last answer is out, and only then can it be closed
    const closeIdle = (): void => servers.forEach((server) => server.closeIdleConnections());
    closeIdle();
    const sweep = setInterval(closeIdle, 50);
    const cut = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), deadlineMs);
    await Promise.all(closed);
    clearInterval(sweep);
    clearTimeout(cut);
  }

  // a second listener asked for on port 0 takes the port the first one got
  let firstPort = 0;
  for (const address of listen) {
    const server = createServer({ connectionsCheckingInterval: 1_000 }, queue.take);
    applyLimits(server, settings);
    try {
      await listenOn(server, { ...address, port: address.port === 0 ? firstPort : address.port });
    } catch (error) {
      const text = `cannot listen on ${endpointText(address)}: ${errorText(error)}`;
      if (address.required ?? true) {
        await close(0);
        throw new Error(text, { cause: error });
      }
      logger.warning(text);
      continue;
    }
    servers.push(server);
    firstPort = (server.address() as AddressInfo).port;
  }
  const addresses = servers.map((server) => server.address() as AddressInfo);
  return { addresses, port: addresses[0]?.port ?? 0, servers, close };
}

function applyLimits(server: Server, limits: Required<ServerLimits>): void {
  server.requestTimeout = limits.readTimeoutMs;
  server.headersTimeout = limits.readTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveMs;
  server.maxRequestsPerSocket = limits.maxRequestsPerConnection;
  server.maxConnections = limits.maxConnections;
  server.on('clientError', answerMalformed);
  guardConnections(server, limits.maxConnectionsPerAddress);
  guardWrites(server, limits.writeTimeoutMs);
}

/** What is not HTTP gets the shortest answer and no more time. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function listenOn(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // an IPv6 listener takes IPv6 alone, so that it can stand beside an IPv4 one on the same port
    server.listen({ host, port, ipv6Only: host.includes(':') }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
