import { Command, type Frame, HEADER_SIZE } from '@wrkz/levin';
import { accountKey, type PeerAddress } from '../addresses';

/** A token bucket: refilled by `perSecond` tokens, with a capacity of `burst` tokens. Times in milliseconds. */
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

  /** Takes `count` tokens; false if there are fewer. */
  take(now: number, count = 1): boolean {
    this.tokens = Math.min(this.burst, this.tokens + (Math.max(0, now - this.at) / 1000) * this.perSecond);
    this.at = now;
    if (this.tokens < count) return false;
    this.tokens -= count;
    return true;
  }
}

/** Long-term share of the event loop's time that the peers of one address may use. */
const SHARE = 0.1;
/** Milliseconds that they may use in a burst. */
const BURST = 1_000;
/** Max milliseconds that an address may be delayed within one hour. No honest peer needs that much. */
const PATIENCE = 60_000;
const FADE = PATIENCE / 3_600_000;

/** Budget for work that we requested ourselves: never charged. */
export const ownWork: Pick<WorkBudget, 'measure'> = { measure: (work) => work() };

/**
 * Event-loop time of the peers of one address, in milliseconds. An address that has used more than its share is delayed until the
 * bucket is refilled; a peer that is delayed too often is disconnected.
 */
export class WorkBudget {
  private left = BURST;
  private waited = 0;
  /** Whether `measure` is running: nested work is not measured twice. */
  private measuring = false;
  private at: number;

  constructor(
    /** Milliseconds; the clock that refills the budget. */
    private readonly now: () => number,
    /** Milliseconds with an arbitrary origin; measures the work. */
    private readonly stopwatch: () => number,
    /** Max milliseconds of delay within an hour before the peer is disconnected. */
    private readonly patience = PATIENCE,
  ) {
    this.at = now();
  }

  /** Runs work and charges its synchronous part, up to the first await, to the address. */
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

  /** Milliseconds to wait before further work; 0 while the budget is not exceeded. */
  owed(): number {
    this.flow();
    return this.left >= 0 ? 0 : Math.ceil(-this.left / SHARE);
  }

  /** Records a delay. @returns true if the delays exceed the limit */
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

/**
 * Token buckets of one address. A node that relays everything stays far below each of them.
 */
const LIMITS = {
  connections: { perSecond: 1 / 5, burst: 30 },
  frames: { perSecond: 200, burst: 4000 },
  /** Bytes of frames that we did not request. */
  bytes: { perSecond: 1024 * 1024, burst: 96 * 1024 * 1024 },
  /** Handshakes, timed syncs and pings; an honest peer sends one a minute. */
  nodeRequests: { perSecond: 1, burst: 60 },
  /** Requests for our pool; an honest peer sends one after each synchronisation. */
  poolRequests: { perSecond: 1 / 10, burst: 10 },
  /** Started kilobytes of transactions that are invalid on our chain; an honest peer on another branch sends some. */
  unfitTransactions: { perSecond: 5, burst: 1000 },
  /** Penalty points: a score of 100 leads to a ban; the score decreases by 100 per hour. */
  points: { perSecond: 100 / 3600, burst: 99.999 },
} as const;
type Resource = keyof typeof LIMITS;

const NODE_COMMANDS: ReadonlySet<number> = new Set([Command.handshake, Command.timedSync, Command.ping]);
/** Number of remembered addresses in addition to the connected ones. */
const MAX_ADDRESSES = 10_000;

/** Usage of the peers of one address, over all their connections, present and past. */
export class AddressBudget {
  /** Event-loop time for everything but serving our chain. */
  readonly work: WorkBudget;
  /**
   * Event-loop time for serving our chain. Separate and without a limit of delays: an honest peer that synchronises from us at
   * full speed is delayed but never disconnected.
   */
  readonly serving: WorkBudget;
  /** Open connections. */
  open = 0;
  /** Chain claims of this address are ignored until this time (monotonic milliseconds): it did not deliver claimed blocks. */
  unservedUntil = -Infinity;
  private readonly buckets = new Map<Resource, RateLimit>();

  constructor(
    private readonly clock: () => number,
    stopwatch: () => number,
  ) {
    this.work = new WorkBudget(clock, stopwatch);
    this.serving = new WorkBudget(clock, stopwatch, Infinity);
  }

  /** Takes `count` units of a resource; false if the address has used it up. */
  take(resource: Resource, count = 1): boolean {
    const now = this.clock();
    const { perSecond, burst } = LIMITS[resource];
    const bucket = this.buckets.get(resource) ?? new RateLimit(perSecond, burst, now);
    this.buckets.set(resource, bucket);
    return bucket.take(now, count);
  }

  /** Charges a frame before its body is decoded. `isRequested`: we requested its content from the peer. */
  takeFrame({ command, kind, body }: Frame, isRequested: boolean): boolean {
    if (!this.take('frames')) return false;
    if (isRequested) return true;
    const isNodeRequest = kind !== 'response' && NODE_COMMANDS.has(command);
    return this.take('bytes', HEADER_SIZE + body.length) && (!isNodeRequest || this.take('nodeRequests'));
  }

  /** Adds penalty points. @returns whether the address must be banned; its points are reset then */
  addPoints(points: number): boolean {
    if (this.take('points', points)) return false;
    this.buckets.delete('points');
    return true;
  }

  /** The event-loop time that a command is charged to. */
  budgetOf(command: number): WorkBudget {
    return command === Command.requestChain || command === Command.requestObjects ? this.serving : this.work;
  }
}

/**
 * The budgets of all addresses (IPv6: of a /64). They persist across connections, so reconnecting resets no limit. Each
 * connection of a local address has a separate budget. Bounded in number (LRU).
 */
export class AddressBudgets {
  private readonly budgets = new Map<string, AddressBudget>();

  constructor(
    private readonly now: () => number,
    private readonly stopwatch: () => number,
  ) {}

  get size(): number {
    return this.budgets.size;
  }

  /** The budget of an address. */
  of(remote: PeerAddress): AddressBudget {
    const key = accountKey(remote);
    const budget = this.budgets.get(key) ?? new AddressBudget(this.now, this.stopwatch);
    this.budgets.delete(key);
    this.budgets.set(key, budget);
    this.dropOldest();
    return budget;
  }

  /** The budget of a new connection. Call `leave` when the connection is closed. */
  enter(remote: PeerAddress): AddressBudget {
    const budget = this.of(remote);
    budget.open += 1;
    return budget;
  }

  leave(budget: AddressBudget): void {
    budget.open -= 1;
  }

  private dropOldest(): void {
    if (this.budgets.size <= MAX_ADDRESSES) return;
    for (const [key, { open }] of this.budgets) {
      if (open > 0) continue;
      this.budgets.delete(key);
      return;
    }
  }
}
