import { errorMessage, type stratumApi } from '@wrkz/api';
import { countedAddress, isLoopback } from '@wrkz/service-kit';
import { RateLimit } from '../p2p/limits/address-budget';

/*
 * Limits of a stratum connection (docs/protocol/stratum.md#limits). Times in milliseconds.
 */

/** Bytes of a line without its line feed. */
export const MAX_LINE_BYTES = 8192;
/** Messages queued for a client that does not read; then it is disconnected. */
export const MAX_UNSENT = 64;
/** Responses queued before reading stops (backpressure). */
export const UNSENT_BEFORE_READING = 16;
/** Max time that a write may be blocked. */
export const WRITE_LIMIT = 30_000;
/** Max time from the first byte of a line to its end. */
export const LINE_LIMIT = 30_000;
/** Time after which a connection without a login is closed. */
export const LOGIN_LIMIT = 60_000;
/** If all slots are in use: time after which a connection without a login may be closed for a new one. */
export const LOGIN_GRACE = 2_000;
/** If all slots are in use: time without a valid share after which an address may lose a slot to another miner. */
export const SHARE_GRACE = 120_000;
/** Max time for a client to close its side. */
export const LINGER = 1_000;
/** Idle time after which TCP keep-alive probes start. */
export const PROBE_AFTER = 60_000;
/** Jobs per connection for which shares are accepted. */
export const MAX_JOBS = 4;
/** Nonces stored per job; then the job is replaced. */
export const MAX_NONCES = 65_536;
/** Bytes in the coinbase that are unique for each job. */
export const EXTRA_NONCE_SIZE = 8;
/** The share of all slots that one address may use (loopback is exempt). */
export const ADDRESS_PART = 3 / 4;

/** Costs of requests, in points. */
export const COSTS = { line: 1, connection: 10, login: 20, refused: 4, badShare: 20 } as const;
/** Token bucket of a connection. */
const CONNECTION_POINTS = { burst: 1000, perSecond: 50 } as const;
/** Token bucket of an address, over all its connections, present and past (loopback is exempt). */
const ADDRESS_POINTS = { burst: 4000, perSecond: 200 } as const;
/** Max stored token buckets of addresses without a connection. */
const MAX_ADDRESSES = 10_000;

/** Max workers with separate counters; all others share one row. */
export const MAX_WORKERS = 256;

interface AddressAccount {
  readonly points: RateLimit;
  open: number;
  /** Time of the last valid share, or of the first connection. */
  silentSince: number;
  /** Time at which the last connection was closed. */
  leftAt: number;
}

/** The token buckets of one connection: its own and the one of its address. */
export interface ConnectionBudget {
  /** @returns false if a bucket is empty */
  take(points: number): boolean;
  /**
   * Time of the last valid share of the address, or of its first connection. Reconnecting does not reset it, unless the
   * address had no connection for SHARE_GRACE. Each loopback connection has a separate time.
   */
  silentSince(): number;
  countShare(): void;
  release(): void;
}

/**
 * Rate limits per connection and per address, as token buckets. Valid shares are free; logins, refused requests and bad
 * shares are not. Loopback has no bucket: it may be a proxy for many miners.
 */
export class StratumBudgets {
  private readonly accounts = new Map<string, AddressAccount>();

  /** @param now monotonic milliseconds */
  constructor(private readonly now: () => number) {}

  get size(): number {
    return this.accounts.size;
  }

  /** Open connections of an address. */
  connectionsOf(address: string): number {
    return this.accounts.get(countedAddress(address))?.open ?? 0;
  }

  /** The budget of a new connection; undefined if the bucket of its address is empty. */
  enter(address: string): ConnectionBudget | undefined {
    const { now } = this;
    const own = new RateLimit(CONNECTION_POINTS.perSecond, CONNECTION_POINTS.burst, now());
    const isExempt = isLoopback(address);
    const account = isExempt ? this.newAccount() : this.accountOf(countedAddress(address));
    if (!isExempt && !account.points.take(now(), COSTS.connection)) return undefined;
    if (account.open === 0 && now() - account.leftAt >= SHARE_GRACE) account.silentSince = now();
    account.open += 1;
    return {
      take: (points) => {
        const fits = [own.take(now(), points), isExempt || account.points.take(now(), points)];
        return fits.every(Boolean);
      },
      silentSince: () => account.silentSince,
      countShare: () => {
        account.silentSince = now();
      },
      release: () => {
        account.open -= 1;
        account.leftAt = now();
      },
    };
  }

  private accountOf(key: string): AddressAccount {
    const account = this.accounts.get(key) ?? this.newAccount();
    // The map is in LRU order.
    this.accounts.delete(key);
    this.accounts.set(key, account);
    if (this.accounts.size > MAX_ADDRESSES) this.removeIdle();
    return account;
  }

  private newAccount(): AddressAccount {
    const now = this.now();
    const { perSecond, burst } = ADDRESS_POINTS;
    return { points: new RateLimit(perSecond, burst, now), open: 0, silentSince: now, leftAt: now };
  }

  private removeIdle(): void {
    for (const [key, { open }] of this.accounts) {
      if (open > 0) continue;
      this.accounts.delete(key);
      return;
    }
  }
}

/** The effect of a refused request on its connection. */
export interface RefusalEffect {
  /** The connection is closed after the response is sent. */
  readonly closes?: boolean;
  /** Points that the request costs in addition to its line. */
  readonly cost?: number;
}

/** Why a stratum request is refused. */
export class StratumRefusal extends Error {
  override readonly name = 'StratumRefusal';

  constructor(
    readonly row: stratumApi.StratumError,
    values: Readonly<Record<string, string>> = {},
    readonly effect: RefusalEffect = {},
  ) {
    super(errorMessage(row, values));
  }
}
