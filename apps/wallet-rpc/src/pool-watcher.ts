import type { NodeCalls } from '@wrkz/client';
import type { Wallet, WalletTransaction } from '@wrkz/wallet-core';
import { ownPoolTransactions } from './pool-transactions';
import type { TransactionDetailsCache } from './transaction-details';

export interface PoolWatcherDependencies {
  readonly wallet: Wallet;
  readonly nodes: Pick<NodeCalls, 'poolChanges'>;
  readonly details: Pick<TransactionDetailsCache, 'put' | 'get'>;
  readonly seen: (transaction: WalletTransaction) => void;
  /** Called when transactions left the pool, to unlock their inputs unless a delayed transaction uses them. */
  readonly release: (hashes: readonly string[]) => void;
  /** Polling interval in milliseconds. */
  readonly everyMs?: number;
}

const EVERY_MS = 3_000;
/** Max number of stored hashes, far above a real pool, so that a faulty node cannot exhaust the memory. */
const MAX_KNOWN = 100_000;

/**
 * Polls the node's pool for transactions of the wallet. Outputs spent by them are locked, and received amounts are included in
 * the locked balance (docs/operations/wallet-rpc.md#pool).
 */
export class PoolWatcher {
  /** Hashes of all pool transactions. */
  private known = new Set<string>();
  private readonly own = new Map<string, WalletTransaction>();
  /** Transactions missing in the last poll: mined in a block that is not scanned yet, or dropped. */
  private missing = new Set<string>();
  private readonly ending = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> | undefined;

  constructor(private readonly dependencies: PoolWatcherDependencies) {}

  start(): void {
    this.dependencies.wallet.on('transaction', ({ hash }) => this.mined(hash));
    this.again();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    clearTimeout(this.timer);
    await this.polling;
  }

  /** Transactions of the pool except own sends of this program, which the wallet lists itself. */
  get transactions(): readonly WalletTransaction[] {
    const sends = this.sends();
    return [...this.own.values()].filter(({ hash }) => !sends.has(hash));
  }

  get(hash: string): WalletTransaction | undefined {
    return this.own.get(hash);
  }

  /**
   * Makes the next poll scan the whole pool, after a change of keys or a reset. The inputs of known transactions stay locked
   * meanwhile, so that a send cannot spend them again.
   */
  rescan(): void {
    const { subWallets } = this.dependencies.wallet.snapshot;
    const keys = new Set(subWallets.map(({ publicSpendKey }) => publicSpendKey));
    const foreign = [...this.own].filter(
      ([, { transfers }]) => !transfers.some(({ publicSpendKey }) => keys.has(publicSpendKey)),
    );
    this.drop(foreign.map(([hash]) => hash));
    this.missing.clear();
    this.known = new Set();
  }

  /** Polls once. Never rejects: a failed poll is repeated by the next one. */
  poll(): Promise<void> {
    return (this.polling ??= this.compare()
      .catch(() => undefined)
      .finally(() => (this.polling = undefined)));
  }

  private again(): void {
    if (this.ending.signal.aborted) return;
    this.timer = setTimeout(() => void this.poll().then(() => this.again()), this.dependencies.everyMs ?? EVERY_MS);
    this.timer.unref();
  }

  private async compare(): Promise<void> {
    const { wallet, nodes } = this.dependencies;
    if (!wallet.syncStatus.isAtTip || this.ending.signal.aborted) return;
    if (this.known.size > MAX_KNOWN) this.known = new Set(this.own.keys());
    const before = this.known;
    const [tail = ''] = wallet.snapshot.content.progress.recentHashes;
    if (tail === '') return;
    const { added, deleted } = await nodes.poolChanges(tail, [...before], this.ending.signal);
    const found = await ownPoolTransactions(added, wallet.snapshot.content, (key) => wallet.findOutput(key));
    // `rescan` or a close happened during the request: discard the response.
    if (this.known !== before || wallet.isClosed) return;
    const ours = new Set(found.map(({ transaction }) => transaction.hash));
    for (const { hash } of added) before.add(hash);
    this.drop(added.flatMap(({ hash }) => (ours.has(hash) ? [] : [hash])));
    // The node reports known hashes that are not in its pool as deleted.
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
    this.removeDropped(deleted);
  }

  private removeDropped(deleted: readonly string[]): void {
    const gone = deleted.filter((hash) => !this.own.has(hash) || this.missing.has(hash));
    this.missing = new Set(deleted.filter((hash) => this.own.has(hash) && !this.missing.has(hash)));
    for (const hash of gone) this.known.delete(hash);
    this.drop(gone);
  }

  private sends(): ReadonlySet<string> {
    return new Set(this.dependencies.wallet.snapshot.unconfirmed().map(({ hash }) => hash));
  }

  private drop(hashes: readonly string[]): void {
    const dropped = hashes.filter((hash) => this.own.delete(hash));
    if (dropped.length > 0) this.dependencies.release(dropped);
  }

  private mined(hash: string): void {
    this.own.delete(hash);
    this.missing.delete(hash);
  }
}
