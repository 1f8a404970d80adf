import { errorText, type HookEvent, type NotificationHooks } from '@wrkz/service-kit';
import { type Wallet, NotifiedStage, type StoredDetails, type WalletTransaction } from '@wrkz/wallet-core';
import { isNotified, netAmount } from '@wrkz/wallet-server';

export const HOOKS = { tx: 'tx-notify', confirmed: 'tx-confirmed-notify' } as const;

export interface NotifierDependencies {
  readonly wallet: Wallet;
  readonly hooks: Pick<NotificationHooks, 'has' | 'notify'>;
  /** `--notify-during-sync`. */
  readonly duringSync: boolean;
  readonly details: (hash: string) => StoredDetails | undefined;
  readonly warn: (text: string) => void;
}

/**
 * Notifies the hooks about each transaction: when it is first seen, and when it is mined. Notifications are recorded in the
 * wallet database, so that neither a restart nor a reorganisation repeats them. While the database is damaged, nothing is
 * notified (docs/operations/wallet-rpc.md#notifications). While the database cannot be written (full disk), mined
 * transactions wait for the next change of the wallet, and a send is not notified before it is mined.
 */
export class TransactionNotifier {
  /** Mined transactions that are not notified yet. One database transaction records all of them. */
  private mined: WalletTransaction[] = [];
  private warned = '';

  constructor(private readonly dependencies: NotifierDependencies) {}

  start(): void {
    const { wallet } = this.dependencies;
    wallet.on('transaction', (transaction) => void this.mined.push(transaction));
    // The wallet emits the `transaction` events of a change immediately after `changed`.
    wallet.on('changed', () => queueMicrotask(() => this.notifyConfirmed()));
  }

  /** Notifies about an own send that a node accepted, or a pool transaction. */
  seen(transaction: WalletTransaction): void {
    const [before] = this.advance([transaction], NotifiedStage.seen) ?? [];
    if (before !== undefined) this.notify('tx', transaction, false);
  }

  private notifyConfirmed(): void {
    if (this.mined.length === 0) return;
    const { wallet, duringSync, details } = this.dependencies;
    const status = wallet.syncStatus;
    const reported = this.mined.filter((transaction) => isNotified(transaction, status, duringSync));
    const stages = this.advance(reported, NotifiedStage.confirmed);
    if (stages === undefined) return;
    this.mined = [];
    stages.forEach((before, i) => {
      const transaction = reported[i];
      if (before === undefined || transaction === undefined) return;
      const wasSent = details(transaction.hash)?.sent !== undefined;
      if (before === NotifiedStage.none && !wasSent) this.notify('tx', transaction, true);
      this.notify('confirmed', transaction, true);
    });
  }

  /** Records a stage. @returns the previous stages as `NotifiedTable.advance`; undefined when they could not be stored */
  private advance(
    transactions: readonly WalletTransaction[],
    stage: NotifiedStage,
  ): (NotifiedStage | undefined)[] | undefined {
    const hashes = transactions.map(({ hash }) => hash);
    try {
      const stages = this.dependencies.wallet.dbIfUsable?.notified.advance(hashes, stage) ?? [];
      this.warned = '';
      return stages;
    } catch (error) {
      const text = `notified transactions could not be recorded: ${errorText(error)}`;
      if (text !== this.warned) this.dependencies.warn(text);
      this.warned = text;
      return undefined;
    }
  }

  private notify(which: keyof typeof HOOKS, transaction: WalletTransaction, isMined: boolean): void {
    const { hooks, details } = this.dependencies;
    if (!hooks.has(HOOKS[which])) return;
    const unlockTime = isMined ? transaction.unlockTime : (details(transaction.hash)?.unlockTime ?? 0n);
    const event = which === 'tx' ? 'tx' : 'tx_confirmed';
    hooks.notify(HOOKS[which], transactionHookEvent(event, { ...transaction, unlockTime }, isMined));
  }
}

function transactionHookEvent(event: string, transaction: WalletTransaction, isMined: boolean): HookEvent {
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
