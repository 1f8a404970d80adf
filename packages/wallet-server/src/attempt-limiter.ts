import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { clientAddressOf, countedAddress, type HttpError, refusal } from '@wrkz/service-kit';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Wrong keys or passwords per minute and budget after which further attempts must wait. */
const MAX_FAILURES_PER_MINUTE = 100;
/** Max number of waiting attempts per budget. */
const MAX_WAITING = 16;

export interface AttemptLimiterOptions {
  /** Unix milliseconds. */
  readonly now?: () => number;
  readonly delay?: (ms: number) => Promise<unknown>;
  /** 0 inclusive to 1 exclusive. */
  readonly random?: () => number;
}

/** The failures of an address (IPv6: a /64 network) in the current minute. */
interface Budget {
  minute: number;
  failures: number;
  /** Each function resolves a waiting attempt. */
  readonly waiting: (() => void)[];
  isReleasing: boolean;
}

/**
 * Limits guessing of keys and passwords without locking out the owner. Above the limit, attempts of an address wait, and one
 * per second, chosen at random, is admitted. An address that presented a valid key within 24 hours has its own budget.
 */
export class AttemptLimiter {
  private readonly budgets = new Map<string, Budget>();
  /** Time of the last valid key by address, Unix milliseconds. */
  private readonly successes = new Map<string, number>();
  private readonly now: () => number;
  private readonly delay: (ms: number) => Promise<unknown>;
  private readonly random: () => number;
  private minute = -1;

  constructor(options: AttemptLimiterOptions = {}) {
    this.now = options.now ?? Date.now;
    // A waiting attempt must not keep the process alive.
    this.delay = options.delay ?? ((ms) => delay(ms, undefined, { ref: false }));
    this.random = options.random ?? Math.random;
  }

  /**
   * Checks the presented key of a request; '' is a missing key, which is no attempt.
   * @param isValid compares the key. Called when the attempt is admitted
   * @returns 401; 429 with Retry-After if too many attempts wait or the client has disconnected; undefined for a valid key
   */
  async check(
    request: IncomingMessage,
    presented: string,
    isValid: (presented: string) => boolean,
  ): Promise<HttpError | undefined> {
    if (presented === '') return refusal('unauthorized');
    if (!(await this.admit(request))) return refusal('rate_limited', { headers: { 'Retry-After': '1' } });
    if (isValid(presented)) {
      this.successes.set(clientAddressOf(request), this.now());
      return undefined;
    }
    this.budgetOf(request).failures++;
    return refusal('unauthorized');
  }

  private async admit(request: IncomingMessage): Promise<boolean> {
    const budget = this.budgetOf(request);
    if (budget.failures < MAX_FAILURES_PER_MINUTE) return true;
    return budget.waiting.length < MAX_WAITING && (await this.wait(budget, request));
  }

  /** @returns false if the client disconnected */
  private wait(budget: Budget, { socket }: IncomingMessage): Promise<boolean> {
    return new Promise((resolve) => {
      const release = (): void => {
        socket.off('close', leave);
        resolve(true);
      };
      const leave = (): void => {
        budget.waiting.splice(budget.waiting.indexOf(release), 1);
        resolve(false);
      };
      socket.once('close', leave);
      budget.waiting.push(release);
      if (!budget.isReleasing) void this.releaseWaiting(budget);
    });
  }

  private async releaseWaiting(budget: Budget): Promise<void> {
    budget.isReleasing = true;
    while (budget.waiting.length > 0) {
      await this.delay(SECOND_MS);
      this.startMinute(budget);
      const isOverLimit = budget.failures >= MAX_FAILURES_PER_MINUTE;
      const index = Math.floor(this.random() * budget.waiting.length);
      for (const release of isOverLimit ? budget.waiting.splice(index, 1) : budget.waiting.splice(0)) release();
    }
    budget.isReleasing = false;
  }

  private budgetOf(request: IncomingMessage): Budget {
    this.forgetOldBudgets();
    const address = clientAddressOf(request);
    const key = this.isProven(address) ? `proven ${address}` : countedAddress(address);
    const budget = this.budgets.get(key) ?? { minute: 0, failures: 0, waiting: [], isReleasing: false };
    this.budgets.set(key, budget);
    this.startMinute(budget);
    return budget;
  }

  private isProven(address: string): boolean {
    const at = this.successes.get(address);
    if (at === undefined) return false;
    if (this.now() - at < DAY_MS) return true;
    this.successes.delete(address);
    return false;
  }

  private startMinute(budget: Budget): void {
    const minute = Math.floor(this.now() / MINUTE_MS);
    if (budget.minute === minute) return;
    budget.minute = minute;
    budget.failures = 0;
  }

  /** Deletes the budgets of earlier minutes, once per minute. */
  private forgetOldBudgets(): void {
    const minute = Math.floor(this.now() / MINUTE_MS);
    if (minute === this.minute) return;
    this.minute = minute;
    this.budgets.clear();
  }
}
