import { walletRpcApi } from '@wrkz/api';
import { applicationRefusal } from '../refusals';
import { applicationErrors, declareWalletMethod } from '../declare';

export const getDelayedTransactionHashesMethod = declareWalletMethod({
  name: 'getDelayedTransactionHashes',
  summary: 'The transactions that wait to be sent.',
  params: walletRpcApi.noParams,
  paramsOptional: true,
  result: walletRpcApi.transactionHashList,
  errors: applicationErrors('trackingMode'),
  handle: ({ wallet, delayed }) => {
    if (wallet.snapshot.content.isViewWallet) throw applicationRefusal('trackingMode');
    return { transactionHashes: delayed.hashes() };
  },
});
