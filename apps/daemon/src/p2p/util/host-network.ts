import * as ipaddr from 'ipaddr.js';
import { addressKey, isLocalHost, type PeerAddress } from './address';

const IPV6_NETWORK_BYTES = 8;

/** Who is behind an address: the address itself (IPv4), or its /64 (IPv6), which one customer holds as a whole. */
export function hostNetwork(host: string): string {
  const address = ipaddr.process(host);
  if (address.kind() === 'ipv4') return address.toString();
  return `${Buffer.from(address.toByteArray().slice(0, IPV6_NETWORK_BYTES)).toString('hex')}/64`;
}

/**
 * What a connection's limits are counted under: whoever is behind its address. Loopback and private addresses are shared
 * by nodes that have nothing to do with each other (a devnet, a house), so each connection of theirs counts alone.
 */
export function accountKey(remote: PeerAddress): string {
  return isLocalHost(remote.host) ? addressKey(remote) : hostNetwork(remote.host);
}
