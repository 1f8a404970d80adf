import { Command } from '@wrkz/levin';
import { accountKey } from '../util/host-network';
import type { PeerAddress } from '../util/address';
import { RateLimit } from '../util/rate-limit';
import { WorkBudget } from './work-budget';

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
