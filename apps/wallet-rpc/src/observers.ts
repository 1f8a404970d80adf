import type { Logger, Metrics } from '@wrkz/service-kit';
import type { StoredEvent, Wallet } from '@wrkz/wallet-core';

/** Kinds of money events that the operator should look at. */
const WARNING_KINDS = new Set(['send-refused', 'send-given-up', 'contested-send-mined', 'sends-paused']);

/** Logs each money event with the fields that the wallet database has, and each ring fallback. */
export function logContainerEvents(wallet: Wallet, logger: Logger): void {
  wallet.on('event', (event) => {
    const level = WARNING_KINDS.has(event.kind) ? 'warning' : 'info';
    logger[level](`money event: ${event.kind}`, eventFields(event));
  });
  wallet.on('ringFallback', ({ requested, used }) => {
    logger.warning('a send used a smaller ring: the node has too few decoys', { requested, used });
  });
}

function eventFields({ kind: _kind, payload, ...fields }: StoredEvent): Record<string, unknown> {
  const all = { ...fields, ...(payload as Record<string, unknown> | undefined) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** Registers the metrics of the wallet, named as those of the wallet API (docs/operations/wallet-rpc.md#metrics). */
export function registerContainerMetrics(metrics: Metrics, wallet: Wallet): void {
  metrics.gauge('open', 'Whether a wallet is open: 1 or 0', [], (gauge) => gauge.set(wallet.isClosed ? 0 : 1));
  metrics.gauge('height', 'Block height of the wallet, its node and the network', ['of'], (gauge) => {
    const { walletHeight, localHeight, networkHeight } = wallet.syncStatus;
    gauge.set({ of: 'wallet' }, walletHeight);
    gauge.set({ of: 'node' }, localHeight);
    gauge.set({ of: 'network' }, networkHeight);
  });
  metrics.gauge('stalled', '1 while the synchronization is stalled, by reason code', ['code'], (gauge) => {
    gauge.reset();
    const { stall } = wallet.syncStatus;
    if (stall !== undefined) gauge.set({ code: stall.code }, 1);
  });
  metrics.gauge('transactions', 'Transactions of the wallet, confirmed or unconfirmed', ['state'], (gauge) => {
    const { transactions, unconfirmed } = wallet.snapshot.content;
    gauge.set({ state: 'confirmed' }, transactions.length);
    gauge.set({ state: 'unconfirmed' }, unconfirmed.length);
  });
  registerSendMetrics(metrics, wallet);
}

/** Sends by state, the pause, and counters since the start of the service. */
function registerSendMetrics(metrics: Metrics, wallet: Wallet): void {
  metrics.gauge('sends', 'Sends in no block: pending, or contested (refused or given up)', ['state'], (gauge) => {
    gauge.reset();
    for (const [state, count] of Object.entries(countSends(wallet))) gauge.set({ state }, count);
  });
  metrics.gauge('sends_paused', 'Whether sends are paused: 1 or 0', [], (gauge) =>
    gauge.set(wallet.pause.current === undefined ? 0 : 1),
  );
  const fallbacks = metrics.counter('ring_fallbacks_total', 'Sends that used a smaller ring than requested');
  const givenUp = metrics.counter('given_up_sends_total', 'Sends that were given up');
  wallet.on('ringFallback', () => fallbacks.inc());
  wallet.on('event', ({ kind }) => {
    if (kind === 'send-given-up') givenUp.inc();
  });
}

/** No counts while the database is damaged. A contested send can still be mined. */
function countSends({ dbIfUsable }: Wallet): Record<string, number> {
  try {
    const sends = dbIfUsable?.sends.all(['pending', 'refused', 'givenUp']);
    if (sends === undefined) return {};
    const pending = sends.filter(({ state }) => state === 'pending').length;
    const contested = sends.filter(({ state, signed }) => state !== 'pending' && signed !== undefined).length;
    return { pending, contested };
  } catch {
    return {};
  }
}
