import { STATUS_CODES, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { endSoon } from './connections';
import { type HttpError, refusal } from './errors';
import { isAllowedOrigin } from './guards';
import type { RateLimiter } from './rate-limit';
import { REQUEST_ID_HEADER, requestIdOf } from './request';
import { stringifyJson } from './json';

/** Takes over a connection after a request for WebSocket. @param head bytes after the request */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The guards of the HTTP app for WebSocket. */
export interface UpgradeGuard {
  /**
   * Checks Host, key, rate limit (as one request), method, version and Origin, in this order.
   * @throws HttpError
   */
  admit(request: IncomingMessage): Promise<void>;
  /** Sends the error response and closes the connection. */
  refuse(request: IncomingMessage, socket: Duplex, error: unknown): void;
}

export interface UpgradeDependencies {
  /** Determines client address and request id. */
  readonly identify: (request: IncomingMessage) => void;
  readonly foreign: (request: IncomingMessage) => HttpError | undefined;
  readonly key: (request: IncomingMessage) => Promise<HttpError | undefined>;
  readonly limit: RateLimiter;
  readonly origin: string | undefined;
  /** Status, headers and body of an error. */
  readonly describe: (error: unknown, request: IncomingMessage) => HttpError;
}

export function upgradeGuard(dependencies: UpgradeDependencies): UpgradeGuard {
  const { identify, foreign, key, limit, origin: allowed, describe } = dependencies;
  return {
    async admit(request) {
      identify(request);
      const foreignHost = foreign(request);
      if (foreignHost?.code === 'foreign_host') throw foreignHost;
      const unauthorized = await key(request);
      if (unauthorized !== undefined) throw unauthorized;
      await limit(request, responseOf(request));
      if (!isWebSocket(request) || request.method !== 'GET' || request.headers['sec-websocket-version'] !== '13')
        throw refusal('upgrade_required', { headers: { 'Sec-WebSocket-Version': '13' } });
      const { origin } = request.headers;
      if (origin !== undefined && !isAllowedOrigin(origin, allowed)) throw refusal('foreign_origin');
    },
    refuse(request, socket, error) {
      const { status, headers, body } = describe(error, request);
      const text = body === undefined ? '' : stringifyJson(body);
      const all = {
        ...responseOf(request).getHeaders(),
        ...headers,
        [REQUEST_ID_HEADER]: requestIdOf(request),
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
        'Cache-Control': 'no-store',
        Connection: 'close',
      };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      endSoon(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${lines.join('')}\r\n${text}`);
    },
  };
}

const RESPONSE = Symbol('response');

/** A response that only collects the headers of the rate limit. */
function responseOf(request: IncomingMessage): ServerResponse {
  const marked = request as { [RESPONSE]?: ServerResponse };
  return (marked[RESPONSE] ??= new ServerResponse(request));
}

/**
 * Passes WebSocket requests to the listener. Some HTTP clients offer an upgrade to HTTP/2 with every request: the server
 * ignores such an offer and responds normally.
 *
 * @param isIdle whether no response is being sent on the connection
 */
export function acceptUpgrades(server: Server, upgrade: UpgradeListener, isIdle: (socket: Socket) => boolean): void {
  server.on('upgrade', (request, duplex, head) => {
    const socket = duplex as Socket;
    if (!isIdle(socket)) socket.destroy();
    else if (isWebSocket(request)) upgrade(request, socket, head);
    else withoutOffer(server, request, socket, head);
  });
}

/** Makes the server parse the request again, without the upgrade offer. */
function withoutOffer(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const isClosing = /\bclose\b/i.test(request.headers.connection ?? '');
  const bytes = requestHead(request, {
    without: /^(upgrade|connection|http2-settings)$/i,
    more: isClosing ? ['Connection: close'] : [],
  });
  socket.unshift(Buffer.concat([bytes, head]));
  server.emit('connection', socket);
}

/** The request line and the headers of a request as they were received, up to the empty line. */
export function requestHead(
  request: IncomingMessage,
  { without, more = [] }: { readonly without?: RegExp; readonly more?: readonly string[] } = {},
): Buffer {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(i, i + 2);
    if (without?.test(name) !== true) lines.push(`${name}: ${value}`);
  }
  return Buffer.from(`${[...lines, ...more].join('\r\n')}\r\n\r\n`, 'latin1');
}

/** Whether a request asks for WebSocket. */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}
