import { walletApi } from '@wrkz/api';
import { Reply } from '@wrkz/service-kit';
import { checkAddress, integratedAddress } from '@wrkz/wallet-core';
import { walletErrors } from '../errors';
import { access, declareWalletRoute, type WalletRoute } from './declare';

const getAddresses = declareWalletRoute({
  method: 'GET',
  path: '/addresses',
  summary: 'Lists all addresses of the wallet.',
  description: 'The primary address comes first, then the other addresses in the order of their creation or import.',
  ...access('read'),
  response: walletApi.addressesResponse,
  errors: [],
  handle: ({ wallets }) => ({ addresses: [...wallets.require().wallet.snapshot.addresses] }),
});

const getPrimaryAddress = declareWalletRoute({
  method: 'GET',
  path: '/addresses/primary',
  summary: 'Returns the primary address.',
  description: 'The primary address was created with the wallet and cannot be deleted.',
  ...access('read'),
  response: walletApi.addressResponse,
  errors: [],
  handle: ({ wallets }) => ({ address: wallets.require().wallet.snapshot.primary?.address ?? '' }),
});

const WRITES = ['invalidWalletFilename', 'walletDatabaseDamaged'] as const;

const createAddress = declareWalletRoute({
  method: 'POST',
  path: '/addresses/create',
  summary: 'Creates the next deterministic address.',
  description:
    'The keys are derived from the private spend key of the primary address and `walletIndex`, so the seed of the ' +
    'wallet restores them. The wallet is saved before the response. `privateSpendKey` is returned to keys of the ' +
    'scope admin only.',
  ...access('receive', { viewWallet: false, audit: 'create-address' }),
  response: walletApi.createdAddressResponse,
  status: 201,
  errors: walletErrors('illegalViewWalletOperation', 'walletIndexTooLarge', ...WRITES),
  handle: async ({ wallets, authenticator, audit }, { http }) => {
    const { address, privateSpendKey, publicSpendKey, walletIndex } = await wallets.require().wallet.createSubWallet();
    audit?.note(http.request, { address });
    const isAdmin = authenticator.grantOf(http.request).scope === 'admin';
    return new Reply(201, { address, ...(isAdmin ? { privateSpendKey } : {}), publicSpendKey, walletIndex });
  },
});

const importAddress = declareWalletRoute({
  method: 'POST',
  path: '/addresses/import',
  summary: 'Imports an address by its private spend key.',
  description:
    'The address uses the private view key of the wallet. The chain is rescanned from `scanHeight` (default 0). ' +
    'Back up the key separately: the seed of the wallet does not restore it.',
  ...access('admin', { viewWallet: false, audit: 'import-address' }),
  body: walletApi.importAddressBody,
  response: walletApi.addressResponse,
  status: 201,
  errors: walletErrors('illegalViewWalletOperation', 'invalidPrivateKey', 'subwalletAlreadyExists', ...WRITES),
  handle: async ({ wallets, audit }, { body, http }) => {
    const { wallet } = wallets.require();
    const { address } = await wallet.importSubWallet(body.privateSpendKey, body.scanHeight ?? 0);
    audit?.note(http.request, { address });
    return new Reply(201, { address });
  },
});

const importDeterministicAddress = declareWalletRoute({
  method: 'POST',
  path: '/addresses/import/deterministic',
  summary: 'Imports the deterministic address of an index.',
  description:
    'Use it after a restore from the seed to restore addresses created by `POST /addresses/create`. `walletIndex` ' +
    'is the number that the creation returned. The chain is rescanned from `scanHeight` (default 0).',
  ...access('admin', { viewWallet: false, audit: 'import-address' }),
  body: walletApi.importDeterministicBody,
  response: walletApi.addressResponse,
  status: 201,
  errors: walletErrors('illegalViewWalletOperation', 'walletIndexTooLarge', 'subwalletAlreadyExists', ...WRITES),
  handle: async ({ wallets, audit }, { body, http }) => {
    const { wallet } = wallets.require();
    const { address } = await wallet.importDeterministicSubWallet(body.walletIndex, body.scanHeight ?? 0);
    audit?.note(http.request, { address });
    return new Reply(201, { address });
  },
});

const importViewAddress = declareWalletRoute({
  method: 'POST',
  path: '/addresses/import/view',
  summary: 'Imports an address into a view wallet by its public spend key.',
  description:
    'The view wallet then reports payments to the address but cannot spend them. The chain is rescanned from ' +
    '`scanHeight` (default 0).',
  ...access('admin', { audit: 'import-address' }),
  body: walletApi.importViewAddressBody,
  response: walletApi.addressResponse,
  status: 201,
  errors: walletErrors('invalidPublicKey', 'illegalNonViewWalletOperation', 'subwalletAlreadyExists', ...WRITES),
  handle: async ({ wallets, audit }, { body, http }) => {
    const { wallet } = wallets.require();
    const { address } = await wallet.importViewSubWallet(body.publicSpendKey, body.scanHeight ?? 0);
    audit?.note(http.request, { address });
    return new Reply(201, { address });
  },
});

const validateAddress = declareWalletRoute({
  method: 'POST',
  path: '/addresses/validate',
  summary: 'Validates and decodes an address.',
  description:
    'Works for any standard or integrated address and without an open wallet. An integrated address is split into ' +
    '`actualAddress` and `paymentID`; for a standard address `paymentID` is empty.',
  ...access('read', { wallet: 'any' }),
  body: walletApi.validateBody,
  response: walletApi.validateResponse,
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

const getIntegratedAddress = declareWalletRoute({
  method: 'GET',
  path: '/addresses/{address}/{paymentId}',
  summary: 'Combines an address and a payment ID into an integrated address.',
  description:
    'Give each customer an integrated address to recognise payments by their payment ID. `address` is any ' +
    'standard address; `paymentId` is 16 or 64 hex digits.',
  ...access('read'),
  params: walletApi.integratedParams,
  response: walletApi.integratedResponse,
  errors: walletErrors('addressNotValid'),
  handle: (_context, { path }) => ({ integratedAddress: integratedAddress(path.address, path.paymentId) }),
});

const deleteAddress = declareWalletRoute({
  method: 'DELETE',
  path: '/addresses/{address}',
  summary: 'Deletes an address with its keys and transactions.',
  description:
    'The primary address cannot be deleted. Coins of a deleted address are lost unless its private spend key is ' +
    'backed up or the address is deterministic.',
  ...access('admin', { audit: 'delete-address' }),
  params: walletApi.addressParams,
  response: walletApi.noContent,
  errors: walletErrors('addressNotValid', 'addressNotInWallet', 'cannotDeletePrimaryAddress', ...WRITES),
  handle: async ({ wallets }, { path }) => {
    await wallets.require().wallet.removeSubWallet(path.address);
    return undefined;
  },
});

export const ADDRESS_ROUTES: readonly WalletRoute[] = [
  getAddresses,
  getPrimaryAddress,
  createAddress,
  importAddress,
  importDeterministicAddress,
  importViewAddress,
  validateAddress,
  getIntegratedAddress,
  deleteAddress,
];
