import { addressGroup, hostNetwork, isLocalHost, type PeerAddress } from '../addresses';
import type { Session } from '../session/session';

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

/**
 * How many callers are being called back. A caller may hang up at once and call again while its back ping waits for an
 * answer that never comes, so these have places of their own: as many as callers have, for an address and for all.
 */
export class BackPings {
  private readonly running = new Map<string, number>();
  private total = 0;

  constructor(private readonly inPeers: number) {}

  /** Does `ping` for an address; false when too many are under way. */
  async call({ host }: PeerAddress, ping: () => Promise<boolean>): Promise<boolean> {
    const network = hostNetwork(host);
    const ofHost = this.running.get(network) ?? 0;
    if (this.total >= this.inPeers + EXTRA_INCOMING) return false;
    if (ofHost >= INCOMING_PER_HOST && !isLocalHost(host)) return false;
    this.count(network, 1);
    try {
      return await ping();
    } finally {
      this.count(network, -1);
    }
  }

  private count(network: string, step: 1 | -1): void {
    const count = (this.running.get(network) ?? 0) + step;
    if (count > 0) this.running.set(network, count);
    else this.running.delete(network);
    this.total += step;
  }
}
