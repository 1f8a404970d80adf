import { refusals } from '@wrkz/api/daemon-errors';
import { countedAddress, isLoopback } from '@wrkz/service-kit';
import { LRUCache } from 'lru-cache';
import { refuseRetryable } from '../errors';

/** Free part of the cost of a request: a time, and time in proportion to the bytes of the response. */
const FREE_MS = 100;
const FREE_BYTES_PER_MS = 4_096;
/** Refill of the bucket for each request that `--rpc-max-rpm` allows. */
const REFILL_MS_PER_REQUEST = 125;
/** Size of the bucket, in minutes of refill. */
const BURST_MINUTES = 4;
const MINUTE_MS = 60_000;
/** Addresses with a bucket that is not full. */
const MAX_ADDRESSES = 10_000;

interface Account {
  /** Milliseconds that are used and not refilled yet, at the time `at`. */
  used: number;
  at: number;
}

/**
 * A token bucket of reader time for each client address, loopback exempt. Requests are charged when they end, by the time for
 * which they occupied a thread, less the free part. A synchronizing wallet is never charged: it receives at least 38 KiB per
 * millisecond. 31,000 unknown hashes, by contrast, occupy a thread for about a second, and the response is empty.
 */
export class ReaderBudget {
  private readonly accounts = new LRUCache<string, Account>({ max: MAX_ADDRESSES });
  private readonly refillPerMs: number;
  private readonly size: number;

  /**
   * @param maxRpm max requests per minute of one address (IPv6: one /64); 0: no limit, and no budget
   * @param now monotonic milliseconds
   */
  constructor(
    maxRpm: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.refillPerMs = (maxRpm * REFILL_MS_PER_REQUEST) / MINUTE_MS;
    this.size = maxRpm * REFILL_MS_PER_REQUEST * BURST_MINUTES;
  }

  /** @throws RpcRefusal 429 with Retry-After if the bucket of the address is empty */
  check(client: string): void {
    const account = this.accountOf(client);
    if (account === undefined || account.used < this.size) return;
    const seconds = Math.ceil((account.used - this.size) / this.refillPerMs / 1000);
    throw refuseRetryable(refusals.tooManyRequests, Math.max(1, seconds));
  }

  /** Charges a request that occupied a thread for `elapsedMs`. @param bytes size of the response; 0 for an error */
  charge(client: string, elapsedMs: number, bytes: number): void {
    const account = this.accountOf(client);
    if (account !== undefined) account.used += Math.max(0, elapsedMs - FREE_MS - bytes / FREE_BYTES_PER_MS);
  }

  /** The account at the present time; undefined if the address is exempt. */
  private accountOf(client: string): Account | undefined {
    if (this.size === 0 || isLoopback(client)) return undefined;
    const key = countedAddress(client);
    const now = this.now();
    const account = this.accounts.get(key) ?? { used: 0, at: now };
    account.used = Math.max(0, account.used - (now - account.at) * this.refillPerMs);
    account.at = now;
    this.accounts.set(key, account);
    return account;
  }
}
