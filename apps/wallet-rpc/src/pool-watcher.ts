import type { NodeLookups } from '@wrkz/client';
import type { Wallet, WalletTransaction } from '@wrkz/wallet-core';
import { ownPoolTransactions } from './pool-transactions';
import type { TransactionDetailsCache } from './transaction-details';

export interface PoolWatcherDependencies {
  readonly wallet: Wallet;
  readonly nodes: Pick<NodeLookups, 'poolChanges'>;
  readonly details: Pick<TransactionDetailsCache, 'put' | 'get'>;
  readonly seen: (transaction: WalletTransaction) => void;
  /** They are in the pool no more, as far as is known: what they took is free unless something else keeps it. */
  readonly release: (hashes: readonly string[]) => void;
  /** Milliseconds between two looks. */
  readonly everyMs?: number;
}

const EVERY_MS = 3_000;

/**
 * Looks at the node's pool for transactions of the wallet: what they take is locked at once, what they bring is waited for
 * (docs/operations/wallet-rpc.md#pool).
 */
export class PoolWatcher {
  /** All of the pool, ours or not. */
  private known = new Set<string>();
  private readonly own = new Map<string, WalletTransaction>();
  /** Gone from the pool at the last look: into a block that is still to be read, or for good. */
  private leaving = new Set<string>();
  private readonly ending = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  constructor(private readonly dependencies: PoolWatcherDependencies) {}

  start(): void {
    this.dependencies.wallet.on('transaction', ({ hash }) => this.mined(hash));
    this.again();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    clearTimeout(this.timer);
    await this.looking;
  }

  /** Those of others, and own sends that another program made; without what the wallet lists as its own sends. */
  get transactions(): readonly WalletTransaction[] {
    const sends = this.sends();
    return [...this.own.values()].filter(({ hash }) => !sends.has(hash));
  }

  get(hash: string): WalletTransaction | undefined {
    return this.own.get(hash);
  }

  /**
   * Keys came or went, or the history was thrown away: all of the pool is looked at anew. Until then what is known of it
   * stays taken, or a send between the two would take it once more.
   */
  forget(): void {
    const { subWallets } = this.dependencies.wallet.snapshot;
    const keys = new Set(subWallets.map(({ publicSpendKey }) => publicSpendKey));
    for (const [hash, { transfers }] of this.own) {
      if (!transfers.some(({ publicSpendKey }) => keys.has(publicSpendKey))) this.drop(hash);
    }
    this.leaving.clear();
    this.known = new Set();
  }

  /** One look; resolves when it is done. */
  look(): Promise<void> {
    return (this.looking ??= this.compare()
      .catch(() => undefined)
      .finally(() => (this.looking = undefined)));
  }

  private again(): void {
    if (this.ending.signal.aborted) return;
    this.timer = setTimeout(() => void this.look().then(() => this.again()), this.dependencies.everyMs ?? EVERY_MS);
    this.timer.unref();
  }

  private async compare(): Promise<void> {
    const { wallet, nodes } = this.dependencies;
    if (!wallet.syncStatus.isAtTip || this.ending.signal.aborted) return;
    const before = this.known;
    const [tail = ''] = wallet.snapshot.content.progress.recentHashes;
    if (tail === '') return;
    const { added, deleted } = await nodes.poolChanges(tail, [...before], this.ending.signal);
    const found = await ownPoolTransactions(added, wallet.snapshot.content);
    // Forgotten, or closed, meanwhile: the next look finds it all again.
    if (this.known !== before || wallet.isClosed) return;
    const ours = new Set(found.map(({ transaction }) => transaction.hash));
    for (const { hash } of added) {
      before.add(hash);
      if (!ours.has(hash)) this.drop(hash);
    }
    // Of one that is not there (any more) the node tells that it is gone, now that it is asked for it.
    for (const hash of this.own.keys()) before.add(hash);
    const sends = this.sends();
    for (const { transaction, held, details } of found) {
      const { hash } = transaction;
      if (sends.has(hash) || wallet.snapshot.transaction(hash) !== undefined) continue;
      this.own.set(hash, transaction);
      const { sent, mixin } = this.dependencies.details.get(hash) ?? {};
      this.dependencies.details.put(hash, { ...details, sent, mixin });
      wallet.hold([held]);
      this.dependencies.seen(transaction);
    }
    this.letGo(deleted);
  }

  private letGo(deleted: readonly string[]): void {
    const gone = deleted.filter((hash) => !this.own.has(hash) || this.leaving.has(hash));
    this.leaving = new Set(deleted.filter((hash) => !gone.includes(hash)));
    for (const hash of gone) {
      this.known.delete(hash);
      this.drop(hash);
    }
  }

  private sends(): ReadonlySet<string> {
    return new Set(this.dependencies.wallet.snapshot.unconfirmed().map(({ hash }) => hash));
  }

  private drop(hash: string): void {
    if (this.own.delete(hash)) this.dependencies.release([hash]);
  }

  private mined(hash: string): void {
    this.own.delete(hash);
    this.leaving.delete(hash);
  }
}
