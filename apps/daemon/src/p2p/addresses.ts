import * as ipaddr from 'ipaddr.js';
import { canonicalHost, countedAddress, endpointText } from '@wrkz/service-kit/base';

/** An endpoint: `host` is an IP address in canonical form (mapped IPv4 is plain IPv4), `port` 1 to 65535. */
export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

export { canonicalHost };

/** How lists, logs and `/peers` write an endpoint. */
export const addressKey: (address: PeerAddress) => string = endpointText;

/** Loopback, private, link-local, multicast, reserved: everything that is no public unicast address. */
export function isLocalHost(host: string): boolean {
  return ipaddr.process(host).range() !== 'unicast';
}

/** Addresses that no peer list may hold, whatever the options. */
const UNUSABLE: ReadonlySet<string> = new Set(['unspecified', 'multicast', 'broadcast']);

/** The neighbourhood of an address: its /16 (IPv4) or /32 (IPv6). One operator often holds all of it. */
export function addressGroup(host: string): string {
  return hostFacts(host).group;
}

/** What one look at an address says. `group` and `network` as in `addressGroup` and `hostNetwork`, in no spelling of theirs. */
export interface HostFacts {
  readonly isLocal: boolean;
  readonly isUnusable: boolean;
  readonly network: string;
  readonly group: string;
}

/** All facts by one parse, for lists of thousands of addresses. `host` in canonical form. */
export function hostFacts(host: string): HostFacts {
  const address = ipaddr.process(host);
  const range = address.range();
  const bytes = Buffer.from(address.toByteArray());
  const isIpv4 = bytes.length === 4;
  return {
    isLocal: range !== 'unicast',
    isUnusable: UNUSABLE.has(range),
    network: bytes.toString('hex', 0, isIpv4 ? 4 : 8),
    group: bytes.toString('hex', 0, isIpv4 ? 2 : 4) + (isIpv4 ? '/16' : '/32'),
  };
}

/** An endpoint given by the operator: a host name or an address, and a port. */
export interface NamedEndpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads `host`, `host:port`, `[ip6]` or `[ip6]:port`; a bare host takes `defaultPort`.
 * Returns `undefined` when the text is none of them.
 */
export function parseEndpoint(text: string, defaultPort: number): NamedEndpoint | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text.trim());
  const bareIpv6 = match === null && ipaddr.IPv6.isValid(text.trim()) ? text.trim() : undefined;
  const host = bareIpv6 ?? match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? defaultPort : Number(match[3]);
  if (host === undefined || port < 1 || port > 65535) return undefined;
  if (match?.[1] !== undefined && !ipaddr.IPv6.isValid(match[1])) return undefined;
  return { host: canonicalHost(host) ?? host, port };
}

/** Who is behind an address: the address itself (IPv4), or its /64 (IPv6), which one customer holds as a whole. */
export function hostNetwork(host: string): string {
  return countedAddress(canonicalHost(host) ?? host);
}

/**
 * What a connection's limits are counted under: whoever is behind its address. Loopback and private addresses are shared
 * by nodes that have nothing to do with each other (a devnet, a house), so each connection of theirs counts alone.
 */
export function accountKey(remote: PeerAddress): string {
  return isLocalHost(remote.host) ? addressKey(remote) : hostNetwork(remote.host);
}
