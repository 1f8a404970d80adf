import type { HookEvent, NotificationHooks } from '@wrkz/service-kit';
import { type Wallet, NotifiedStage, type StoredDetails, type WalletTransaction } from '@wrkz/wallet-core';
import { isRecent, netAmount } from '@wrkz/wallet-server';

/** The hooks, by their options. */
export const HOOKS = { tx: 'tx-notify', confirmed: 'tx-confirmed-notify' } as const;

export interface NotifierDependencies {
  readonly wallet: Wallet;
  readonly hooks: Pick<NotificationHooks, 'has' | 'notify'>;
  /** `--notify-during-sync`. */
  readonly duringSync: boolean;
  readonly details: (hash: string) => StoredDetails | undefined;
}

/**
 * Tells receivers of transactions: when each is first seen, and when a block holds it. What was told is noted in the side
 * file, so that neither a restart nor a reorganisation tells it again (docs/operations/wallet-rpc.md#notifications).
 */
export class TransactionNotifier {
  /** Of one answer of the node; they are noted at once. */
  private mined: WalletTransaction[] = [];

  constructor(private readonly dependencies: NotifierDependencies) {}

  start(): void {
    this.dependencies.wallet.on('transaction', (transaction) => {
      if (this.mined.push(transaction) === 1) queueMicrotask(() => this.notifyConfirmed());
    });
  }

  /** An own send that a node has taken, or an incoming transaction of the pool. */
  seen(transaction: WalletTransaction): void {
    const { wallet } = this.dependencies;
    const [before] = wallet.db.notified.advance([transaction.hash], NotifiedStage.seen);
    if (before !== undefined) this.tell('tx', transaction, false);
  }

  private notifyConfirmed(): void {
    const { wallet, duringSync, details } = this.dependencies;
    const found = this.mined.splice(0);
    const status = wallet.syncStatus;
    const news = duringSync ? found : found.filter((transaction) => isRecent(transaction, status));
    const hashes = news.map(({ hash }) => hash);
    wallet.db.notified.advance(hashes, NotifiedStage.confirmed).forEach((before, i) => {
      const transaction = news[i];
      if (before === undefined || transaction === undefined) return;
      const wasSent = details(transaction.hash)?.sent !== undefined;
      if (before === NotifiedStage.none && !wasSent) this.tell('tx', transaction, true);
      this.tell('confirmed', transaction, true);
    });
  }

  private tell(which: keyof typeof HOOKS, transaction: WalletTransaction, isMined: boolean): void {
    const { hooks, details } = this.dependencies;
    if (!hooks.has(HOOKS[which])) return;
    const unlockTime = isMined ? transaction.unlockTime : (details(transaction.hash)?.unlockTime ?? 0n);
    const event = which === 'tx' ? 'tx' : 'tx_confirmed';
    hooks.notify(HOOKS[which], transactionHookEvent(event, { ...transaction, unlockTime }, isMined));
  }
}

/** What receivers are told of a transaction. */
export function transactionHookEvent(event: string, transaction: WalletTransaction, isMined: boolean): HookEvent {
  const { hash, blockHeight: height, fee, paymentId, timestamp, unlockTime } = transaction;
  const amount = netAmount(transaction);
  return {
    event,
    placeholders: {
      s: hash,
      h: String(height),
      a: String(amount),
      f: String(fee),
      p: paymentId,
      c: isMined ? '1' : '0',
    },
    fields: { hash, height, amount, fee, paymentId, confirmed: isMined, timestamp, unlockTime },
  };
}
