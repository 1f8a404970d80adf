import { Command } from '@wrkz/levin';
import { BoundedMap } from '@wrkz/service-kit/base';
import { accountKey, hostNetwork, type PeerAddress } from '../addresses';

/** A token bucket: `perSecond` tokens flow in, at most `burst` lie in it. Times in milliseconds. */
export class RateLimit {
  private tokens: number;
  private at: number;

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
    now: number,
  ) {
    this.tokens = burst;
    this.at = now;
  }

  /** Takes `count` tokens; false when they are not there. */
  take(now: number, count = 1): boolean {
    this.tokens = Math.min(this.burst, this.tokens + (Math.max(0, now - this.at) / 1000) * this.perSecond);
    this.at = now;
    if (this.tokens < count) return false;
    this.tokens -= count;
    return true;
  }
}

/** The part of the event loop's time that the peers of one address may use in the long run. */
const SHARE = 0.1;
/** Milliseconds that they may use at once. */
const BURST = 1_000;
/** Made to wait for so long in an hour, an address has asked for more than any honest peer does. Milliseconds. */
const PATIENCE = 60_000;
const FADE = PATIENCE / 3_600_000;

/** Work that we asked for ourselves is on nobody's account. */
export const ownWork: Pick<WorkBudget, 'measure'> = { measure: (work) => work() };

/**
 * The event loop's time that the peers of one address use, all in milliseconds. Who has used more than its share waits
 * until the rest of it has flowed in; who is made to wait too often is to be closed.
 */
export class WorkBudget {
  private left = BURST;
  private waited = 0;
  /** Work that is part of other work is measured with that. */
  private measuring = false;
  private at: number;

  constructor(
    /** Milliseconds; when the shares flow. */
    private readonly now: () => number,
    /** Milliseconds from any point on; what work is measured by. */
    private readonly stopwatch: () => number,
    /** So long an address may be made to wait in an hour before that is held against it, milliseconds. */
    private readonly patience = PATIENCE,
  ) {
    this.at = now();
  }

  /** Does a piece of work, up to where it first waits for something, on the account of the address. */
  measure<T>(work: () => T): T {
    if (this.measuring) return work();
    this.measuring = true;
    const start = this.stopwatch();
    try {
      return work();
    } finally {
      this.measuring = false;
      this.flow();
      this.left -= this.stopwatch() - start;
    }
  }

  /** How long to wait before anything more is done; 0 when nothing is owed. */
  owed(): number {
    this.flow();
    return this.left >= 0 ? 0 : Math.ceil(-this.left / SHARE);
  }

  /** Notes a wait. True when it was one too many. */
  note(milliseconds: number): boolean {
    this.flow();
    this.waited += milliseconds;
    if (this.waited <= this.patience) return false;
    this.waited = 0;
    return true;
  }

  private flow(): void {
    const now = this.now();
    const passed = Math.max(0, now - this.at);
    this.at = now;
    this.left = Math.min(BURST, this.left + passed * SHARE);
    this.waited = Math.max(0, this.waited - passed * FADE);
  }
}

const BAN_AT = 100;
/** Points fade at this rate, so that rare faults of a long-lived peer never add up to a ban. */
const FADE_PER_SECOND = 100 / 3600;
const MAX_TRACKED = 10_000;

interface Score {
  points: number;
  at: number;
}

/** Points against addresses in canonical form, IPv6 ones by their /64. They fade by 100 an hour; who has 100 at one time has earned a ban. */
export class Scores {
  private readonly scores = new BoundedMap<string, Score>(MAX_TRACKED);

  /** `now` is in seconds, on a clock that never steps. */
  constructor(private readonly now: () => number) {}

  /** Adds points; true when the address has earned a ban by that, and starts again without points. */
  add(host: string, points: number): boolean {
    const total = this.pointsOf(host) + points;
    const network = hostNetwork(host);
    this.scores.delete(network);
    if (total >= BAN_AT) return true;
    this.scores.set(network, { points: total, at: this.now() });
    return false;
  }

  pointsOf(host: string): number {
    const score = this.scores.get(hostNetwork(host));
    if (score === undefined) return 0;
    return Math.max(0, score.points - (this.now() - score.at) * FADE_PER_SECOND);
  }
}

/** Frames per second in the long run, and in one burst. A node that relays everything stays far below. */
const FRAMES_PER_SECOND = 200;
const FRAME_BURST = 4000;
/** A peer's requests for our pool: an honest one asks after each synchronisation. */
const POOL_REQUESTS_PER_SECOND = 1 / 10;
const POOL_REQUEST_BURST = 10;
/** Transactions that the pool refused for what its chain holds: an honest peer of another branch brings some. */
const REFUSED_PER_SECOND = 5;
const REFUSED_BURST = 1000;
/** Addresses remembered besides those that are connected. */
const KEPT = 10_000;

/** What the peers of one address have used up, over all their connections, present and past. */
export class Account {
  readonly frames: RateLimit;
  readonly poolRequests: RateLimit;
  readonly refused: RateLimit;
  /** For whatever they have us do, but to serve our chain. */
  readonly work: WorkBudget;
  /**
   * For serving our chain. Apart, and patient: an honest peer that fetches all of it as fast as it can is only made to wait,
   * and whoever else is behind its address does not pay for that.
   */
  readonly serving: WorkBudget;
  /** Connections that are open. */
  open = 0;

  constructor(clock: () => number, stopwatch: () => number) {
    const now = clock();
    this.frames = new RateLimit(FRAMES_PER_SECOND, FRAME_BURST, now);
    this.poolRequests = new RateLimit(POOL_REQUESTS_PER_SECOND, POOL_REQUEST_BURST, now);
    this.refused = new RateLimit(REFUSED_PER_SECOND, REFUSED_BURST, now);
    this.work = new WorkBudget(clock, stopwatch);
    this.serving = new WorkBudget(clock, stopwatch, Infinity);
  }

  /** What a command is charged to. */
  budgetOf(command: number): WorkBudget {
    return command === Command.requestChain || command === Command.requestObjects ? this.serving : this.work;
  }
}

/** The accounts of addresses: a peer that calls again finds its limits as it left them. Bounded in number. */
export class Accounts {
  private readonly accounts = new Map<string, Account>();

  constructor(
    private readonly now: () => number,
    private readonly stopwatch: () => number,
  ) {}

  get size(): number {
    return this.accounts.size;
  }

  /** The account of a new connection; `leave` when it has ended. */
  enter(remote: PeerAddress): Account {
    const key = accountKey(remote);
    const account = this.accounts.get(key) ?? new Account(this.now, this.stopwatch);
    account.open += 1;
    // Behind all others: the first of the map is whoever has not been here for longest.
    this.accounts.delete(key);
    this.accounts.set(key, account);
    this.forget();
    return account;
  }

  leave(account: Account): void {
    account.open -= 1;
  }

  private forget(): void {
    if (this.accounts.size <= KEPT) return;
    for (const [key, { open }] of this.accounts) {
      if (open > 0) continue;
      this.accounts.delete(key);
      return;
    }
  }
}
