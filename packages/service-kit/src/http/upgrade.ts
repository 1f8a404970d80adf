import { IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiKeyOptions } from './api-key';
import { keyCheck } from './api-key';
import { type ClientAddressMode, markClient } from './client-address';
import { type RefusalBody, toHttpError } from './error-handler';
import { type HttpError, refusal } from './errors';
import { isAllowedOrigin } from './foreign-callers';
import { overLimit, type RateCounter, rateHeaders } from './rate-limit';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id';
import { stringifyJson } from './stringify-json';

/** Takes over a connection that asks for another protocol; `head` is what came after the request already. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The guards of the HTTP app for what is no HTTP any more once it is let in. */
export interface UpgradeGuard {
  /**
   * Asks an upgrade to WebSocket what a guarded route asks, in this order: Host, key, rate limit (it counts as one request),
   * then GET and version 13, and whether CORS lets pages of its Origin in; none passes. `clientAddressOf` and `requestIdOf`
   * know the request afterwards.
   * @throws HttpError the refusal
   */
  admit(request: IncomingMessage): Promise<void>;
  /** Answers with a refusal, an HttpError or any other, in the app's words, and ends the connection. */
  refuse(request: IncomingMessage, socket: Duplex, error: unknown): void;
}

export interface UpgradeRules {
  readonly clientAddress: ClientAddressMode;
  readonly foreign: (request: IncomingMessage) => HttpError | undefined;
  readonly apiKey: ApiKeyOptions;
  readonly count: RateCounter;
  readonly origin: string | undefined;
  readonly body: RefusalBody;
}

export function upgradeGuard(rules: UpgradeRules): UpgradeGuard {
  const markAddress = markClient(rules.clientAddress);
  const key = keyCheck(rules.apiKey);
  return {
    async admit(request) {
      markAddress(request);
      requestIdOf(request, rules.clientAddress !== 'connection');
      const host = rules.foreign(request);
      if (host?.code === 'foreign_host') throw host;
      const unauthorized = await key(request);
      if (unauthorized !== undefined) throw unauthorized;
      const use = await rules.count(request);
      const late = use && overLimit(use);
      if (late !== undefined && use !== undefined) throw withHeaders(late, rateHeaders(use));
      if (!isWebSocket(request) || request.method !== 'GET' || request.headers['sec-websocket-version'] !== '13')
        throw refusal('upgrade_required', { headers: { 'Sec-WebSocket-Version': '13' } });
      const { origin } = request.headers;
      if (origin !== undefined && !isAllowedOrigin(origin, rules.origin)) throw refusal('foreign_origin');
    },
    refuse(request, socket, error) {
      const failure = toHttpError(error);
      const body = failure.body ?? rules.body(failure, request);
      socket.on('error', () => undefined);
      socket.end(answerText(request, failure, body === undefined ? '' : stringifyJson(body)));
      // Who neither reads nor hangs up keeps no place.
      const cut = setTimeout(() => socket.destroy(), LINGER_MS);
      socket.once('close', () => clearTimeout(cut));
    },
  };
}

const LINGER_MS = 1_000;

function withHeaders(failure: HttpError, more: Readonly<Record<string, string>>): HttpError {
  return refusal('rate_limited', { headers: { ...failure.headers, ...more } });
}

function answerText(request: IncomingMessage, { status, headers }: HttpError, body: string): string {
  const all: Record<string, string> = {
    ...headers,
    [REQUEST_ID_HEADER]: requestIdOf(request),
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${lines.join('')}\r\n${body}`;
}

/** Whether a request asks for a change to WebSocket. */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * A request of a server that has upgrades. Only WebSocket counts as one: some clients offer HTTP/2 with every request, and
 * are served as they are, which is what ignoring the offer means.
 */
export class UpgradableRequest extends IncomingMessage {
  private offered: unknown = null;

  get upgrade(): boolean | null {
    return this.offered === true && this.method !== 'CONNECT' && !isWebSocket(this) ? false : (this.offered as boolean);
  }

  set upgrade(value: boolean | null) {
    this.offered = value;
  }
}
