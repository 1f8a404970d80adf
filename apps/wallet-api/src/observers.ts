import { type HookEvent, type Logger, type Metrics, NotificationHooks } from '@wrkz/service-kit';
import type { WalletTransaction } from '@wrkz/wallet-core';
import { isRecent, netAmount } from '@wrkz/wallet-server';
import type { WalletApiConfig } from './config';
import type { WalletManager } from './wallet-manager';

const HOOK = 'tx-notify';

/** The notification of a transaction (docs/operations/wallet-api.md#notifications). */
export function transactionEvent(transaction: WalletTransaction): HookEvent {
  const { hash, blockHeight, fee, paymentId, timestamp, unlockTime, isCoinbase } = transaction;
  const amount = netAmount(transaction);
  return {
    event: 'tx',
    placeholders: { s: hash, h: String(blockHeight), a: String(amount), f: String(fee), p: paymentId, c: '1' },
    fields: { hash, height: blockHeight, amount, fee, paymentId, confirmed: true, timestamp, unlockTime, isCoinbase },
  };
}

/**
 * Starts the notification hooks of the options.
 * @throws Error with a message for the operator
 */
export async function startWalletHooks(
  { options, walletDirectory }: WalletApiConfig,
  wallets: WalletManager,
  logger: Logger,
): Promise<NotificationHooks> {
  const hooks = await NotificationHooks.start({
    hooks: [{ name: HOOK, values: options['tx-notify'] }],
    logger,
    directory: walletDirectory,
    secretFile: options['notify-secret-file'],
  });
  wallets.on('transaction', (transaction, open) => {
    if (!hooks.has(HOOK) || !(options['notify-during-sync'] || isRecent(transaction, open.wallet.syncStatus))) return;
    hooks.notify(HOOK, transactionEvent(transaction));
  });
  return hooks;
}

/** Registers the metrics of the open wallet (docs/operations/wallet-api.md#metrics). A closed wallet has no values. */
export function registerWalletMetrics(metrics: Metrics, wallets: WalletManager): void {
  metrics.gauge('open', 'Whether a wallet is open: 1 or 0', [], (gauge) =>
    gauge.set(wallets.current === undefined ? 0 : 1),
  );
  metrics.gauge('height', 'Block height of the wallet, its node and the network', ['of'], (gauge) => {
    gauge.reset();
    const { current } = wallets;
    if (current === undefined) return;
    const { walletHeight, localHeight, networkHeight } = current.wallet.syncStatus;
    gauge.set({ of: 'wallet' }, walletHeight);
    gauge.set({ of: 'node' }, localHeight);
    gauge.set({ of: 'network' }, networkHeight);
  });
  metrics.gauge('stalled', '1 while the synchronization is stalled, by reason code', ['code'], (gauge) => {
    gauge.reset();
    const stall = wallets.current?.wallet.syncStatus.stall;
    if (stall !== undefined) gauge.set({ code: stall.code }, 1);
  });
  metrics.gauge('transactions', 'Transactions of the wallet, confirmed or unconfirmed', ['state'], (gauge) => {
    gauge.reset();
    const content = wallets.current?.wallet.snapshot.content;
    if (content === undefined) return;
    gauge.set({ state: 'confirmed' }, content.transactions.length);
    gauge.set({ state: 'unconfirmed' }, content.unconfirmed.length);
  });
}
