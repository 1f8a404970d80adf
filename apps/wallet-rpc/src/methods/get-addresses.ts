import { walletRpcApi } from '@wrkz/api';
import { declareWalletMethod } from '../declare';

export const getAddressesMethod = declareWalletMethod({
  name: 'getAddresses',
  summary: 'The addresses of the container, in the order in which they were made.',
  params: walletRpcApi.noParams,
  paramsOptional: true,
  result: walletRpcApi.addressList,
  errors: [],
  handle: ({ wallet }) => ({ addresses: [...wallet.snapshot.addresses] }),
});
