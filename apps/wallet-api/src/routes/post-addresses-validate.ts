import { walletApi } from '@wrkz/api';
import { checkAddress } from '@wrkz/wallet-core';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';

export const postAddressesValidate = declareWalletRoute({
  method: 'POST',
  path: '/addresses/validate',
  summary: 'Takes an address apart, whosever it is.',
  guards: KEY_WANTED,
  labels: { wallet: 'any', viewWallet: true, scope: 'read' },
  body: walletApi.validateBody,
  answer: walletApi.validateAnswer,
  errors: walletErrors(
    'addressWrongLength',
    'addressWrongPrefix',
    'addressNotBase58',
    'integratedAddressPaymentIdInvalid',
    'addressNotValid',
  ),
  handle: (_context, { body }) => {
    const { plain, paymentId, spendPublic, viewPublic } = checkAddress(body.address, { allowIntegrated: true });
    return {
      actualAddress: plain,
      isIntegrated: paymentId !== undefined,
      paymentID: paymentId ?? '',
      publicSpendKey: spendPublic.toString('hex'),
      publicViewKey: viewPublic.toString('hex'),
    };
  },
});
