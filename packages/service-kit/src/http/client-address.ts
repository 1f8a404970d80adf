import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import { canonicalHost } from '../addresses';

/**
 * How the address of a client is determined:
 * - `connection`: the address of the connection; headers are ignored;
 * - `x-forwarded-for-first`: the first entry of X-Forwarded-For (for a node that only a proxy can reach);
 * - trusted proxies: for connections from these addresses or CIDR ranges X-Real-IP, else the last address of X-Forwarded-For
 *   that is not a trusted proxy; for all others the connection.
 */
export type ClientAddressMode = 'connection' | 'x-forwarded-for-first' | { readonly trustedProxies: readonly string[] };

/**
 * The possible clients of a listener: `local`, processes that may open its socket file; `loopback`, processes of this machine;
 * `open`, also other machines.
 */
export type ListenerKind = 'local' | 'loopback' | 'open';

/** The client address of a connection over a socket file. */
export const LOCAL_SOCKET = 'local';

/** The client address of a connection whose address is unknown: never loopback. */
export const UNKNOWN_ADDRESS = 'unknown';

const ADDRESS = Symbol('client address');
const LISTENER = Symbol('listener');
interface Marked {
  [ADDRESS]?: string;
  [LISTENER]?: ListenerKind;
}

/** Records address and listener of an accepted connection. Node.js forgets the address after a reset. */
export function markConnection(socket: Socket, address: string, listener: ListenerKind): void {
  Object.assign(socket, { [ADDRESS]: address, [LISTENER]: listener });
}

/** The listener that accepted the connection; `open`, the kind without privileges, if it is unknown. */
export function listenerOf({ socket }: IncomingMessage): ListenerKind {
  return (socket as Marked)[LISTENER] ?? 'open';
}

/** The address of the connection, canonical. */
export function connectionAddress({ socket }: IncomingMessage): string {
  return (socket as Marked)[ADDRESS] ?? canonicalAddress(socket.remoteAddress ?? '') ?? UNKNOWN_ADDRESS;
}

/** The client address of a request, canonical; `local` for a socket file. */
export function clientAddressOf(request: IncomingMessage): string {
  return (request as Marked)[ADDRESS] ?? connectionAddress(request);
}

/** Makes a function that determines the client address, for `clientAddressOf`. */
export function clientAddress(mode: ClientAddressMode): (request: IncomingMessage) => void {
  const resolve = resolver(mode);
  return (request) => {
    (request as Marked)[ADDRESS] = resolve(request);
  };
}

function resolver(mode: ClientAddressMode): (request: IncomingMessage) => string {
  if (mode === 'connection') return connectionAddress;
  if (mode === 'x-forwarded-for-first') return firstForwarded;
  const isTrusted = addressMatcher(mode.trustedProxies);
  return (request) => {
    const connection = connectionAddress(request);
    if (!isTrusted(connection)) return connection;
    const { 'x-real-ip': realIp } = request.headers;
    if (typeof realIp === 'string' && realIp.trim() !== '') return canonicalAddress(realIp) ?? connection;
    return forwardedFor(request).reduceRight((client, entry) => {
      return isTrusted(client) ? (canonicalAddress(entry) ?? connection) : client;
    }, connection);
  };
}

/** The client can forge the first entry, so a loopback address there counts as unknown. */
function firstForwarded(request: IncomingMessage): string {
  const connection = connectionAddress(request);
  if (connection === LOCAL_SOCKET) return connection;
  const address = canonicalAddress(forwardedFor(request)[0] ?? '');
  if (address === undefined) return connection;
  return isLoopback(address) ? UNKNOWN_ADDRESS : address;
}

function forwardedFor(request: IncomingMessage): string[] {
  const header = request.headers['x-forwarded-for'];
  return (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',');
}

/** `canonicalHost` of an address in a header: it may have spaces around it, and a port. */
export function canonicalAddress(text: string): string | undefined {
  return canonicalHost(text.trim().replace(/^(\[.*\]|\d+\.\d+\.\d+\.\d+):\d+$/, '$1'));
}

/** Whether an address is in 127.0.0.0/8, ::1, or that of a socket file. */
export function isLoopback(address: string): boolean {
  if (address === LOCAL_SOCKET) return true;
  const canonical = canonicalAddress(address);
  return canonical === '::1' || (canonical?.startsWith('127.') ?? false);
}

export function isAddressOrRange(text: string): boolean {
  return canonicalAddress(text) !== undefined || ipaddr.isValidCIDR(text);
}

/** Matches canonical addresses against a list of addresses and CIDR ranges. */
export function addressMatcher(texts: readonly string[]): (address: string) => boolean {
  const matches = proxyAddr.compile(texts.flatMap((text) => HALVES[text] ?? canonicalAddress(text) ?? text));
  return (address) => isIP(address) !== 0 && matches(address, 0);
}

/** The library rejects ranges of all addresses, so they are split into halves. */
const HALVES: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0/0': ['0.0.0.0/1', '128.0.0.0/1'],
  '::/0': ['::/1', '8000::/1'],
};

/**
 * The error text for an invalid address to listen on; undefined if it is valid. Names are rejected: they would require a name
 * server.
 */
export function checkBindAddress(text: string): string | undefined {
  return isIP(text.split('%')[0] ?? '') === 0
    ? 'an IP address is expected (0.0.0.0 for all addresses of this machine)'
    : undefined;
}
