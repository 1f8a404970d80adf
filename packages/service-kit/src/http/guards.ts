import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import vary from 'vary';
import { isLoopback, listenerOf, LOCAL_SOCKET } from './client-address';
import { type HttpError, refusal } from './errors';
import { requestPath } from './request';

export interface ApiKeyOptions {
  /** The key, or a function that returns the current key; without it, or if it is empty, every request passes. */
  readonly key: string | (() => string) | undefined;
  /** Without X-API-Key, `Authorization: Bearer <key>` counts, too. */
  readonly bearer?: boolean;
  /** Whether requests over a socket file need the key; by default its file permissions are enough. */
  readonly local?: boolean;
  /** Replaces `key` in a service with several keys. @param presented '' for none @returns the refusal */
  readonly judge?: ((presented: string, request: IncomingMessage) => Promise<HttpError | undefined>) | undefined;
}

/**
 * The error text for an invalid key option; undefined if it is valid. A key that no header can contain would lock out all
 * clients.
 */
export function checkApiKey(key: string): string | undefined {
  // eslint-disable-next-line no-control-regex -- a header cannot have these
  return /^\s|\s$|[\u0000-\u001f\u007f]/u.test(key)
    ? 'a header cannot contain leading or trailing blanks and control characters'
    : undefined;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares two secrets in constant time. */
export function secretsEqual(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

/** Makes the check for the API key: the refusal, 401, or undefined. */
export function apiKeyCheck(options: ApiKeyOptions): (request: IncomingMessage) => Promise<HttpError | undefined> {
  const { bearer = false, local = false, judge } = options;
  return async (request) => {
    const key = typeof options.key === 'function' ? options.key() : options.key;
    if (judge !== undefined) return judge(presentedKey(request, bearer), request);
    if (key === undefined || key === '' || (!local && listenerOf(request) === 'local')) return undefined;
    return secretsEqual(presentedKey(request, bearer), key) ? undefined : refusal('unauthorized');
  };
}

function presentedKey({ headers }: IncomingMessage, bearer: boolean): string {
  const header = headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return decodeHeader(header);
  const { authorization = '' } = headers;
  return bearer && authorization.startsWith('Bearer ') ? decodeHeader(authorization.slice('Bearer '.length)) : '';
}

/** Node.js decodes a header as Latin-1; clients send a key in UTF-8. */
const decodeHeader = (header: string): string => Buffer.from(header, 'latin1').toString('utf8');

export interface ForeignRequestOptions {
  /** Host names, besides those of this machine, that requests to a loopback listener may have; `*`: any. */
  readonly allowedHosts: readonly string[];
  /** The origin of CORS; `*`: any. */
  readonly origin?: string | undefined;
}

/**
 * Makes the check for DNS rebinding and cross-site requests. A web page in a browser on this machine reaches loopback
 * listeners: by its own requests, which have its Origin, and, if its name resolves to 127.0.0.1, by requests with its Host.
 * Listeners that other machines reach are open anyway, and a browser cannot open a socket file.
 *
 * @returns the refusal, 403, or undefined
 */
export function foreignRequestCheck({ allowedHosts, origin: allowed }: ForeignRequestOptions) {
  const hosts = new Set(allowedHosts.map((name) => name.toLowerCase()));
  const isOwnName = (name: string): boolean => name === 'localhost' || isLoopbackName(name) || hosts.has(name);
  // Most requests have the Host of the request before.
  let last = { host: '', isOwn: false };
  const isOwnHost = (host: string): boolean => {
    if (host !== last.host) last = { host, isOwn: isOwnName(hostName(host)) };
    return last.isOwn;
  };
  return (request: IncomingMessage): HttpError | undefined => {
    if (listenerOf(request) !== 'loopback') return undefined;
    const { host, origin } = request.headers;
    if (host !== undefined && !hosts.has('*') && !isOwnHost(host)) return refusal('foreign_host');
    const isOwnPage = origin === undefined || isAllowedOrigin(origin, allowed) || isSameOrigin(origin, host);
    return isOwnPage ? undefined : refusal('foreign_origin');
  };
}

export function isAllowedOrigin(origin: string, allowed: string | undefined): boolean {
  return allowed === '*' || (origin !== '' && origin === allowed);
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && /^https?:\/\/(.*)$/.exec(origin)?.[1]?.toLowerCase() === host.toLowerCase();
}

/** The address of socket files is an ordinary name in a Host header. */
const isLoopbackName = (name: string): boolean => name !== LOCAL_SOCKET && isLoopback(name);

/** Host without port and brackets: `[::1]:80` is `::1`. */
function hostName(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.trim().toLowerCase()) ?? [];
  return bracketed ?? plain.replace(/\.$/, '');
}

export interface CorsOptions {
  /** Value of Access-Control-Allow-Origin; undefined or empty: no CORS headers. */
  readonly origin?: string | undefined;
  /** Prefix of the paths with the headers. Default: all paths. */
  readonly under?: string;
  /** Response headers that pages may read. */
  readonly exposed?: readonly string[];
  /** The response to OPTIONS, sent before any check of key or limit. Undefined: OPTIONS is handled like other methods. */
  readonly preflight: (request: IncomingMessage, origin: string | undefined) => PreflightResponse | undefined;
}

export interface PreflightResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The error text for an invalid origin option; undefined if it is valid: `*`, `null`, or http(s)://host[:port]. */
export function checkCorsOrigin(origin: string): string | undefined {
  if (origin === '' || origin === '*' || origin === 'null') return undefined;
  if (!/^https?:\/\//.test(origin)) return 'an origin starts with http:// or https:// (or is * or null)';
  if (origin.endsWith('/')) return 'an origin has no trailing slash';
  if (!/^https?:\/\/[^/?#\s\\@,]+$/.test(origin)) return 'an origin consists of a scheme, a host and an optional port';
  return undefined;
}

/** Sets the CORS headers and responds to OPTIONS. Credentials are never allowed. @returns whether it sent the response */
export function cors(options: CorsOptions): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { origin, under = '/', exposed = [], preflight } = options;
  return (request, response) => {
    const allowed = origin === '' || !requestPath(request).startsWith(under) ? undefined : origin;
    if (allowed !== undefined) {
      response.setHeader('Access-Control-Allow-Origin', allowed);
      if (allowed !== '*') vary(response, 'Origin');
      if (exposed.length > 0) response.setHeader('Access-Control-Expose-Headers', exposed.join(', '));
    }
    const preflightResponse = request.method === 'OPTIONS' ? preflight(request, allowed) : undefined;
    if (preflightResponse === undefined) return false;
    response.writeHead(preflightResponse.status, preflightResponse.headers).end();
    return true;
  };
}
