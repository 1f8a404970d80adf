import { type HookEvent, type Logger, NotificationHooks } from '@wrkz/service-kit';
import type { WalletTransaction } from '@wrkz/wallet-core';
import type { WalletApiConfig } from './config/config';
import { isRecent, netAmount } from '@wrkz/wallet-server';
import type { OpenWallet } from './open-wallet';

const HOOK = 'tx-notify';

/** What receivers are told of a transaction (docs/operations/wallet-api.md#notifications). */
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
 * The hooks as the options want them.
 * @throws Error with a message for the operator
 */
export async function startWalletHooks(
  { options, walletDirectory }: WalletApiConfig,
  held: OpenWallet,
  logger: Logger,
): Promise<NotificationHooks> {
  const hooks = await NotificationHooks.start({
    hooks: [{ name: HOOK, values: options['tx-notify'] }],
    logger,
    directory: walletDirectory,
    secretFile: options['notify-secret-file'],
  });
  held.on('transaction', (transaction, open) => {
    if (!hooks.has(HOOK) || !(options['notify-during-sync'] || isRecent(transaction, open.syncStatus()))) return;
    hooks.notify(HOOK, transactionEvent(transaction));
  });
  return hooks;
}
