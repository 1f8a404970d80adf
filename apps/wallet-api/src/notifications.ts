import { type HookEvent, type Logger, NotificationHooks } from '@wrkz/service-kit';
import type { WalletTransaction } from '@wrkz/wallet-core';
import { isNotified, netAmount } from '@wrkz/wallet-server';
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
    if (!hooks.has(HOOK) || !isNotified(transaction, open.wallet.syncStatus, options['notify-during-sync'])) return;
    hooks.notify(HOOK, transactionEvent(transaction));
  });
  return hooks;
}
