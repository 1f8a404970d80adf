import { groupBy } from '@wrkz/service-kit/base';
import { addressGroup, addressKey, hostNetwork, isLocalHost, type PeerAddress } from '../addresses';
import { RequestSlots } from '../../util/request-slots';
import type { Session } from '../session/session';

/** Additional slots for connections before their handshake, such as back pings. */
const EXTRA_INCOMING = 16;
const INCOMING_PER_HOST = 4;
/** A network group may use 1/4 of all slots, but at least as many as one address. */
const GROUP_SHARE = 4;
/** Each criterion protects 1/8 of the incoming peers, at least one. */
const PROTECTED_SHARE = 8;
/** Min number of protected longest-connected peers: with few slots, replacing peers is not worthwhile. */
const MIN_PROTECTED = 4;

/**
 * The slot for a new connection: a free one, that of a session to be closed, or none. An address (IPv6: a /64) may use at most
 * four slots, a network group (/16, IPv6: /32) a quarter of all. Loopback and private networks are exempt, because many nodes may
 * share one. If all slots are in use, the oldest connection without a handshake is closed.
 */
export function slotFor({ host }: PeerAddress, open: readonly Session[], inPeers: number): Session | 'free' | 'none' {
  const incoming = open.filter((session) => session.incoming);
  const slots = inPeers + EXTRA_INCOMING;
  if (!isLocalHost(host)) {
    const others = incoming.map((session) => session.connection.remote.host).filter((other) => !isLocalHost(other));
    const sameHost = others.filter((other) => hostNetwork(other) === hostNetwork(host));
    const sameGroup = others.filter((other) => addressGroup(other) === addressGroup(host));
    const perGroup = Math.max(INCOMING_PER_HOST, Math.floor(slots / GROUP_SHARE));
    if (sameHost.length >= INCOMING_PER_HOST || sameGroup.length >= perGroup) return 'none';
  }
  if (incoming.length < slots) return 'free';
  // Sessions are in order of creation.
  return incoming.find((session) => !session.handshaken) ?? 'none';
}

/**
 * The incoming peer to evict for a new connection. In this order, these are protected: the peers with the lowest latency, those
 * that most recently sent a new transaction, those that most recently sent a new block, then the longest-connected half of the
 * others. Of the rest, the newest peer of the largest network group is evicted. To occupy all slots, an attacker must outperform
 * honest peers in many networks.
 *
 * @returns undefined if all are protected
 */
export function peerToEvict(open: readonly Session[]): Session | undefined {
  let candidates = open.filter((session) => session.incoming && session.handshaken);
  const quota = Math.max(1, Math.floor(candidates.length / PROTECTED_SHARE));
  const protect = (count: number, merit: (session: Session) => number): void => {
    const best = candidates.filter((session) => merit(session) > -Infinity).sort((a, b) => merit(b) - merit(a));
    const safe = new Set(best.slice(0, count));
    candidates = candidates.filter((session) => !safe.has(session));
  };
  protect(quota, ({ latency }) => -latency);
  protect(quota, ({ lastTransactionAt }) => lastTransactionAt);
  protect(quota, ({ lastBlockAt }) => lastBlockAt);
  protect(Math.max(MIN_PROTECTED, Math.ceil(candidates.length / 2)), ({ startedAt }) => -startedAt);

  const groups = groupBy(candidates, ({ connection: { remote } }) =>
    isLocalHost(remote.host) ? addressKey(remote) : addressGroup(remote.host),
  );
  const youngest = (sessions: readonly Session[]): number => Math.max(...sessions.map(({ startedAt }) => startedAt));
  const [largest] = [...groups.values()].sort((a, b) => b.length - a.length || youngest(b) - youngest(a));
  return largest?.sort((a, b) => b.startedAt - a.startedAt || b.id - a.id)[0];
}

/**
 * Limits concurrent back pings, per address and in total. They outlive the connection that caused them, so they have separate
 * limits, equal to those of the incoming slots.
 */
export class BackPings {
  private readonly slots: RequestSlots;

  constructor(inPeers: number) {
    const total = inPeers + EXTRA_INCOMING;
    this.slots = new RequestSlots({ total, perAddress: INCOMING_PER_HOST, isExempt: isLocalHost });
  }

  /** Runs `ping` for an address; false if too many are running. */
  async call({ host }: PeerAddress, ping: () => Promise<boolean>): Promise<boolean> {
    const release = this.slots.take(host);
    if (typeof release === 'string') return false;
    try {
      return await ping();
    } finally {
      release();
    }
  }
}
