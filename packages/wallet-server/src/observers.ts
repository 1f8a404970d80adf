import type { Logger, Metrics } from '@wrkz/service-kit';
import type { StoredEvent, Wallet } from '@wrkz/wallet-core';

/** Listeners for the events of the open wallet. */
export interface WalletObserver {
  readonly event: (event: StoredEvent) => void;
  /** Both numbers are decoys per input. */
  readonly ringFallback: (fallback: { readonly requested: number; readonly used: number }) => void;
}

/** Kinds of money events that are logged as warnings. */
const WARNING_KINDS = new Set([
  'send-refused',
  'send-given-up',
  'contested-send-mined',
  'sends-paused',
  'transaction-unverified',
  'transaction-disproved',
  'ring-replaced',
]);

/** Logs each money event with its stored fields, and each ring fallback. */
export function moneyEventLogger(logger: Logger): WalletObserver {
  return {
    event: ({ kind, payload, ...fields }) => {
      const all = { ...fields, ...(payload as Record<string, unknown> | undefined) };
      const known = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
      logger[WARNING_KINDS.has(kind) ? 'warning' : 'info'](`money event: ${kind}`, known);
    },
    ringFallback: ({ requested, used }) => {
      logger.warning('a send used a smaller ring: the node has too few decoys', { requested, used });
    },
  };
}

/**
 * Registers the metrics of the open wallet (docs/operations/wallet-api.md#metrics).
 * @param current the open wallet; while no wallet is open, only the gauge `open` has a value
 * @returns the listeners that feed the counters
 */
export function registerWalletMetrics(metrics: Metrics, current: () => Wallet | undefined): WalletObserver {
  metrics.gauge('open', 'Whether a wallet is open: 1 or 0', [], (gauge) => gauge.set(current() === undefined ? 0 : 1));
  metrics.gauge('height', 'Block height of the wallet, its node and the network', ['of'], (gauge) => {
    gauge.reset();
    const status = current()?.syncStatus;
    if (status === undefined) return;
    gauge.set({ of: 'wallet' }, status.walletHeight);
    gauge.set({ of: 'node' }, status.localHeight);
    gauge.set({ of: 'network' }, status.networkHeight);
  });
  metrics.gauge('stalled', '1 while the synchronization is stalled, by reason code', ['code'], (gauge) => {
    gauge.reset();
    const stall = current()?.syncStatus.stall;
    if (stall !== undefined) gauge.set({ code: stall.code }, 1);
  });
  metrics.gauge('transactions', 'Transactions of the wallet, confirmed or unconfirmed', ['state'], (gauge) => {
    gauge.reset();
    const content = current()?.snapshot.content;
    if (content === undefined) return;
    gauge.set({ state: 'confirmed' }, content.transactions.length);
    gauge.set({ state: 'unconfirmed' }, content.unconfirmed.length);
  });
  metrics.gauge('sends', 'Sends in no block: pending, or contested (refused or given up)', ['state'], (gauge) => {
    gauge.reset();
    for (const [state, count] of Object.entries(countSends(current()))) gauge.set({ state }, count);
  });
  metrics.gauge('sends_paused', 'Whether sends are paused: 1 or 0', [], (gauge) => {
    gauge.reset();
    const wallet = current();
    if (wallet !== undefined) gauge.set(wallet.pause.current === undefined ? 0 : 1);
  });
  const fallbacks = metrics.counter('ring_fallbacks_total', 'Sends that used a smaller ring than requested');
  const givenUp = metrics.counter('given_up_sends_total', 'Sends that were given up');
  return {
    event: ({ kind }) => {
      if (kind === 'send-given-up') givenUp.inc();
    },
    ringFallback: () => fallbacks.inc(),
  };
}

/** Sends by state; empty without a wallet or while its database is damaged. A contested send can still be mined. */
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
