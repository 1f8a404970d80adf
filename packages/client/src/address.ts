import { isSocketAddress, nodePath, socketPath } from '@wrkz/service-kit/base';

/** Address of a node as configured by a user (docs/protocol/wallet-sync.md#the-address-of-a-node). */
export interface NodeAddress {
  /** A host name or IP address, optionally followed by a base path, or a socket: `/path`, `@name`, `ipc://path`. */
  readonly host: string;
  /** Ignored for a socket. */
  readonly port: number;
  readonly ssl: boolean;
  /** Access token, sent as X-API-KEY. Nodes without an access token ignore it. */
  readonly token?: string | undefined;
}

/** A parsed node address. */
export interface NodeLocation {
  /** Without a trailing slash. For a local socket the host is a placeholder. */
  readonly baseUrl: string;
  /** Path of a local socket for `net`. */
  readonly socket: string | undefined;
  /** Whether requests stay on this machine. A name other than `localhost` is not resolved. */
  readonly isLoopback: boolean;
  /** Address for display, without the token. */
  readonly name: string;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Parses an address. @throws RangeError when it is invalid */
export function nodeLocation({ host, port, ssl }: NodeAddress): NodeLocation {
  const text = host.trim();
  if (isSocketAddress(text)) return socketEndpoint(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new RangeError('the port must be between 1 and 65535');
  const slash = text.indexOf('/');
  const hostname = slash < 0 ? text : text.slice(0, slash);
  const basePath = slash < 0 ? '' : text.slice(slash);
  const given = `${ssl ? 'https' : 'http'}://${bracketed(hostname)}:${String(port)}${basePath}`;
  if (hostname === '' || /[\s@?#\\]/.test(text) || !URL.canParse(given)) throw noNode(host);
  const { origin, pathname, hostname: canonical } = new URL(given);
  const isLoopback = LOOPBACK.test(canonical);
  return { baseUrl: origin + pathname.replace(/\/+$/, ''), socket: undefined, isLoopback, name: given };
}

function socketEndpoint(text: string): NodeLocation {
  const path = socketPath(text);
  if (path === '' || path === '@' || path.includes('\0')) throw noNode(text);
  return { baseUrl: 'http://localhost', socket: nodePath(path), isLoopback: true, name: `ipc://${path}` };
}

/** URLs need IPv6 addresses in brackets. */
function bracketed(hostname: string): string {
  return hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
}

function noNode(host: string): RangeError {
  return new RangeError(`${JSON.stringify(host)} is not a valid node address`);
}
