import { type HookEvent, type Logger, type Metrics, NotificationHooks } from '@wrkz/service-kit';
import type { StoredEvent, Wallet, WalletTransaction } from '@wrkz/wallet-core';
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

/** Kinds of money events that the operator should look at. */
const WARNING_KINDS = new Set([
  'send-refused',
  'send-given-up',
  'contested-send-mined',
  'sends-paused',
  'transaction-unverified',
  'transaction-disproved',
]);

/** Logs each money event with the fields that the wallet database has, and each ring fallback. */
export function logMoneyEvents(wallets: WalletManager, logger: Logger): void {
  wallets.on('moneyEvent', (event) => {
    const level = WARNING_KINDS.has(event.kind) ? 'warning' : 'info';
    logger[level](`money event: ${event.kind}`, eventFields(event));
  });
  wallets.on('ringFallback', ({ requested, used }) => {
    logger.warning('a send used a smaller ring: the node has too few decoys', { requested, used });
  });
}

function eventFields({ kind: _kind, payload, ...fields }: StoredEvent): Record<string, unknown> {
  const all = { ...fields, ...(payload as Record<string, unknown> | undefined) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
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
  registerSendMetrics(metrics, wallets);
}

/** Sends by state, the pause, and counters since the start of the service. */
function registerSendMetrics(metrics: Metrics, wallets: WalletManager): void {
  metrics.gauge('sends', 'Sends in no block: pending, or contested (refused or given up)', ['state'], (gauge) => {
    gauge.reset();
    for (const [state, count] of Object.entries(countSends(wallets.current?.wallet))) gauge.set({ state }, count);
  });
  metrics.gauge('sends_paused', 'Whether sends are paused: 1 or 0', [], (gauge) => {
    gauge.reset();
    const { current } = wallets;
    if (current !== undefined) gauge.set(current.wallet.pause.current === undefined ? 0 : 1);
  });
  const fallbacks = metrics.counter('ring_fallbacks_total', 'Sends that used a smaller ring than requested');
  const givenUp = metrics.counter('given_up_sends_total', 'Sends that were given up');
  wallets.on('ringFallback', () => fallbacks.inc());
  wallets.on('moneyEvent', ({ kind }) => {
    if (kind === 'send-given-up') givenUp.inc();
  });
}

/** No counts without a wallet or while its database is damaged. A contested send can still be mined. */
function countSends(wallet: Wallet | undefined): Record<string, number> {
  try {
    const sends = wallet?.dbIfUsable?.sends.all(['pending', 'refused', 'givenUp']);
    if (sends === undefined) return {};
    const pending = sends.filter(({ state }) => state === 'pending').length;
    const contested = sends.filter(({ state, signed }) => state !== 'pending' && signed !== undefined).length;
    return { pending, contested };
  } catch {
    return {};
  }
}
