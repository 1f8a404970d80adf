import { walletRpcApi } from '@wrkz/api';
import { integratedAddress } from '@wrkz/wallet-core';
import { requirePlain } from '../records/own-address';
import { requirePaymentId } from '../records/texts';
import { applicationRefusal } from '../refusals';
import { applicationErrors, declareWalletMethod } from '../declare';

export const createIntegratedAddressMethod = declareWalletMethod({
  name: 'createIntegratedAddress',
  summary: 'An address and a payment id in one.',
  params: walletRpcApi.integrateParams,
  paramsOptional: true,
  result: walletRpcApi.integratedResult,
  errors: applicationErrors('badAddress', 'wrongPaymentId'),
  handle: (_context, { address, paymentId }) => {
    requirePlain(address);
    requirePaymentId(paymentId);
    if (paymentId === '') throw applicationRefusal('wrongPaymentId');
    return { integratedAddress: integratedAddress(address, paymentId) };
  },
});
