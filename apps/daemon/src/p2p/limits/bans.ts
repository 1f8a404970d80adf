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
    private readonly events: PenaltyEvents,
    private readonly logger: P2pLogger,
  ) {}

  /** Gives a peer what the end of its connection costs. */
  punish({ remote, incoming }: PunishedPeer, { text, penalty }: CloseReason): void {
    if (penalty === 'none') return;
    if (!incoming) this.events.avoid(remote);
    if (penalty === 'avoid' || isLocalHost(remote.host) || this.events.isNamed(remote)) return;
    if (penalty !== 'ban' && !this.budgets.of(remote).addPoints(penalty)) return;
    this.bans.add(remote.host);
    this.logger.info(`${remote.host} is banned: ${text}`);
    this.events.onBanned();
  }

  /** The operator bans an address or a range, also a local one or a named peer. False when the text is neither. */
  ban(host: string, seconds?: number): boolean {
    if (!this.bans.add(host, seconds)) return false;
    this.events.onBanned();
    return true;
  }
}
