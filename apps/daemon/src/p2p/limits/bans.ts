import { errorText, readOperatorFile } from '@wrkz/service-kit';
import { type IpRange, IpRangeMap, isLocalHost, parseIpRange, type PeerAddress } from '../addresses';
import type { PeerConnection } from '../connection/peer-connection';
import type { P2pLogger } from '../ports';
import type { AddressBudgets } from './address-budget';
import type { CloseReason } from './close-reasons';

/** Default duration of a ban. */
const BAN_SECONDS = 900;

/** A banned address and the end of the ban. */
export interface Ban {
  readonly host: string;
  readonly until: number;
}

interface Term {
  /** An address, or a range in CIDR notation. */
  readonly host: string;
  /** System clock, seconds since 1970. */
  readonly until: number;
  /** Monotonic clock, seconds: setting the system clock back must not extend a ban. */
  readonly end: number;
}

/** Banned addresses and ranges. Addresses are compared in canonical form, IPv6 ones by their /64. */
export class Bans {
  private readonly terms = new IpRangeMap<Term>();
  private lists = new IpRangeMap<true>();

  /** @param now seconds since 1970 @param steady monotonic seconds */
  constructor(
    private readonly now: () => number,
    private readonly steady: () => number = now,
  ) {}

  /**
   * Bans an address or a range (`1.2.0.0/16`). A longer ban in force is retained. Returns false if the text is invalid.
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

  /** Replaces the ranges of the ban lists, which are banned permanently. */
  setLists(ranges: readonly IpRange[]): void {
    this.lists = new IpRangeMap();
    for (const range of ranges) this.lists.set(range, true);
  }

  /** The remaining seconds of a ban: the smaller value of the two clocks. At most 0 if no ban is in force. */
  private left(term: Term | undefined): number {
    return term === undefined ? 0 : Math.min(term.until - this.now(), term.end - this.steady());
  }
}

/**
 * Reads ban lists: one address or CIDR range per line; empty lines and comments after `#` are ignored.
 * @throws Error with file and line if a file cannot be read or a line is invalid
 */
export function readBanLists(files: readonly string[]): IpRange[] {
  const ranges: IpRange[] = [];
  for (const file of files) {
    let text: string;
    try {
      text = readOperatorFile(file).toString('utf8');
    } catch (error) {
      throw new Error(`--ban-list: ${file} cannot be read: ${errorText(error)}`, { cause: error });
    }
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      const entry = line.replace(/#.*/, '').trim();
      if (entry === '') continue;
      const range = parseIpRange(entry);
      if (range === undefined) {
        throw new Error(
          `--ban-list: ${file}, line ${index + 1}: ${JSON.stringify(entry)} is not an IP address or range`,
        );
      }
      ranges.push(range);
    }
  }
  return ranges;
}

export interface PenaltyDependencies {
  readonly bans: Bans;
  readonly budgets: AddressBudgets;
  readonly logger: P2pLogger;
  /** Whether the operator configured this peer. */
  isNamed(address: PeerAddress): boolean;
  /** Do not dial an outgoing peer for a while. */
  avoid(address: PeerAddress): void;
  /** An address has been banned: close its connections and store the ban. */
  onBanned(): void;
}

/**
 * Applies the penalty of a closed connection (defined in `close-reasons`). Never bans a local address,
 * which many nodes may share, or a peer that the operator configured. A ban lasts 900 s unless the operator sets another time.
 */
export class Penalties {
  constructor(private readonly dependencies: PenaltyDependencies) {}

  /** Applies the penalty of the reason that closed a peer's connection. */
  punish({ remote, incoming }: Pick<PeerConnection, 'remote' | 'incoming'>, { text, penalty }: CloseReason): void {
    if (penalty === 'none') return;
    const { dependencies } = this;
    const { bans, budgets, logger } = dependencies;
    if (!incoming) dependencies.avoid(remote);
    if (penalty === 'avoid' || isLocalHost(remote.host) || dependencies.isNamed(remote)) return;
    if (penalty !== 'ban' && !budgets.of(remote).addPoints(penalty)) return;
    bans.add(remote.host);
    logger.info(`${remote.host} is banned: ${text}`);
    dependencies.onBanned();
  }

  /** A ban by the operator: also for local addresses and configured peers. False if the text is not an address or range. */
  ban(host: string, seconds?: number): boolean {
    if (!this.dependencies.bans.add(host, seconds)) return false;
    this.dependencies.onBanned();
    return true;
  }
}
