import type { IncomingMessage } from 'node:http';
import { walletError } from '@wrkz/wallet-core';
import type { WalletApiContext } from './context';
import { covers } from './keys/service-keys';
import { forbidden, walletRefusal } from './refusals';
import type { WalletLabels } from './routes/declare';

/**
 * Holds the labels of a route against the key and the wallet: what the key allows, then 403 in the wrong state, then 39 where
 * a view wallet will not do.
 */
export function admitToWallet(
  labels: WalletLabels | undefined,
  { keys, held }: Pick<WalletApiContext, 'keys' | 'held'>,
  request: IncomingMessage,
): void {
  if (labels === undefined) return;
  if (!covers(keys.grantOf(request).scope, labels.scope)) throw forbidden();
  const { current } = held;
  if (labels.wallet === 'open' && current === undefined) throw forbidden();
  if (labels.wallet === 'closed' && current !== undefined) throw forbidden();
  if (current?.wallet.snapshot.content.isViewWallet === true && !labels.viewWallet) {
    throw walletRefusal(walletError.illegalViewWalletOperation());
  }
}
