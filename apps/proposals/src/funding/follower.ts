import { setTimeout as sleep } from 'node:timers/promises';
import { errorText, type Logger } from '@wrkz/service-kit';
import { SqliteFileError } from '@wrkz/sqlite';
import { InvalidDatabase } from '../store/failures';
import type { Contribution, FundingStore } from '../store/funding';
import { assignReceipts, donationTarget, type DonationTarget, ReceiptReader } from './receipts';
import { type WalletService, WalletUnavailable } from './wallet';

export interface FollowerDependencies {
  readonly wallet: WalletService;
  readonly store: FundingStore;
  /** Returns the current donation addresses of all proposals. */
  readonly addresses: () => readonly string[];
  readonly logger: Logger;
  readonly pollMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onPoll?: (isSuccess: boolean) => void;
}

/** Polls the wallet for donations. A failed poll does not change stored donations. */
export class FundingFollower {
  private readonly stopping = new AbortController();
  /** Readers by base address. */
  private readonly readers = new Map<string, ReceiptReader>();
  /** Addresses of other wallets that were already logged. */
  private readonly foreign = new Set<string>();
  private lastFailure: string | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly dependencies: FollowerDependencies) {}

  /** The error of the last poll; undefined if it succeeded. */
  get failure(): string | undefined {
    return this.lastFailure;
  }

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Polls once. Logs when polls begin to fail, and when they succeed again. @throws the reason of the stop */
  async poll(): Promise<void> {
    const { logger, onPoll } = this.dependencies;
    const before = this.lastFailure;
    try {
      await this.update();
      this.lastFailure = undefined;
      if (before !== undefined) logger.info('donations are followed again');
    } catch (error) {
      this.stopping.signal.throwIfAborted();
      this.lastFailure = errorText(error);
      const isStorage = [SqliteFileError, InvalidDatabase].some((type) => error instanceof type);
      const what = isStorage ? 'cannot store donations' : 'cannot read donations from the wallet';
      if (before !== this.lastFailure) logger.warning(`${what}: ${this.lastFailure}`);
    }
    onPoll?.(this.lastFailure === undefined);
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    try {
      while (!signal.aborted) {
        await this.poll();
        await sleep(this.dependencies.pollMs, undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async update(): Promise<void> {
    const { wallet, store, now } = this.dependencies;
    const { signal } = this.stopping;
    const { height, isSynced, addresses } = await wallet.state(signal);
    if (!isSynced) throw new WalletUnavailable('the wallet is not synchronized');
    const checked = Math.floor(now() / 1000);
    const found = new Map<string, readonly Contribution[]>();
    for (const [base, targets] of this.targetsByBase(addresses)) {
      const reader = this.readers.get(base) ?? new ReceiptReader();
      this.readers.set(base, reader);
      const receipts = await reader.read(wallet, base, height, signal);
      for (const [address, contributions] of assignReceipts(targets, receipts, { height, timestamp: checked })) {
        found.set(address, contributions);
      }
    }
    signal.throwIfAborted();
    if ((await wallet.state(signal)).height < height)
      throw new WalletUnavailable('the chain was reorganised during the poll; the next poll reads it again');
    store.replace(found, { checked, height });
  }

  /** The donation addresses that belong to the wallet, by base address. */
  private targetsByBase(own: ReadonlySet<string>): Map<string, DonationTarget[]> {
    const byBase = new Map<string, DonationTarget[]>();
    for (const address of this.dependencies.addresses()) {
      const target = donationTarget(address);
      if (own.has(target.base)) byBase.set(target.base, [...(byBase.get(target.base) ?? []), target]);
      else if (!this.foreign.has(address)) {
        this.foreign.add(address);
        this.dependencies.logger.warning(`the donation address ${address} does not belong to the wallet: not followed`);
      }
    }
    return byBase;
  }
}
