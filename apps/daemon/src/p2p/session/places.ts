import { addressGroup, isLocalHost, type PeerAddress } from '../util/address';
import { hostNetwork } from '../util/host-network';
import type { Session } from './session';

/** Places for callers who have not said who they are, back pings among them. */
export const EXTRA_INCOMING = 16;
export const INCOMING_PER_HOST = 4;
/** One neighbourhood gets this part of all places, but no less than one address may have. */
const NEIGHBOURHOOD_SHARE = 4;

/**
 * Where a caller goes: to a place that is free, to that of a session which gives way, or nowhere. An address (IPv6: a /64)
 * has at most four places, a neighbourhood (/16, IPv6: /32) a quarter of them; loopback and private networks are not
 * counted, since many nodes may share one. A full house never shuts out a new caller for one that keeps silent.
 */
export function placeFor({ host }: PeerAddress, open: readonly Session[], inPeers: number): Session | 'free' | 'none' {
  const incoming = open.filter((session) => session.incoming);
  const places = inPeers + EXTRA_INCOMING;
  if (!isLocalHost(host)) {
    const others = incoming.map((session) => session.connection.remote.host).filter((other) => !isLocalHost(other));
    const sameHost = others.filter((other) => hostNetwork(other) === hostNetwork(host));
    const sameGroup = others.filter((other) => addressGroup(other) === addressGroup(host));
    const perGroup = Math.max(INCOMING_PER_HOST, Math.floor(places / NEIGHBOURHOOD_SHARE));
    if (sameHost.length >= INCOMING_PER_HOST || sameGroup.length >= perGroup) return 'none';
  }
  if (incoming.length < places) return 'free';
  // Sessions are in the order in which they began.
  return incoming.find((session) => !session.handshaken) ?? 'none';
}
