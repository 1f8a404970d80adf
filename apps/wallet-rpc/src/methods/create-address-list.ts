import { walletRpcApi } from '@wrkz/api';
import { addSecretKeys } from '../records/new-keys';
import { envelopeRefusal } from '../refusals';
import { applicationErrors, declareWalletMethod } from '../declare';

export const createAddressListMethod = declareWalletMethod({
  name: 'createAddressList',
  summary: 'Adds the addresses of secret keys, all or none.',
  params: walletRpcApi.createAddressListParams,
  paramsOptional: true,
  result: walletRpcApi.addressList,
  errors: applicationErrors(
    'duplicateKey',
    'wrongKey',
    'cannotMakeKey',
    'wrongParameters',
    'addressExists',
    'cannotWrite',
  ),
  handle: async (context, { spendSecretKeys, newAddress, scanHeight }) => {
    if (newAddress !== undefined && scanHeight !== undefined) throw envelopeRefusal('params');
    const from = newAddress === true ? undefined : (scanHeight ?? 0);
    return { addresses: await addSecretKeys(context, spendSecretKeys, from) };
  },
});
