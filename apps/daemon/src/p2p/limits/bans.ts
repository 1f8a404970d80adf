import { canonicalHost, hostNetwork, isLocalHost, type PeerAddress } from '../addresses';
import type { P2pLogger } from '../ports';
import type { AddressBudgets } from './address-budget';
import type { CloseReason } from './close-reasons';

/** How long a ban lasts when nobody says otherwise. */
const BAN_SECONDS = 900;

/** A banned address and the second at which it is free again. */
export interface Ban {
  readonly host: string;
  readonly until: number;
}

interface Term {
  readonly host: string;
  /** On the machine's clock, seconds since 1970. */
  readonly until: number;
  /** On the clock that never steps: a machine's clock that is put back makes no ban longer. */
  readonly end: number;
}

/** Banned addresses, always compared in canonical form, IPv6 ones by their /64. */
export class Bans {
  /** By whoever is behind the address. */
  private readonly terms = new Map<string, Term>();

  /** `now` is in seconds since 1970; `steady` counts seconds and never steps. */
  constructor(
    private readonly now: () => number,
    private readonly steady: () => number = now,
  ) {}

  /** Bans an address; a longer ban in force stays. Returns false when the text is no IP address. */
  add(host: string, seconds: number = BAN_SECONDS): boolean {
    const canonical = canonicalHost(host);
    if (canonical === undefined) return false;
    const network = hostNetwork(canonical);
    const left = Math.max(seconds, this.left(network));
    this.terms.set(network, { host: canonical, until: this.now() + left, end: this.steady() + left });
    return true;
  }

  remove(host: string): boolean {
    const canonical = canonicalHost(host);
    return canonical !== undefined && this.terms.delete(hostNetwork(canonical));
  }

  isBanned(host: string): boolean {
    if (this.terms.size === 0) return false;
    const canonical = canonicalHost(host);
    if (canonical === undefined) return false;
    const network = hostNetwork(canonical);
    if (this.left(network) > 0) return true;
    this.terms.delete(network);
    return false;
  }

  /** The bans in force. */
  list(): Ban[] {
    const now = this.now();
    const lefts = [...this.terms].map(([network, { host }]) => ({ host, left: this.left(network) }));
    return lefts.filter(({ left }) => left > 0).map(({ host, left }) => ({ host, until: now + left }));
  }

  restore(bans: readonly Ban[]): void {
    for (const { host, until } of bans) if (until > this.now()) this.add(host, until - this.now());
  }

  /** The seconds that a ban has left, by whichever clock it is over sooner; 0 or below when there is none. */
  private left(network: string): number {
    const term = this.terms.get(network);
    return term === undefined ? 0 : Math.min(term.until - this.now(), term.end - this.steady());
  }
}

/** The peer at the other end of a connection that has ended. */
export interface PunishedPeer {
  readonly remote: PeerAddress;
  readonly incoming: boolean;
}

export interface PenaltyLinks {
  /** Whether the operator named this peer. */
  isNamed(address: PeerAddress): boolean;
  /** Leave a peer that we called alone for a while. */
  avoid(address: PeerAddress): void;
  /** An address has been banned: its connections are to be closed and the ban kept. */
  onBanned(): void;
}

/**
 * Whom to ban, for what, for how long. For what: `close-reasons` gives each way in which a connection ends its penalty,
 * and `block-verdicts` each answer of the chain its way. Whom: never a local address, which many nodes may share, and
 * never a peer that the operator named. For how long: 900 s, unless the operator says otherwise.
 */
export class Penalties {
  constructor(
    private readonly bans: Bans,
    private readonly budgets: AddressBudgets,
    private readonly links: PenaltyLinks,
    private readonly logger: P2pLogger,
  ) {}

  /** Gives a peer what the end of its connection costs. */
  punish({ remote, incoming }: PunishedPeer, { text, penalty }: CloseReason): void {
    if (penalty === 'none') return;
    if (!incoming) this.links.avoid(remote);
    if (penalty === 'avoid' || isLocalHost(remote.host) || this.links.isNamed(remote)) return;
    if (penalty !== 'ban' && !this.budgets.of(remote).addPoints(penalty)) return;
    this.bans.add(remote.host);
    this.logger.info(`${remote.host} is banned: ${text}`);
    this.links.onBanned();
  }

  /** The operator bans an address, whoever it is. False when the text is no IP address. */
  ban(host: string, seconds?: number): boolean {
    if (!this.bans.add(host, seconds)) return false;
    this.links.onBanned();
    return true;
  }
}
