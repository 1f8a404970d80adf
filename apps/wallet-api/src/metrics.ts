import type { Metrics } from '@wrkz/service-kit';
import type { OpenWallet } from './open-wallet';

/** Publishes where the open wallet stands; a closed one has no figures (docs/operations/wallet-api.md#metrics). */
export function publishFigures(metrics: Metrics, held: OpenWallet): void {
  metrics.gauge('open', 'Whether a wallet is open: 1 or 0', [], (gauge) =>
    gauge.set(held.current === undefined ? 0 : 1),
  );
  metrics.gauge('height', 'Index of a block: of the wallet, its node, the network', ['of'], (gauge) => {
    gauge.reset();
    const { current } = held;
    if (current === undefined) return;
    const { walletHeight, localHeight, networkHeight } = current.syncStatus();
    gauge.set({ of: 'wallet' }, walletHeight);
    gauge.set({ of: 'node' }, localHeight);
    gauge.set({ of: 'network' }, networkHeight);
  });
  metrics.gauge('stalled', 'Whether something holds the synchronization up: 1, by its code', ['code'], (gauge) => {
    gauge.reset();
    const stall = held.current?.syncStatus().stall;
    if (stall !== undefined) gauge.set({ code: stall.code }, 1);
  });
  metrics.gauge('transactions', 'Transactions of the wallet, in blocks or not', ['state'], (gauge) => {
    gauge.reset();
    const content = held.current?.wallet.snapshot.content;
    if (content === undefined) return;
    gauge.set({ state: 'confirmed' }, content.transactions.length);
    gauge.set({ state: 'unconfirmed' }, content.unconfirmed.length);
  });
}
