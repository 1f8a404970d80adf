import { yieldToEventLoop } from '@wrkz/service-kit/base';
import { importedSubWallet, viewSubWallet } from '../keys/wallet-keys';
import type { ScanStart, SubWallet, WalletContent } from '../ledger/model';

/** Number of keys derived between two yields to the event loop. */
const KEYS_PER_SLICE = 50;

/** Keys to import: private spend keys, or public spend keys of a view wallet. */
export type NewKeys =
  | { readonly kind: 'secret'; readonly privateSpendKeys: readonly string[] }
  | { readonly kind: 'public'; readonly publicSpendKeys: readonly string[] };

/**
 * Creates the sub-wallets of all keys or, after an error, of none. A wallet without sub-wallets accepts either kind.
 * @throws WalletError illegalViewWalletOperation, illegalNonViewWalletOperation, invalidPublicKey, invalidPrivateKey,
 * subwalletAlreadyExists
 */
export async function subWalletsOf(
  content: WalletContent,
  keys: NewKeys,
  start: ScanStart,
): Promise<readonly SubWallet[]> {
  const all: SubWallet[] = [...content.subWallets];
  const isViewWallet = all.length === 0 ? keys.kind === 'public' : content.isViewWallet;
  const ring = { ...content, isViewWallet, subWallets: all };
  const texts = keys.kind === 'secret' ? keys.privateSpendKeys : keys.publicSpendKeys;
  const make = keys.kind === 'secret' ? importedSubWallet : viewSubWallet;
  for (const [i, text] of texts.entries()) {
    if (i % KEYS_PER_SLICE === KEYS_PER_SLICE - 1) await yieldToEventLoop();
    all.push(make(ring, text, start).subWallet);
  }
  return all.slice(content.subWallets.length);
}
