import type { P2pLogger } from '../ports';
import { isLocalHost, type PeerAddress } from '../util/address';
import type { Bans } from './bans';
import type { CloseReason } from './close-reasons';
import { Scores } from './scores';

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
  private readonly scores: Scores;

  /** `now` is in seconds, on a clock that never steps. */
  constructor(
    private readonly bans: Bans,
    private readonly links: PenaltyLinks,
    private readonly logger: P2pLogger,
    now: () => number,
  ) {
    this.scores = new Scores(now);
  }

  /** Gives a peer what the end of its connection costs. */
  punish({ remote, incoming }: PunishedPeer, { text, penalty }: CloseReason): void {
    if (penalty === 'none') return;
    if (!incoming) this.links.avoid(remote);
    if (penalty === 'avoid' || isLocalHost(remote.host) || this.links.isNamed(remote)) return;
    if (penalty !== 'ban' && !this.scores.add(remote.host, penalty)) return;
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
