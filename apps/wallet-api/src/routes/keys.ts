import { walletApi } from '@wrkz/api';
import { seedOf, subWalletOf, walletError } from '@wrkz/wallet-core';
import { walletErrors } from '../errors';
import { access, declareWalletRoute, type WalletRoute } from './declare';

const getViewKey = declareWalletRoute({
  method: 'GET',
  path: '/keys',
  summary: 'Returns the private view key.',
  description:
    'All addresses of the wallet share this key. It reveals all incoming payments but cannot spend. Use it to ' +
    'create a view wallet with `POST /wallet/import/view`.',
  ...access('admin', { audit: 'read-keys' }),
  response: walletApi.viewKeyResponse,
  errors: [],
  handle: ({ wallets }) => ({ privateViewKey: wallets.require().wallet.snapshot.content.privateViewKey }),
});

const getSpendKeys = declareWalletRoute({
  method: 'GET',
  path: '/keys/{address}',
  summary: 'Returns the spend keys of an address.',
  description:
    'The private spend key controls all coins of the address. `walletIndex` is the index of an address made by ' +
    '`POST /addresses/create`, and 0 for every other address.',
  ...access('admin', { viewWallet: false, audit: 'read-keys' }),
  params: walletApi.addressParams,
  response: walletApi.spendKeysResponse,
  errors: walletErrors('illegalViewWalletOperation', 'addressNotValid', 'addressNotInWallet'),
  handle: ({ wallets }, { path }) => {
    const { content } = wallets.require().wallet.snapshot;
    const { publicSpendKey, privateSpendKey, walletIndex } = subWalletOf(content, path.address);
    if (privateSpendKey === undefined) throw walletError.illegalViewWalletOperation();
    return { privateSpendKey, publicSpendKey, walletIndex };
  },
});

const getMnemonicSeed = declareWalletRoute({
  method: 'GET',
  path: '/keys/mnemonic/{address}',
  summary: 'Returns the mnemonic seed of an address.',
  description:
    '25 words that restore the address with `POST /wallet/import/seed`. Only addresses whose view key derives ' +
    'from their spend key have a seed: usually the primary address alone.',
  ...access('admin', { viewWallet: false, audit: 'read-keys' }),
  params: walletApi.addressParams,
  response: walletApi.mnemonicResponse,
  errors: walletErrors('illegalViewWalletOperation', 'addressNotValid', 'addressNotInWallet', 'keysNotDeterministic'),
  handle: ({ wallets }, { path }) => {
    const { content } = wallets.require().wallet.snapshot;
    return { mnemonicSeed: seedOf(subWalletOf(content, path.address).privateSpendKey, content.privateViewKey) };
  },
});

export const KEY_ROUTES: readonly WalletRoute[] = [getViewKey, getSpendKeys, getMnemonicSeed];
