import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { countedAddress, networkGroup } from '../addresses';
import { canonicalAddress, isLoopback, type ListenerKind, LOCAL_SOCKET, markConnection } from './client-address';
import { newRequestId, REQUEST_ID_HEADER, setMemoryMeter } from './request';

export interface ConnectionOptions {
  readonly maxConnections: number;
  /** Max connections of one address (IPv6: one /64), loopback and socket files exempt; 0: no limit. */
  readonly maxPerAddress: number;
  /** Addresses without that limit: proxies, which have many clients. */
  readonly isExempt: (address: string) => boolean;
  /** Max bytes of requests and unsent responses in memory. */
  readonly maxHeldBytes: number;
  /** Time for the header of a request to arrive. It is shorter while more than half of the connections are in use. */
  readonly headerTimeoutMs: number;
  /** Body of the 429 for a connection above `maxPerAddress`; without it the connection is only closed. */
  readonly overCapBody?: string | undefined;
  /** Body of the 503 for an evicted connection. */
  readonly busyBody?: string | undefined;
}

/** Max pipelined requests that wait behind the current one. Above it, the connection is not read. */
const MAX_PIPELINED = 4;
/** A single read of 64 KB may contain more. A client that sends this many at once is disconnected. */
const MAX_PIPELINED_AT_ONCE = 32;
/** Time for a client to read its last response and to close the connection. */
const LINGER_MS = 1_000;
const MIN_HEADER_TIMEOUT_MS = 1_000;
/** Share of the heaviest network group that is evicted at once, since each eviction visits all connections. */
const EVICTED_SHARE = 1 / 8;
/** The network group of loopback, socket files and proxies. */
const TRUSTED = '';

interface Connection {
  readonly socket: Socket;
  /** Its network group. Determined once, since it takes 10 to 80 us and each eviction visits all connections. */
  readonly group: string;
  /** Its key in `perAddress`; undefined for an address without a limit. */
  readonly countedAs: string | undefined;
  readonly acceptedAt: number;
  /** The request being handled, then the queued ones. */
  readonly requests: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly since: number }[];
  hasSentRequest: boolean;
  /** Requests beyond `maxRequestsPerSocket`. Node.js itself answers them with 503. */
  dropped: number;
  heldBytes: number;
  isRefused: boolean;
  /** The connection uses another protocol and is not evicted, unless its upgrade was refused. */
  isUpgraded: boolean;
}

/**
 * The connections of a server. Each is marked with its address when it is accepted. Requests of one connection are handled one
 * after the other: handled at once, pipelined responses would pile up in memory behind the first that is not read.
 *
 * If all slots are in use, connections of the largest network group (IPv4 /24, IPv6 /48) are evicted: those without a complete
 * request, those whose client does not read its response, or running requests (see `evictedFor`). If memory is used up,
 * the connections with the highest usage in the group with the highest usage are closed.
 */
export class Connections {
  private readonly open = new Map<Socket, Connection>();
  private readonly perAddress = new Map<string, number>();
  private readonly servers: Server[] = [];
  private readonly pipelined: (() => void)[] = [];
  /** Bytes of all requests that are not answered. */
  private heldBytes = 0;
  private isDraining = false;

  constructor(
    private readonly app: RequestListener,
    private readonly options: ConnectionOptions,
  ) {}

  /** Takes over the connections of a listener. */
  attach(server: Server, kind: ListenerKind): void {
    this.servers.push(server);
    server.on('connection', (socket: Socket) => this.accept(socket, kind));
    server.on('request', this.enqueue);
    // An unknown expectation is ignored (RFC 9110, 10.1.1).
    server.on('checkExpectation', this.enqueue);
    server.on('dropRequest', (_request, socket) => this.drop(socket as Socket));
    this.adjustHeaderTimeout();
  }

  /** Sends a last response and closes the connection soon, even if the client reads nothing. */
  refuse(socket: Socket, status: string, body = ''): void {
    const connection = this.open.get(socket);
    if (connection !== undefined) connection.isRefused = true;
    endSoon(socket, bareResponse(status, body));
  }

  /** Passes the connection to another protocol. It still occupies a slot. */
  upgrade(socket: Socket): void {
    const connection = this.open.get(socket);
    if (connection !== undefined) connection.isUpgraded = true;
  }

  /** Start of the current request of the connection, `performance.now`; undefined if the connection is idle. */
  busySince(socket: Socket): number | undefined {
    return this.open.get(socket)?.requests[0]?.since;
  }

  /** Whether the application works on a request, and no response bytes wait for the client. */
  isWaitingForApp(socket: Socket): boolean {
    return this.busySince(socket) !== undefined && socket.writableLength === 0;
  }

  hasSentRequest(socket: Socket): boolean {
    return this.open.get(socket)?.hasSentRequest === true;
  }

  /** From now on each response closes its connection. */
  drain(): void {
    this.isDraining = true;
    for (const { requests } of this.open.values()) {
      if (requests[0]?.response.headersSent === false) requests[0].response.setHeader('Connection', 'close');
    }
  }

  /** Closes idle connections. A request that is still arriving gets `arrivalMs`. */
  closeIdle(arrivalMs: number): void {
    const now = performance.now();
    for (const { socket, requests, acceptedAt, isRefused, hasSentRequest } of this.open.values()) {
      const [first] = requests;
      const since = first === undefined ? (hasSentRequest ? undefined : acceptedAt) : first.since;
      const isBusy = first?.request.complete === true || (since !== undefined && now - since < arrivalMs);
      if (isRefused || (socket.writableLength === 0 && !isBusy)) socket.destroy();
    }
  }

  closeAll(): void {
    for (const socket of this.open.keys()) socket.destroy();
  }

  /** Closes connections while unsent responses and requests hold too much memory. Called at intervals. */
  enforceMemory(): void {
    const size = ({ socket, heldBytes }: Connection): number => heldBytes + socket.writableLength;
    let total = this.heldBytes;
    for (const socket of this.open.keys()) total += socket.writableLength;
    while (total > this.options.maxHeldBytes) {
      const [largest] = heaviestGroup(Array.from(this.open.values()), size).sort((a, b) => size(b) - size(a));
      if (largest === undefined) return;
      total -= size(largest);
      largest.socket.destroy();
      this.forget(largest.socket);
    }
  }

  private accept(socket: Socket, kind: ListenerKind): void {
    // The server reads a request again if it ignores the offered protocol.
    if (this.open.has(socket)) return;
    const address = kind === 'local' ? LOCAL_SOCKET : canonicalAddress(socket.remoteAddress ?? '');
    // A connection that the client has already reset has no address.
    if (address === undefined) return void socket.destroy();
    markConnection(socket, address, kind);
    const { maxPerAddress, isExempt } = this.options;
    const isTrusted = isLoopback(address) || isExempt(address);
    const group = isTrusted ? TRUSTED : networkGroup(address);
    const countedAs = maxPerAddress > 0 && !isTrusted ? countedAddress(address) : undefined;
    // Without object spread, which makes the fields slow to read: a search for connections to evict takes four times as long.
    const connection: Connection = {
      socket,
      group,
      countedAs,
      acceptedAt: performance.now(),
      requests: [],
      hasSentRequest: false,
      dropped: 0,
      heldBytes: 0,
      isRefused: false,
      isUpgraded: false,
    };
    this.open.set(socket, connection);
    setMemoryMeter(socket, (bytes) => this.setHeld(socket, connection.heldBytes + bytes));
    socket.once('close', () => this.forget(socket));
    if (countedAs !== undefined && this.countAddress(countedAs, 1) > maxPerAddress) {
      return this.dismiss(socket, '429 Too Many Requests', this.options.overCapBody);
    }
    if (this.open.size > this.options.maxConnections) this.makeRoom(connection);
    this.adjustHeaderTimeout();
  }

  /** @returns connections of the address after the change */
  private countAddress(key: string, change: 1 | -1): number {
    const count = (this.perAddress.get(key) ?? 0) + change;
    if (count === 0) this.perAddress.delete(key);
    else this.perAddress.set(key, count);
    return count;
  }

  /** Evicts connections, or the new one if there are none of a network group that is at least as large as its own. */
  private makeRoom(newest: Connection): void {
    const busy = { status: '503 Service Unavailable', body: this.options.busyBody ?? '' };
    const evicted = this.evictedFor(newest);
    for (const connection of evicted.length === 0 ? [newest] : evicted) {
      if (isIdle(connection)) this.dismiss(connection.socket, busy.status, busy.body);
      else {
        connection.socket.destroy();
        this.forget(connection.socket);
      }
    }
  }

  /**
   * Idle connections, and those that read a few bytes of a response in each write timeout, are evicted first if they are many. If they
   * are few, they may be those of honest clients, while one network has running requests in all other slots. No connection is
   * evicted for one of a larger group: a client that comes back at once would evict all others. Trusted connections get a slot from
   * any group, and lose one only for a trusted one: a client that comes back at once would evict each before its request arrives.
   */
  private evictedFor(newest: Connection): Connection[] {
    const isTrusted = newest.group === TRUSTED;
    const evictable = Array.from(this.open.values()).filter(
      (connection) => connection !== newest && (!connection.isUpgraded || connection.socket.writableEnded),
    );
    const others = evictable.filter(({ group }) => group !== TRUSTED);
    const sizes = new Map<string, number>();
    for (const { group } of [newest, ...others]) sizes.set(group, (sizes.get(group) ?? 0) + 1);
    const sizeOf = ({ group }: Connection): number => sizes.get(group) ?? 0;
    const minSize = isTrusted ? 0 : sizeOf(newest);
    const kinds = [isIdle, isUnread].map((isKind) => {
      const all = others.filter(isKind);
      const group = heaviestGroup(all, (connection) => (sizeOf(connection) >= minSize ? 1 : 0));
      const isMany = all.length > this.options.maxConnections * EVICTED_SHARE;
      return { isMany, oldest: group.slice(0, Math.ceil(group.length * EVICTED_SHARE)) };
    });
    const many = kinds.find(({ isMany, oldest }) => isMany && oldest.length > 0);
    if (many !== undefined) return many.oldest;
    const largest = heaviestGroup(others, (connection) => (sizeOf(connection) > minSize ? 1 : 0));
    if (largest.length > 0) return [...largest.filter(isIdle), ...largest.filter(isUnread), ...largest].slice(0, 1);
    const trusted = isTrusted ? evictable.filter(({ group }) => group === TRUSTED) : [];
    const last = [...kinds.flatMap(({ oldest }) => oldest), ...trusted.filter(isIdle), ...trusted.filter(isUnread)];
    return last.slice(0, 1);
  }

  /** Passes a last response to the system. The slot is free at once, whether the client reads it or not. */
  private dismiss(socket: Socket, status: string, body: string | undefined): void {
    this.forget(socket);
    if (body === undefined) return void socket.destroy();
    socket.on('error', () => undefined);
    if (!socket.writableEnded) socket.write(bareResponse(status, body));
    socket.destroySoon();
  }

  private forget(socket: Socket): void {
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    this.open.delete(socket);
    this.heldBytes -= connection.heldBytes;
    if (connection.countedAs !== undefined) this.countAddress(connection.countedAs, -1);
    this.adjustHeaderTimeout();
  }

  /** @param bytes headers and bodies of requests until their responses are sent; ignored for a connection that was forgotten */
  private setHeld(socket: Socket, bytes: number): void {
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    this.heldBytes += bytes - connection.heldBytes;
    connection.heldBytes = bytes;
    if (this.heldBytes > this.options.maxHeldBytes) this.enforceMemory();
  }

  private readonly enqueue: RequestListener = (request, response) => {
    const { socket } = request;
    const connection = this.open.get(socket);
    if (connection === undefined) return void socket.destroy();
    const { requests } = connection;
    connection.hasSentRequest = true;
    if (requests.length > MAX_PIPELINED_AT_ONCE) return void socket.destroy();
    this.setHeld(socket, connection.heldBytes + headerBytes(request));
    requests.push({ request, response, since: performance.now() });
    // Node.js resumes the socket after each parsed request: pause it after the chunk.
    if (requests.length === MAX_PIPELINED + 1) process.nextTick(() => socket.pause());
    if (requests.length === 1) this.begin(socket, connection);
  };

  private begin(socket: Socket, connection: Connection): void {
    const { requests } = connection;
    const [first] = requests;
    if (first === undefined || !socket.writable) return;
    const { request, response } = first;
    response.once('close', () => {
      requests.shift();
      this.setHeld(
        socket,
        requests.reduce((sum, waiting) => sum + headerBytes(waiting.request), 0),
      );
      if (requests.length === MAX_PIPELINED) socket.resume();
      if (requests.length > 0) this.beginLater(socket, connection);
    });
    if (this.isDraining) response.setHeader('Connection', 'close');
    this.app(request, response);
  }

  /**
   * Starts one pipelined request per iteration of the event loop: Node.js accepts one connection per iteration, so otherwise new
   * clients would wait for the pipelined requests of all others.
   */
  private beginLater(socket: Socket, connection: Connection): void {
    this.pipelined.push(() => this.begin(socket, connection));
    if (this.pipelined.length === 1) setImmediate(this.beginNext);
  }

  private readonly beginNext = (): void => {
    const [begin] = this.pipelined;
    begin?.();
    this.pipelined.shift();
    if (this.pipelined.length > 0) setImmediate(this.beginNext);
  };

  private drop(socket: Socket): void {
    const connection = this.open.get(socket);
    if (connection !== undefined && ++connection.dropped > MAX_PIPELINED_AT_ONCE) socket.destroy();
  }

  private adjustHeaderTimeout(): void {
    const { maxConnections, headerTimeoutMs } = this.options;
    const free = Math.max(0, 1 - this.open.size / maxConnections);
    const timeout = Math.max(Math.min(MIN_HEADER_TIMEOUT_MS, headerTimeoutMs), headerTimeoutMs * Math.min(1, free * 2));
    for (const server of this.servers) server.headersTimeout = timeout;
  }
}

/**
 * The connections of the network group with the largest sum, in the order in which they were accepted. Loopback, socket files
 * and proxies are the last choice.
 */
function heaviestGroup(open: readonly Connection[], weigh: (connection: Connection) => number): Connection[] {
  const weights = new Map<string, number>();
  for (const connection of open) {
    const { group } = connection;
    const weight = weigh(connection);
    weights.set(group, (weights.get(group) ?? 0) + (group === TRUSTED ? weight / 1e12 : weight));
  }
  let heaviest: string | undefined;
  let max = 0;
  for (const [group, weight] of weights) if (weight > max) [heaviest, max] = [group, weight];
  return open.filter((connection) => connection.group === heaviest && weigh(connection) > 0);
}

/** Whether the connection has no complete request. */
function isIdle({ requests }: Connection): boolean {
  return requests[0]?.request.complete !== true;
}

/** Whether the client has not read its whole response. */
function isUnread({ socket, requests }: Connection): boolean {
  return requests[0]?.response.writableEnded === true && socket.writableLength > 0;
}

/** Sends a last response. A client that neither reads nor closes does not occupy a slot. */
export function endSoon(socket: Duplex, response: string): void {
  socket.on('error', () => undefined);
  socket.end(response);
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}

function headerBytes({ rawHeaders, url = '' }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, url.length);
}

/** A response without the application. */
function bareResponse(status: string, body: string): string {
  const type = body === '' ? '' : 'Content-Type: application/json\r\n';
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `HTTP/1.1 ${status}\r\n${REQUEST_ID_HEADER}: ${newRequestId()}\r\n${type}Connection: close\r\n${length}\r\n${body}`;
}
