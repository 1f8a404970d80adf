import { setTimeout as sleep } from 'node:timers/promises';
import { errorText, type Logger } from '@wrkz/service-kit';
import type { Contribution, FundingStore } from '../store/funding-store';
import { assignReceipts, donationTarget, type DonationTarget } from './donation-targets';
import { type IncomeSource, WalletAway } from './income';
import { ReceiptBook } from './receipt-book';

export interface FollowerParts {
  readonly source: IncomeSource;
  readonly store: FundingStore;
  /** The donation addresses of all proposals, at this moment. */
  readonly addresses: () => readonly string[];
  readonly logger: Logger;
  readonly pollMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onLook?: (isGood: boolean) => void;
}

/** Follows the income of the donation addresses. What it knew stays while the wallet cannot be asked. */
export class FundingFollower {
  private readonly parts: FollowerParts;
  private readonly stopping = new AbortController();
  private readonly books = new Map<string, ReceiptBook>();
  private readonly foreign = new Set<string>();
  private readonly decoded = new Map<string, DonationTarget>();
  private lastFailure: string | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(parts: FollowerParts) {
    this.parts = parts;
  }

  /** Why the last look failed; undefined when it did not. */
  get failure(): string | undefined {
    return this.lastFailure;
  }

  start(): void {
    this.running = this.follow();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Looks once. @throws the reason of the stop */
  async look(): Promise<void> {
    const { logger, onLook } = this.parts;
    const before = this.lastFailure;
    try {
      await this.ask();
      this.lastFailure = undefined;
      if (before !== undefined) logger.info('the wallet answers again');
    } catch (error) {
      this.stopping.signal.throwIfAborted();
      this.lastFailure = errorText(error);
      if (before !== this.lastFailure) logger.warning(`the income cannot be followed: ${this.lastFailure}`);
    }
    onLook?.(this.lastFailure === undefined);
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    try {
      while (!signal.aborted) {
        await this.look();
        await sleep(this.parts.pollMs, undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async ask(): Promise<void> {
    const { source, store, now } = this.parts;
    const { signal } = this.stopping;
    const { height, isSynced, addresses } = await source.state(signal);
    if (!isSynced) throw new WalletAway('the wallet is not synchronized');
    const checked = Math.floor(now() / 1000);
    const found = new Map<string, readonly Contribution[]>();
    for (const [base, targets] of this.targets(addresses)) {
      const book = this.books.get(base) ?? new ReceiptBook();
      this.books.set(base, book);
      const receipts = await book.look(source, base, height, signal);
      for (const [address, contributions] of assignReceipts(targets, receipts, { height, timestamp: checked })) {
        found.set(address, contributions);
      }
    }
    signal.throwIfAborted();
    // a chain that turned while it was read is read again with the next look
    if ((await source.state(signal)).height < height) throw new WalletAway('the chain turned while it was read');
    store.replace(found, { checked, height });
  }

  /** The donation addresses that the wallet holds, by the wallet's own. */
  private targets(held: ReadonlySet<string>): Map<string, DonationTarget[]> {
    const byBase = new Map<string, DonationTarget[]>();
    for (const address of this.parts.addresses()) {
      const target = this.decoded.get(address) ?? donationTarget(address);
      this.decoded.set(address, target);
      if (held.has(target.base)) byBase.set(target.base, [...(byBase.get(target.base) ?? []), target]);
      else this.tellForeign(address);
    }
    return byBase;
  }

  private tellForeign(address: string): void {
    if (this.foreign.has(address)) return;
    this.foreign.add(address);
    this.parts.logger.warning(`the wallet does not hold ${address}: what it receives cannot be followed`);
  }
}
