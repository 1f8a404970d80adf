import { walletApi } from '@wrkz/api';
import { integratedAddress } from '@wrkz/wallet-core';
import { declareRoute, KEY, walletErrors } from './declare';

export const getAddressesAddressPaymentId = declareRoute({
  method: 'GET',
  path: '/addresses/{address}/{paymentId}',
  summary: 'The integrated address of any plain one.',
  guards: KEY,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  params: walletApi.integratedParams,
  answer: walletApi.integratedAnswer,
  errors: walletErrors('addressNotValid'),
  handle: (_context, { path }) => ({ integratedAddress: integratedAddress(path.address, path.paymentId) }),
});
