import { walletRpcApi } from '@wrkz/api';
import { addNewKey, addPublicKey, addSecretKeys } from '../records/new-keys';
import { envelopeRefusal } from '../refusals';
import { applicationErrors, declareWalletMethod } from '../declare';

export const createAddressMethod = declareWalletMethod({
  name: 'createAddress',
  summary: 'Adds an address: of a new key, of a secret key, or of a public key to a container that tracks.',
  params: walletRpcApi.createAddressParams,
  paramsOptional: true,
  result: walletRpcApi.createdAddress,
  errors: applicationErrors('wrongKey', 'cannotMakeKey', 'wrongParameters', 'addressExists', 'cannotWrite'),
  handle: async (context, { spendSecretKey, spendPublicKey, newAddress, scanHeight }) => {
    const hasBoth = spendSecretKey !== undefined && spendPublicKey !== undefined;
    if (hasBoth || (newAddress !== undefined && scanHeight !== undefined)) throw envelopeRefusal('params');
    const from = newAddress === true ? undefined : (scanHeight ?? 0);
    if (spendPublicKey !== undefined) return { address: await addPublicKey(context, spendPublicKey, from) };
    if (spendSecretKey === undefined) return { address: await addNewKey(context) };
    const [address = ''] = await addSecretKeys(context, [spendSecretKey], from);
    return { address };
  },
});
