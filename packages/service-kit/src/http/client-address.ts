import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import { canonicalHost } from '../addresses';

/**
 * Whose request it is:
 * - `connection`: the address of the connection, whatever the headers say;
 * - `x-forwarded-for-first`: the first entry of X-Forwarded-For (for a node that only a proxy can reach);
 * - trusted proxies: for connections from these addresses or CIDR ranges X-Real-IP, else the last entry of
 *   X-Forwarded-For; for all others the connection.
 */
export type ClientAddressMode = 'connection' | 'x-forwarded-for-first' | { readonly trustedProxies: readonly string[] };

/** The address of callers over a local socket, which have none. */
export const LOCAL_SOCKET = 'local';

/** Stands for the address of a connection that nobody has marked: a stranger's, never one of this machine. */
export const UNKNOWN_ADDRESS = 'unknown';

const ADDRESS = Symbol('client address');
interface Marked {
  [ADDRESS]?: string;
}

/** Notes whose connection it is, as the listener saw it when it came. */
export function markConnection(socket: Socket, address: string): void {
  (socket as Marked)[ADDRESS] = address;
}

/** `canonicalHost` of what proxies write: with blanks around it, or a port behind it. */
export function canonicalAddress(text: string): string | undefined {
  return canonicalHost(text.trim().replace(/^(\[.*\]|\d+\.\d+\.\d+\.\d+):\d+$/, '$1'));
}

/** True for 127.0.0.0/8, ::1 and callers over a local socket. */
export function isLoopback(address: string): boolean {
  if (address === LOCAL_SOCKET) return true;
  const canonical = canonicalAddress(address);
  return canonical !== undefined && ipaddr.parse(canonical).range() === 'loopback';
}

/** True when a text is an address or a CIDR range. */
export function isAddressOrRange(text: string): boolean {
  return canonicalAddress(text) !== undefined || ipaddr.isValidCIDR(text);
}

/**
 * Says what is wrong with the address of a listener given as an option, or undefined when it is fine. Names are refused:
 * looking one up would ask a name server, and an empty text would mean every address.
 */
export function checkBindAddress(text: string): string | undefined {
  return isIP(text.split('%')[0] ?? '') === 0
    ? 'an IP address is expected (0.0.0.0 is every one of this machine)'
    : undefined;
}

/** Works out the client's address once per request. It must stand before everything that asks `clientAddressOf`. */
export function clientAddress(mode: ClientAddressMode): RequestHandler {
  const mark = markClient(mode);
  return (request, _response, next) => {
    mark(request);
    next();
  };
}

/** The same for a request that passes no middleware. */
export function markClient(mode: ClientAddressMode): (request: IncomingMessage) => void {
  const resolve = resolver(mode);
  return (request) => {
    (request as Marked)[ADDRESS] = resolve(request);
  };
}

/** The client's address in canonical form; `local` for a local socket. */
export function clientAddressOf(request: IncomingMessage): string {
  return (request as Marked)[ADDRESS] ?? connectionAddress(request);
}

/**
 * The address of the connection itself, as its listener marked it. That a socket has no address says nothing: so it is with
 * every TCP connection that the other side has reset.
 */
export function connectionAddress({ socket }: IncomingMessage): string {
  return (socket as Marked)[ADDRESS] ?? canonicalAddress(socket.remoteAddress ?? '') ?? UNKNOWN_ADDRESS;
}

function resolver(mode: ClientAddressMode): (request: IncomingMessage) => string {
  if (mode === 'connection') return connectionAddress;
  if (mode === 'x-forwarded-for-first') return firstForwarded;
  const isTrusted = addressMatcher(mode.trustedProxies);
  return (request) => {
    const connection = connectionAddress(request);
    if (!isTrusted(connection)) return connection;
    const realIp = request.headers['x-real-ip'];
    const named = typeof realIp === 'string' && realIp.trim() !== '' ? realIp : forwardedFor(request).at(-1);
    return canonicalAddress(named ?? '') ?? connection;
  };
}

/**
 * The first entry is what the caller itself may have written, so it never makes anybody one of this machine: whoever claims
 * a loopback address counts as unknown.
 */
function firstForwarded(request: IncomingMessage): string {
  const connection = connectionAddress(request);
  if (connection === LOCAL_SOCKET) return connection;
  const named = canonicalAddress(forwardedFor(request)[0] ?? '');
  if (named === undefined) return connection;
  return isLoopback(named) ? UNKNOWN_ADDRESS : named;
}

function forwardedFor(request: IncomingMessage): string[] {
  const header = request.headers['x-forwarded-for'];
  return (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',');
}

/** Whether an address is one of these, or in one of these CIDR ranges. */
export function addressMatcher(texts: readonly string[]): (address: string) => boolean {
  const matchers = texts.map(matcher);
  return (address) => matchers.some((matches) => matches(address));
}

function matcher(text: string): (address: string) => boolean {
  const single = canonicalAddress(text);
  if (single !== undefined) return (address) => address === single;
  const [network, bits] = ipaddr.parseCIDR(text);
  return (address) => {
    if (address === LOCAL_SOCKET || address === UNKNOWN_ADDRESS) return false;
    const parsed = ipaddr.parse(address);
    return parsed.kind() === network.kind() && parsed.match(network, bits);
  };
}
