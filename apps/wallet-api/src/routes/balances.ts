import { walletApi } from '@wrkz/api';
import { checkAddress, type SubWallet, walletError, type WalletSnapshot } from '@wrkz/wallet-core';
import { walletErrors } from '../errors';
import { access, declareWalletRoute, type WalletRoute } from './declare';

const getBalance = declareWalletRoute({
  method: 'GET',
  path: '/balance',
  summary: 'Returns the balance of the whole wallet.',
  description:
    'Atomic units. `unlocked` can be spent now. `locked` becomes spendable later: it waits for its unlock time, ' +
    'or it is the change of an unconfirmed send.',
  ...access('read'),
  response: walletApi.balanceResponse,
  errors: [],
  handle: ({ wallets }) => wallets.require().wallet.snapshot.balance(),
});

const getAddressBalance = declareWalletRoute({
  method: 'GET',
  path: '/balance/{address}',
  summary: 'Returns the balance of one address.',
  description: 'Atomic units; `locked` and `unlocked` as in `GET /balance`.',
  ...access('read'),
  params: walletApi.addressParams,
  response: walletApi.balanceResponse,
  errors: walletErrors('addressNotValid', 'addressNotInWallet'),
  handle: ({ wallets }, { path }) => {
    const { snapshot } = wallets.require().wallet;
    return snapshot.balanceOf(findSubWallet(snapshot, path.address));
  },
});

const getBalances = declareWalletRoute({
  method: 'GET',
  path: '/balances',
  summary: 'Returns the balance of every address.',
  description: 'Atomic units; one entry per address in the order of `GET /addresses`.',
  ...access('read'),
  response: walletApi.balancesResponse,
  errors: [],
  handle: ({ wallets }) => {
    const { snapshot } = wallets.require().wallet;
    return snapshot.subWallets.map((subWallet) => ({ address: subWallet.address, ...snapshot.balanceOf(subWallet) }));
  },
});

/** Finds a sub-wallet. Unlike in other routes, the text of addressNotInWallet includes the address. */
function findSubWallet({ subWallets }: WalletSnapshot, address: string): SubWallet {
  const found = subWallets.find((subWallet) => subWallet.address === address);
  if (found !== undefined) return found;
  checkAddress(address, { allowIntegrated: false });
  throw walletError.addressNotInWallet(address);
}

export const BALANCE_ROUTES: readonly WalletRoute[] = [getBalance, getAddressBalance, getBalances];
