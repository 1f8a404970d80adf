import { countedAddress } from '@wrkz/service-kit/base';
import { addressKey, canonicalHost, isLocalHost, type PeerAddress } from './address';

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
