import { walletApi } from '@wrkz/api';
import { integratedAddress } from '@wrkz/wallet-core';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const getAddressesAddressPaymentId = declareWalletRoute({
  method: 'GET',
  path: '/addresses/{address}/{paymentId}',
  summary: 'The integrated address of any plain one.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  params: walletApi.integratedParams,
  answer: walletApi.integratedAnswer,
  errors: walletErrors('addressNotValid'),
  handle: (_context, { path }) => ({ integratedAddress: integratedAddress(path.address, path.paymentId) }),
});
