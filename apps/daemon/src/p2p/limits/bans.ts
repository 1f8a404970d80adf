import { readFile } from 'node:fs/promises';
import { errorText } from '@wrkz/service-kit';
import { type IpRange, IpRangeMap, isLocalHost, parseIpRange, type PeerAddress } from '../addresses';
import type { P2pLogger } from '../ports';
import type { AddressBudgets } from './address-budget';
import type { CloseReason } from './close-reasons';

/** Default duration of a ban. */
const BAN_SECONDS = 900;

/** A banned address and the second at which it is free again. */
export interface Ban {
  readonly host: string;
  readonly until: number;
}

interface Term {
  /** As listed: an address, or a range in CIDR notation. */
  readonly host: string;
  /** On the machine's clock, seconds since 1970. */
  readonly until: number;
  /** On the clock that never steps: a machine's clock that is put back makes no ban longer. */
  readonly end: number;
}

/** Banned addresses and ranges. Addresses are compared in canonical form, IPv6 ones by their /64. */
export class Bans {
  private readonly terms = new IpRangeMap<Term>();
  private lists = new IpRangeMap<true>();

  /** `now` is in seconds since 1970; `steady` counts seconds and never steps. */
  constructor(
    private readonly now: () => number,
    private readonly steady: () => number = now,
  ) {}

  /**
   * Bans an address or a range (`1.2.0.0/16`); a longer ban in force stays. Returns false when the text is neither.
   */
  add(host: string, seconds: number = BAN_SECONDS): boolean {
    const range = parseIpRange(host);
    if (range === undefined) return false;
    const left = Math.max(seconds, this.left(this.terms.get(range)));
    this.terms.set(range, { host: range.text, until: this.now() + left, end: this.steady() + left });
    return true;
  }

  remove(host: string): boolean {
    const range = parseIpRange(host);
    return range !== undefined && this.terms.delete(range);
  }

  /** Whether an address is banned, or in a ban list. */
  isBanned(host: string): boolean {
    if (this.terms.isEmpty && this.lists.isEmpty) return false;
    return this.lists.find(host).length > 0 || this.terms.find(host).some((term) => this.left(term) > 0);
  }

  /** The bans in force, without those of ban lists. */
  list(): Ban[] {
    const now = this.now();
    for (const [range, term] of this.terms.entries()) if (this.left(term) <= 0) this.terms.delete(range);
    return [...this.terms.entries()].map(([, term]) => ({ host: term.host, until: now + this.left(term) }));
  }

  restore(bans: readonly Ban[]): void {
    for (const { host, until } of bans) if (until > this.now()) this.add(host, until - this.now());
  }

  /** Replaces the ranges of the ban lists, which are banned without a term. */
  setLists(ranges: readonly IpRange[]): void {
    this.lists = new IpRangeMap();
    for (const range of ranges) this.lists.set(range, true);
  }

  /** The remaining seconds of a ban: the smaller value of the two clocks. 0 or less when no ban is in force. */
  private left(term: Term | undefined): number {
    return term === undefined ? 0 : Math.min(term.until - this.now(), term.end - this.steady());
  }
}

/**
 * Reads ban lists: an address or a range in CIDR notation a line, empty lines and comments after `#` apart.
 * @throws Error naming file and line when one cannot be read
 */
export async function readBanLists(files: readonly string[]): Promise<IpRange[]> {
  const ranges: IpRange[] = [];
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      throw new Error(`--ban-list: ${file} cannot be read: ${errorText(error)}`);
    });
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      const entry = line.replace(/#.*/, '').trim();
      if (entry === '') continue;
      const range = parseIpRange(entry);
      if (range === undefined) {
        throw new Error(`--ban-list: ${file}, line ${index + 1}: ${JSON.stringify(entry)} is no IP address or range`);
      }
      ranges.push(range);
    }
  }
  return ranges;
}

/** The peer at the other end of a connection that has ended. */
export interface PunishedPeer {
  readonly remote: PeerAddress;
  readonly incoming: boolean;
}

export interface PenaltyEvents {
  /** Whether the operator configured this peer. */
  isNamed(address: PeerAddress): boolean;
  /** Do not dial an outgoing peer for a while. */
  avoid(address: PeerAddress): void;
  /** An address has been banned: close its connections and store the ban. */
  onBanned(): void;
}

export interface PenaltyDependencies {
  readonly bans: Bans;
  readonly budgets: AddressBudgets;
  readonly events: PenaltyEvents;
  readonly logger: P2pLogger;
}

/**
 * Applies the penalty of a closed connection (`close-reasons` and `block-verdicts` define them). Never bans a local address,
 * which many nodes may share, or a peer that the operator configured. A ban lasts 900 s unless the operator sets another time.
 */
export class Penalties {
  constructor(private readonly dependencies: PenaltyDependencies) {}

  /** Applies the penalty of the reason that closed a peer's connection. */
  punish({ remote, incoming }: PunishedPeer, { text, penalty }: CloseReason): void {
    if (penalty === 'none') return;
    const { bans, budgets, events, logger } = this.dependencies;
    if (!incoming) events.avoid(remote);
    if (penalty === 'avoid' || isLocalHost(remote.host) || events.isNamed(remote)) return;
    if (penalty !== 'ban' && !budgets.of(remote).addPoints(penalty)) return;
    bans.add(remote.host);
    logger.info(`${remote.host} is banned: ${text}`);
    events.onBanned();
  }

  /** The operator bans an address or a range, also a local one or a named peer. False when the text is neither. */
  ban(host: string, seconds?: number): boolean {
    const { bans, events } = this.dependencies;
    if (!bans.add(host, seconds)) return false;
    events.onBanned();
    return true;
  }
}
