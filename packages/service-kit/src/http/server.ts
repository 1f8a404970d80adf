import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { endpointText } from '../addresses';
import { errorCode, errorText } from '../error-text';
import type { Logger } from '../log/logger';
import { addressMatcher, isLoopback, type ListenerKind } from './client-address';
import { Connections } from './connections';
import { acceptUpgrades, type UpgradeListener } from './upgrade';

export interface ServerLimits {
  /** Time for a whole request to arrive, in milliseconds. */
  readonly readTimeoutMs?: number;
  /** A connection is closed if the client reads nothing of a response for this long. */
  readonly writeTimeoutMs?: number;
  /** Max idle time of a connection between requests. */
  readonly keepAliveMs?: number;
  readonly maxRequestsPerConnection?: number;
  readonly maxConnections?: number;
  /** Max connections of one address (IPv6: one /64), loopback exempt; 0: no limit. */
  readonly maxConnectionsPerAddress?: number;
  /** Max bytes of requests and unsent responses in memory. */
  readonly maxHeldBytes?: number;
  /** Addresses or CIDR ranges without the limit per address, such as proxies. */
  readonly uncapped?: readonly string[];
  /** JSON body of the 429 for a connection above the limit of its address. */
  readonly overCapBody?: string;
  /** JSON body of the 503 for a connection that is closed because all are in use. */
  readonly busyBody?: string;
}

/** A listener for this machine only, such as a socket file: it has no rate limit and no check of the Host header. */
export interface LocalListener {
  /** @throws Error with a message for the operator */
  listen(server: Server): Promise<void>;
}

export interface HttpServerOptions {
  readonly app: RequestListener;
  readonly listen: readonly ListenAddress[];
  readonly local?: LocalListener | undefined;
  /** Handles upgrades to WebSocket; without it they are ordinary requests. */
  readonly upgrade?: UpgradeListener | undefined;
  readonly logger: Logger;
  readonly limits?: ServerLimits;
}

export interface HttpServer {
  /** The addresses of the listeners in the given order, without optional ones that failed. */
  readonly addresses: readonly AddressInfo[];
  /** The port of the first listener. */
  readonly port: number;
  readonly servers: readonly Server[];
  /** Accepts no connections, lets running requests finish, and closes all connections after `deadlineMs`. */
  close(deadlineMs?: number): Promise<void>;
}

/** Time for a request to arrive while the server closes. */
const ARRIVAL_MS = 1_000;
const MEMORY_CHECK_MS = 100;

const DEFAULTS = {
  readTimeoutMs: 15_000,
  writeTimeoutMs: 30_000,
  // As in the C++ server. C++ wallets send a request every 10 s. If the server has closed the connection, they repeat the request
  // with each header twice. Node.js refuses two `Content-Length` headers.
  keepAliveMs: 30_000,
  maxRequestsPerConnection: 1000,
  maxConnections: 1024,
  maxConnectionsPerAddress: 64,
  maxHeldBytes: 128 * 1024 * 1024,
  uncapped: [],
} as const satisfies ServerLimits;

/**
 * Listens on every address.
 * @throws Error with a message for the operator if a required address is not available; no listener remains then
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { app, listen, local, upgrade, logger } = options;
  const limits = { ...DEFAULTS, ...options.limits };
  const servers: Server[] = [];
  const connections = new Connections(app, {
    ...limits,
    maxPerAddress: limits.maxConnectionsPerAddress,
    headerTimeoutMs: limits.readTimeoutMs,
    isExempt: addressMatcher(limits.uncapped),
  });
  const memoryCheck = setInterval(() => connections.enforceMemory(), MEMORY_CHECK_MS).unref();
  let isClosing = false;

  async function close(deadlineMs = 5_000): Promise<void> {
    isClosing = true;
    connections.drain();
    const closed = servers.map((server) => new Promise<void>((done) => server.close(() => done())));
    connections.closeIdle(ARRIVAL_MS);
    const sweep = setInterval(() => connections.closeIdle(ARRIVAL_MS), 50);
    const cut = setTimeout(() => connections.closeAll(), deadlineMs);
    await Promise.all(closed);
    clearInterval(sweep);
    clearInterval(memoryCheck);
    clearTimeout(cut);
  }

  async function open(kind: ListenerKind, begin: (server: Server) => Promise<void>): Promise<void> {
    // The app refuses requests without a Host header.
    const server = createServer({ connectionsCheckingInterval: 1_000, requireHostHeader: false });
    configure(server, connections, limits, logger);
    connections.attach(server, kind);
    if (upgrade !== undefined) {
      // A response that is still being sent would mix with the new protocol.
      const isIdle = (socket: Socket): boolean => !isClosing && connections.busySince(socket) === undefined;
      const takeOver: UpgradeListener = (request, socket, head) => {
        connections.upgrade(socket as Socket);
        upgrade(request, socket, head);
      };
      acceptUpgrades(server, takeOver, isIdle);
    }
    await begin(server);
    servers.push(server);
  }

  // A second listener on port 0 gets the port of the first.
  let firstPort = 0;
  try {
    for (const address of listen) {
      const port = address.port === 0 ? firstPort : address.port;
      const kind = isLoopback(address.host) ? 'loopback' : 'open';
      try {
        await open(kind, (server) => listenOn(server, { ...address, port }, hasIpv4(listen)));
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

function configure(
  server: Server,
  connections: Connections,
  limits: Required<Pick<ServerLimits, 'readTimeoutMs' | 'writeTimeoutMs' | 'keepAliveMs' | 'maxRequestsPerConnection'>>,
  logger: Logger,
): void {
  server.requestTimeout = limits.readTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveMs;
  server.maxRequestsPerSocket = limits.maxRequestsPerConnection;
  // Node.js 26 closes a connection whose request is arriving as idle; `Connections.closeIdle` does not.
  server.closeIdleConnections = () => undefined;
  // Called after a time without any progress, and for idle connections.
  server.setTimeout(limits.writeTimeoutMs, (socket: Socket) => {
    const isHeader = socket.writableLength === 0 && !connections.hasSentRequest(socket);
    if (isHeader || connections.isWaitingForApp(socket)) socket.setTimeout(limits.writeTimeoutMs);
    else socket.destroy();
  });
  server.on('clientError', (error, socket) => {
    if (errorCode(error) === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const status = MALFORMED[errorCode(error) ?? ''] ?? '400 Bad Request';
    logger.debug('malformed HTTP request', { status, error: errorCode(error) });
    connections.refuse(socket as Socket, status);
  });
}

const MALFORMED: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** The address of a listener. The failure of one that is not required is only a warning. */
export interface ListenAddress {
  /** `::` also accepts IPv4, unless there is an IPv4 listener. */
  readonly host: string;
  readonly port: number;
  readonly required?: boolean;
  /** The name of the option that sets the port, without dashes: reported when the port is in use. */
  readonly portOption?: string;
  /** An open listener of another process on this address, whose connections are shared. */
  readonly shared?: TcpServer | undefined;
}

/** The text of an error of `listen`. If the address is in use, it names the option (without dashes) that changes it. */
export function listenErrorText(error: unknown, option: string | undefined): string {
  const isInUse = errorCode(error) === 'EADDRINUSE' && option !== undefined;
  return isInUse ? `${errorText(error)}. Choose another with --${option}` : errorText(error);
}

/**
 * @param besideIpv4 whether an IPv4 listener uses the same port: an IPv6 listener must then not accept IPv4
 * @throws Error with a message for the operator
 */
export function listenOn(server: TcpServer, address: ListenAddress, besideIpv4: boolean): Promise<void> {
  const { host, port, portOption, shared } = address;
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => {
      const text = `cannot listen on ${endpointText(address)}: ${listenErrorText(error, portOption)}`;
      reject(new Error(text, { cause: error }));
    };
    server.once('error', refuse);
    server.listen(shared ?? { host, port, ipv6Only: besideIpv4 && host.includes(':') }, () => {
      server.removeListener('error', refuse);
      resolve();
    });
  });
}

/** Whether there is a listener for IPv4 only. */
export function hasIpv4(listen: readonly ListenAddress[]): boolean {
  return listen.some(({ host }) => !host.includes(':'));
}

/**
 * Listens on each required address for a moment. A program calls it before it creates or opens anything: so an accidental second
 * start creates no folder, file or lock.
 *
 * @throws Error with a message for the operator if an address is not available
 */
export async function assertPortsFree(listen: readonly ListenAddress[]): Promise<void> {
  for (const address of listen) {
    if (address.required === false) continue;
    const server = createTcpServer();
    await listenOn(server, address, hasIpv4(listen));
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
