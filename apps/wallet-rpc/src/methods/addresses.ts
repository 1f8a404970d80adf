import { walletRpcApi } from '@wrkz/api';
import { generateKeyPair } from '@wrkz/crypto';
import { integratedAddress, isWalletError } from '@wrkz/wallet-core';
import { hex64, requirePaymentId, requirePlain, requireSubWallet } from '../checks';
import type { WalletRpcContext } from '../context';
import { applicationError, envelopeError } from '../errors';
import { applicationErrors, declareWalletMethod } from './declare';

const WRITES = ['cannotWrite', 'walletDatabaseDamaged'] as const;

export const addressMethods = [
  declareWalletMethod({
    name: 'getAddresses',
    summary: 'Returns the addresses of the container in the order of their creation.',
    params: walletRpcApi.noParams,
    result: walletRpcApi.addressList,
    errors: [],
    handle: ({ wallet }) => ({ addresses: [...wallet.snapshot.addresses] }),
  }),
  declareWalletMethod({
    name: 'createAddress',
    summary:
      'Adds an address with a new key, a given secret spend key, or (view-only container) a given public spend key.',
    params: walletRpcApi.createAddressParams,
    result: walletRpcApi.createdAddress,
    errors: applicationErrors('wrongKey', 'cannotMakeKey', 'wrongParameters', 'addressExists', ...WRITES),
    handle: async (context, { spendSecretKey, spendPublicKey, newAddress, scanHeight }) => {
      const hasBoth = spendSecretKey !== undefined && spendPublicKey !== undefined;
      if (hasBoth || (newAddress !== undefined && scanHeight !== undefined)) throw envelopeError('params');
      const from = newAddress === true ? undefined : (scanHeight ?? 0);
      if (spendPublicKey !== undefined) return { address: await addPublicKey(context, spendPublicKey, from) };
      if (spendSecretKey === undefined) return { address: await addNewAddress(context) };
      const [address = ''] = await addSecretKeys(context, [spendSecretKey], from);
      return { address };
    },
  }),
  declareWalletMethod({
    name: 'createAddressList',
    summary: 'Adds the addresses of a list of secret spend keys: all of them or, after an error, none.',
    params: walletRpcApi.createAddressListParams,
    result: walletRpcApi.addressList,
    errors: applicationErrors(
      'duplicateKey',
      'wrongKey',
      'cannotMakeKey',
      'wrongParameters',
      'addressExists',
      ...WRITES,
    ),
    handle: async (context, { spendSecretKeys, newAddress, scanHeight }) => {
      if (newAddress !== undefined && scanHeight !== undefined) throw envelopeError('params');
      const from = newAddress === true ? undefined : (scanHeight ?? 0);
      return { addresses: await addSecretKeys(context, spendSecretKeys, from) };
    },
  }),
  declareWalletMethod({
    name: 'deleteAddress',
    summary: 'Deletes an address, its key and its balance from the container.',
    params: walletRpcApi.ofAddress,
    result: walletRpcApi.done,
    errors: applicationErrors('badAddress', 'objectNotFound', ...WRITES),
    handle: async ({ wallet, pool }, { address }) => {
      requireSubWallet(wallet.snapshot, address, 'objectNotFound');
      await wallet.removeAnySubWallet(address);
      pool.rescan();
      return {};
    },
  }),
  declareWalletMethod({
    name: 'createIntegratedAddress',
    summary: 'Combines an address and a payment id into an integrated address.',
    params: walletRpcApi.integrateParams,
    result: walletRpcApi.integratedResult,
    errors: applicationErrors('badAddress', 'wrongPaymentId'),
    handle: (_context, { address, paymentId }) => {
      requirePlain(address);
      requirePaymentId(paymentId);
      if (paymentId === '') throw applicationError('wrongPaymentId');
      return { integratedAddress: integratedAddress(address, paymentId) };
    },
  }),
  declareWalletMethod({
    name: 'getBalance',
    summary: 'Returns the available and the locked balance of one address, or of the whole container.',
    params: walletRpcApi.balanceParams,
    result: walletRpcApi.balanceResult,
    errors: applicationErrors('badAddress', 'walletNotFound'),
    handle: ({ wallet }, { address }) => {
      const { snapshot } = wallet;
      const keys = address === '' ? undefined : [requireSubWallet(snapshot, address, 'walletNotFound').publicSpendKey];
      const { unlocked, locked } = snapshot.balance(keys);
      return { availableBalance: unlocked, lockedAmount: locked };
    },
  }),
];

type Parts = Pick<WalletRpcContext, 'wallet' | 'pool'>;

/** Adds an address with a new key. @throws wrongParameters in a view-only container */
async function addNewAddress({ wallet }: Parts): Promise<string> {
  // Deterministic addresses are derived from the first one, so the first address gets a random key.
  if (wallet.snapshot.primary === undefined) {
    const privateSpendKeys = [generateKeyPair().secretKey.toString('hex')];
    const [first] = await wallet.importKeyList({ kind: 'secret', privateSpendKeys }, undefined);
    return first?.address ?? '';
  }
  return (await fitting(wallet.createSubWallet())).address;
}

/**
 * Adds all keys or none.
 * @param from height to scan from; undefined: the current height
 * @throws duplicateKey, wrongKey, cannotMakeKey, wrongParameters, addressExists
 */
async function addSecretKeys(
  { wallet, pool }: Parts,
  texts: readonly string[],
  from: number | undefined,
): Promise<string[]> {
  const seen = new Set<string>();
  const privateSpendKeys = texts.map((text) => {
    if (seen.has(text)) throw applicationError('duplicateKey');
    seen.add(text);
    const key = hex64(text);
    if (key === undefined) throw applicationError('wrongKey');
    return key;
  });
  if (privateSpendKeys.length === 0) return [];
  const made = await fitting(wallet.importKeyList({ kind: 'secret', privateSpendKeys }, from));
  pool.rescan();
  return made.map(({ address }) => address);
}

/** @throws wrongKey, wrongParameters, addressExists */
async function addPublicKey({ wallet, pool }: Parts, text: string, from: number | undefined): Promise<string> {
  const key = hex64(text);
  if (key === undefined) throw applicationError('wrongKey');
  const [made] = await fitting(wallet.importKeyList({ kind: 'public', publicSpendKeys: [key] }, from));
  pool.rescan();
  return made?.address ?? '';
}

/** Maps the errors for a kind of key that the container does not accept to wrongParameters. */
async function fitting<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw isWalletError(error, 'illegalViewWalletOperation') ? applicationError('wrongParameters') : error;
  }
}
