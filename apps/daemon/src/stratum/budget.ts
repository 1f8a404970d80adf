import { countedAddress, isLoopback } from '@wrkz/service-kit';
import { RateLimit } from '../p2p/limits/address-budget';
import { ADDRESS_POINTS, COSTS, CONNECTION_POINTS, KEPT_ADDRESSES } from './limits';

interface AddressAccount {
  readonly points: RateLimit;
  open: number;
}

/** What one connection may still ask for: from its own points and from those of its address. */
export interface ConnectionBudget {
  /** False when they are used up. */
  take(points: number): boolean;
  leave(): void;
}

/**
 * Points by connection and by address. Shares that prove work are free; logins, refused requests and bad shares are not.
 * Loopback has no account: it may be a proxy, behind which everybody would pay for one.
 */
export class StratumBudgets {
  private readonly accounts = new Map<string, AddressAccount>();

  /** @param now monotonic milliseconds */
  constructor(private readonly now: () => number) {}

  get size(): number {
    return this.accounts.size;
  }

  /** Connections that this address has. */
  connectionsOf(address: string): number {
    return this.accounts.get(countedAddress(address))?.open ?? 0;
  }

  /** Of a new connection; undefined when its address has used up what it may. */
  enter(address: string): ConnectionBudget | undefined {
    const { now } = this;
    const own = new RateLimit(CONNECTION_POINTS.perSecond, CONNECTION_POINTS.burst, now());
    if (isLoopback(address)) return { take: (points) => own.take(now(), points), leave: () => undefined };
    const account = this.accountOf(countedAddress(address));
    if (!account.points.take(now(), COSTS.connection)) return undefined;
    account.open += 1;
    return {
      take: (points) => {
        const fits = [own.take(now(), points), account.points.take(now(), points)];
        return fits.every(Boolean);
      },
      leave: () => {
        account.open -= 1;
      },
    };
  }

  private accountOf(key: string): AddressAccount {
    const { perSecond, burst } = ADDRESS_POINTS;
    const account = this.accounts.get(key) ?? { points: new RateLimit(perSecond, burst, this.now()), open: 0 };
    // behind all others: the first of the map is whoever has not been here for longest
    this.accounts.delete(key);
    this.accounts.set(key, account);
    if (this.accounts.size > KEPT_ADDRESSES) this.forget();
    return account;
  }

  private forget(): void {
    for (const [key, { open }] of this.accounts) {
      if (open > 0) continue;
      this.accounts.delete(key);
      return;
    }
  }
}
