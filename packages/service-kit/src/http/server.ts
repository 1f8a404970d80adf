import { createServer, RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { errorText } from '../error-text';
import type { Logger } from '../logging/logger';
import { addressMatcher, isLoopback } from './client-address';
import { Connections } from './connections';
import { hasIpv4, listenOn, type ListenAddress } from './listen';
import { type ListenerKind } from './listener-kind';
import { newRequestId, REQUEST_ID_HEADER } from './request-id';
import { RequestQueue } from './request-queue';
import { UpgradableRequest, type UpgradeListener } from './upgrade';
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
  /** The JSON that a connection over the cap of its address gets with status 429 before it is closed. */
  readonly overCapBody?: string;
}

/**
 * A listener whose callers are of this machine by its nature, such as a socket file: its requests are not counted, not
 * asked for their Host, and asked for the key only where the app says so.
 */
export interface LocalListener {
  /** Makes the server listen. @throws Error with a message for the operator */
  listen(server: Server): Promise<void>;
}

export interface HttpServerOptions {
  readonly app: RequestListener;
  readonly listen: readonly ListenAddress[];
  /** Stands beside the addresses; its failure ends the start. */
  readonly local?: LocalListener | undefined;
  /** Takes over what asks for WebSocket; without it such a request is answered like any other. */
  readonly upgrade?: UpgradeListener | undefined;
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

/** How long a request may be on its way, from its head or the connection on, when the server closes. */
const ARRIVAL_MS = 1_000;

type Limits = Required<Omit<ServerLimits, 'overCapBody'>> & Pick<ServerLimits, 'overCapBody'>;

const DEFAULTS: Limits = {
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
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { app, listen, local, upgrade, logger, limits = {} } = options;
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

  async function open(kind: ListenerKind, begin: (server: Server) => Promise<void>): Promise<void> {
    const server = createServer(
      { connectionsCheckingInterval: 1_000, ...(upgrade === undefined ? {} : { IncomingMessage: UpgradableRequest }) },
      queue.take,
    );
    // Node.js 26 takes a connection whose request is on its way for idle; `close` knows better.
    server.closeIdleConnections = () => undefined;
    server.on('dropRequest', (_request, socket) => queue.drop(socket as Socket));
    if (upgrade !== undefined) {
      server.on('upgrade', (request, socket, head) => {
        // An answer that is still on its way would be mixed with what the new protocol sends.
        if (draining || queue.busySince(socket as Socket) !== undefined) socket.destroy();
        else upgrade(request, socket, head);
      });
    }
    const taken = applyLimits(server, settings, kind, logger);
    await begin(server);
    servers.push(server);
    connections.push(taken);
  }

  // a second listener asked for on port 0 takes the port the first one got
  let firstPort = 0;
  try {
    for (const address of listen) {
      const port = address.port === 0 ? firstPort : address.port;
      try {
        await open(isLoopback(address.host) ? 'loopback' : 'open', (server) =>
          listenOn(server, { ...address, port }, hasIpv4(listen)),
        );
      } catch (error) {
        if (address.required ?? true) throw error;
        logger.warning(errorText(error));
        continue;
      }
      firstPort = (servers.at(-1)?.address() as AddressInfo).port;
    }
    if (local !== undefined) await open('local', (server) => local.listen(server));
  } catch (error) {
    await close(0);
    throw error;
  }
  const addresses = servers.map((server) => server.address()).filter((address) => isAddressInfo(address));
  return { addresses, port: addresses[0]?.port ?? 0, servers, close };
}

/** The address of a socket file is its path. */
function isAddressInfo(address: AddressInfo | string | null): address is AddressInfo {
  return address !== null && typeof address === 'object';
}

function applyLimits(server: Server, limits: Limits, kind: ListenerKind, logger: Logger): Connections {
  server.requestTimeout = limits.readTimeoutMs;
  server.headersTimeout = limits.readTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveMs;
  server.maxRequestsPerSocket = limits.maxRequestsPerConnection;
  server.maxConnections = limits.maxConnections;
  const { overCapBody } = limits;
  const connections = new Connections(server, {
    kind,
    maxPerAddress: limits.maxConnectionsPerAddress,
    isExempt: addressMatcher(limits.uncapped),
    overCap:
      overCapBody === undefined ? undefined : () => bareAnswer('429 Too Many Requests', newRequestId(), overCapBody),
  });
  server.on('clientError', (error, socket) => answerMalformed(error, socket as Socket, connections, logger));
  guardWrites(server, limits.writeTimeoutMs);
  return connections;
}

/** What is not HTTP gets the shortest answer and no more time. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Socket, connections: Connections, logger: Logger): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request';
  const id = newRequestId();
  logger.debug('what came is no HTTP request', { request: id, status, error: error.code });
  connections.refuse(socket, bareAnswer(status, id));
}

/** An answer to what the app never sees. */
function bareAnswer(status: string, id: string, body = ''): string {
  const type = body === '' ? '' : 'Content-Type: application/json\r\n';
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `HTTP/1.1 ${status}\r\n${REQUEST_ID_HEADER}: ${id}\r\n${type}Connection: close\r\n${length}\r\n${body}`;
}
