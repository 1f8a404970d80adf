import { addressGroup, addressKey, hostNetwork, isLocalHost, type PeerAddress } from '../addresses';
import type { Session } from '../session/session';

/** Slots for connections before their handshake, back pings among them. */
const EXTRA_INCOMING = 16;
const INCOMING_PER_HOST = 4;
/** A network group gets this part of all slots, but no less than one address may have. */
const GROUP_SHARE = 4;
/** Each merit protects this part of the incoming peers, at least one. */
const PROTECTED_SHARE = 8;
/** So many of the longest connected are always safe: few slots are worth no exchange of peers. */
const MIN_PROTECTED = 4;

/**
 * The slot of a new connection: a free one, that of a session to be closed, or none. An address (IPv6: a /64) has at most
 * four slots, a network group (/16, IPv6: /32) a quarter of them; loopback and private networks are not counted, since many
 * nodes may share one. When all are taken, the oldest connection without a handshake is closed.
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
  // Sessions are in the order in which they began.
  return incoming.find((session) => !session.handshaken) ?? 'none';
}

/**
 * The incoming peer that is disconnected for a newcomer. Protected, in this order, are the peers with the lowest latency,
 * those that last brought us a new transaction and those that last brought a new block, then half of the others, the
 * longest connected. Of the rest, the youngest of the network group with most members is evicted. An attacker has to
 * perform better than honest peers, in many networks, to hold all slots.
 *
 * @returns undefined when all are protected
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

  const groups = new Map<string, Session[]>();
  for (const session of candidates) {
    const { remote } = session.connection;
    const group = isLocalHost(remote.host) ? addressKey(remote) : addressGroup(remote.host);
    groups.set(group, [...(groups.get(group) ?? []), session]);
  }
  const youngest = (sessions: readonly Session[]): number => Math.max(...sessions.map(({ startedAt }) => startedAt));
  const [largest] = [...groups.values()].sort((a, b) => b.length - a.length || youngest(b) - youngest(a));
  return largest?.sort((a, b) => b.startedAt - a.startedAt || b.id - a.id)[0];
}

/**
 * Limits the back pings under way, by address and in total. They outlive the connection that caused them, so they have
 * limits of their own, as many as there are incoming slots.
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
