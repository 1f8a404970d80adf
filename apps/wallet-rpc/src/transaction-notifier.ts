import type { HookEvent, NotificationHooks } from '@wrkz/service-kit';
import { type ServedWallet, ToldStage, type TransactionDetails, type WalletTransaction } from '@wrkz/wallet-core';
import { isNews, netAmount } from '@wrkz/wallet-service';

/** The hooks, by their options. */
export const HOOKS = { tx: 'tx-notify', confirmed: 'tx-confirmed-notify' } as const;

export interface NotifierDependencies extends Pick<ServedWallet, 'wallet' | 'sideFile' | 'syncStatus'> {
  readonly hooks: Pick<NotificationHooks, 'has' | 'notify'>;
  /** `--notify-during-sync`. */
  readonly duringSync: boolean;
  readonly details: (hash: string) => TransactionDetails | undefined;
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
    const { sideFile } = this.dependencies;
    const [before] = sideFile.told.advance([transaction.hash], ToldStage.seen);
    if (before !== undefined) this.tell('tx', transaction, false);
  }

  private notifyConfirmed(): void {
    const { sideFile, duringSync, syncStatus, details } = this.dependencies;
    const found = this.mined.splice(0);
    const status = syncStatus();
    const news = duringSync ? found : found.filter((transaction) => isNews(transaction, status));
    const hashes = news.map(({ hash }) => hash);
    sideFile.told.advance(hashes, ToldStage.confirmed).forEach((before, i) => {
      const transaction = news[i];
      if (before === undefined || transaction === undefined) return;
      const wasSent = details(transaction.hash)?.sent !== undefined;
      if (before === ToldStage.nothing && !wasSent) this.tell('tx', transaction, true);
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
