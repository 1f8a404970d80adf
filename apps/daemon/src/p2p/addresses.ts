import * as ipaddr from 'ipaddr.js';
import { canonicalHost, countedAddress, endpointText } from '@wrkz/service-kit/base';

/** An endpoint: `host` is an IP address in canonical form (mapped IPv4 is plain IPv4), `port` 1 to 65535. */
export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

export { canonicalHost };

/** Text of an endpoint in lists, logs and `/peers`. */
export const addressKey: (address: PeerAddress) => string = endpointText;

/** Tunnels. A peer can still reach us through them from the internet, so limits and bans apply. */
const TUNNELS: readonly string[] = ['6to4', 'teredo'];

const isLocalRange = (range: string): boolean => range !== 'unicast' && !TUNNELS.includes(range);

/** Whether an address is not reachable from the internet: loopback, private, link-local, multicast, reserved. */
export function isLocalHost(host: string): boolean {
  return isLocalRange(ipaddr.process(host).range());
}

/** Addresses that no peer list may contain, whatever the options. The public relays to tunnels are switched off. */
const UNUSABLE: ReadonlySet<string> = new Set(['unspecified', 'multicast', 'broadcast', ...TUNNELS]);

/** The network group of an address: its /16 (IPv4) or /32 (IPv6). One operator often controls a whole group. */
export function addressGroup(host: string): string {
  return hostFacts(host).group;
}

/** Properties of an address. `group` is `addressGroup`; `network` is `hostNetwork` as hex. */
export interface HostFacts {
  readonly isLocal: boolean;
  readonly isUnusable: boolean;
  readonly network: string;
  readonly group: string;
}

/** All properties from one parse, for lists of thousands of addresses. `host` in canonical form. */
export function hostFacts(host: string): HostFacts {
  const address = ipaddr.process(host);
  const range = address.range();
  const bytes = Buffer.from(address.toByteArray());
  const isIpv4 = bytes.length === 4;
  return {
    isLocal: isLocalRange(range),
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
 * Parses `host`, `host:port`, `[ip6]` or `[ip6]:port`; without a port `defaultPort` is used.
 * @returns undefined for any other text
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

/** The network that one customer controls: the address itself (IPv4), or its /64 (IPv6). */
export function hostNetwork(host: string): string {
  return countedAddress(canonicalHost(host) ?? host);
}

/**
 * The key under which a connection's limits are counted: its `hostNetwork`. Independent nodes share loopback and private
 * addresses (a devnet, a home network), so each of their connections has a separate key.
 */
export function accountKey(remote: PeerAddress): string {
  return isLocalHost(remote.host) ? addressKey(remote) : hostNetwork(remote.host);
}

/** A range of addresses in CIDR notation; `text` is its canonical form. */
export interface IpRange {
  readonly text: string;
  /** Family, length of the prefix in bits, and the bytes of the prefix. */
  readonly family: 4 | 6;
  readonly bits: number;
  readonly prefix: string;
}

/** Parses an address or a range; a single IPv6 address means its /64. Undefined for any other text. */
export function parseIpRange(text: string): IpRange | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const host = canonicalHost(address);
  if (host === undefined || rest.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined;
  const bytes = ipaddr.parse(host).toByteArray();
  const [family, all] = bytes.length === 4 ? ([4, 32] as const) : ([6, 128] as const);
  // `::ffff:1.2.0.0/112` is 1.2.0.0/16
  const isMapped = family === 4 && address.includes(':');
  const bits = length === undefined ? (family === 4 ? 32 : 64) : Number(length) - (isMapped ? 96 : 0);
  if (bits < 0 || bits > all) return undefined;
  const prefix = prefixOf(bytes, bits);
  const start = ipaddr.fromByteArray([...Buffer.from(prefix, 'hex')]).toString();
  return { text: length === undefined ? host : `${start}/${bits}`, family, bits, prefix };
}

function prefixOf(bytes: readonly number[], bits: number): string {
  const masked = bytes.map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * index))));
  return Buffer.from(masked).toString('hex');
}

/** Values by range. A lookup takes O(number of different prefix lengths). */
export class IpRangeMap<T> {
  private readonly byLength = new Map<string, Map<string, readonly [IpRange, T]>>();

  get isEmpty(): boolean {
    return this.byLength.size === 0;
  }

  get({ family, bits, prefix }: IpRange): T | undefined {
    return this.byLength.get(`${family}/${bits}`)?.get(prefix)?.[1];
  }

  set(range: IpRange, value: T): void {
    const length = `${range.family}/${range.bits}`;
    const ranges = this.byLength.get(length) ?? new Map<string, readonly [IpRange, T]>();
    this.byLength.set(length, ranges.set(range.prefix, [range, value]));
  }

  delete({ family, bits, prefix }: IpRange): boolean {
    const length = `${family}/${bits}`;
    const ranges = this.byLength.get(length);
    const deleted = ranges?.delete(prefix) === true;
    if (ranges?.size === 0) this.byLength.delete(length);
    return deleted;
  }

  /** The values of all ranges that contain an address. */
  find(host: string): T[] {
    const canonical = canonicalHost(host);
    if (canonical === undefined) return [];
    const bytes = ipaddr.parse(canonical).toByteArray();
    const family = bytes.length === 4 ? '4/' : '6/';
    const found: T[] = [];
    for (const [length, ranges] of this.byLength) {
      if (!length.startsWith(family)) continue;
      const value = ranges.get(prefixOf(bytes, Number(length.slice(2))));
      if (value !== undefined) found.push(value[1]);
    }
    return found;
  }

  entries(): (readonly [IpRange, T])[] {
    return [...this.byLength.values()].flatMap((ranges) => [...ranges.values()]);
  }
}
