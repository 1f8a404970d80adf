import { resolve } from 'node:path';
import { walletApi } from '@wrkz/api';
import { isJsonObject, parseUniqueJson, rawBody, type RouteRequest } from '@wrkz/service-kit';
import {
  scanFrom,
  Wallet,
  type WalletContent,
  walletError,
  walletFromKeys,
  walletFromSeed,
  walletFromViewKey,
} from '@wrkz/wallet-core';
import { isForeignFile, nodeChoice, type NodeFields, systemText } from '@wrkz/wallet-server';
import { badRequest, walletErrors, withSystemText } from '../errors';
import { type FilePolicy, resolveFile } from '../file-paths';
import type { WalletFactory } from '../wallet-manager';
import { access, declareWalletRoute, type WalletApiContext, type WalletRoute } from './declare';

const FILE_NOTE =
  '`filename` is relative to `--wallet-dir`. `daemonHost` defaults to 127.0.0.1 and `daemonPort` to the RPC port ' +
  'of the network; the response does not wait for the scan.';
const SCAN_NOTE =
  '`scanHeight` is the first block to scan; a height shortly before the first payment saves time (default 0).';

/** Of every route that opens a wallet. */
const OPEN_ERRORS = ['daemonOffline', 'walletFileInUse', 'walletDatabaseForeign', 'foreignNetwork'] as const;
const CREATE_ERRORS = ['walletFileAlreadyExists', 'invalidWalletFilename', ...OPEN_ERRORS] as const;

const openWallet = declareWalletRoute({
  method: 'POST',
  path: '/wallet/open',
  summary: 'Opens a wallet file.',
  description:
    'Files of the C++ programs are accepted; an old format is converted and the original is retained as a backup. ' +
    'A node of another network is refused if it responds within 2 seconds; otherwise the wallet is opened without it. ' +
    FILE_NOTE,
  ...access('admin', { wallet: 'closed', audit: 'open-wallet' }),
  body: walletApi.openBody,
  response: walletApi.noContent,
  errors: walletErrors(
    ...OPEN_ERRORS,
    'filenameNonExistent',
    'notAWalletFile',
    'walletFileCorrupted',
    'wrongPassword',
    'unsupportedWalletFileFormatVersion',
  ),
  handle: (context, { body, http }) =>
    openWith(context, body, http, { isNew: false }, (parts, settings) => Wallet.open(parts, settings)),
});

const createWallet = declareWalletRoute({
  method: 'POST',
  path: '/wallet/create',
  summary: 'Creates a wallet with new keys and opens it.',
  description: `Back up the seed afterwards: \`GET /keys/mnemonic/{address}\` of the primary address. ${FILE_NOTE}`,
  ...access('admin', { wallet: 'closed', audit: 'create-wallet' }),
  body: walletApi.openBody,
  response: walletApi.noContent,
  errors: walletErrors(...CREATE_ERRORS),
  handle: (context, { body, http }) => createWith(context, body, http),
});

const importKeys = declareWalletRoute({
  method: 'POST',
  path: '/wallet/import/key',
  summary: 'Creates a wallet from its private keys and opens it.',
  description: `Restores the primary address of a wallet. ${SCAN_NOTE} ${FILE_NOTE}`,
  ...access('admin', { wallet: 'closed', audit: 'import-wallet' }),
  body: walletApi.importKeyBody,
  response: walletApi.noContent,
  errors: walletErrors(...CREATE_ERRORS, 'invalidPrivateKey'),
  handle: (context, { body, http }) =>
    createWith(context, body, http, () =>
      walletFromKeys(body.privateViewKey, body.privateSpendKey, scanFrom(body.scanHeight ?? 0)),
    ),
});

const importSeed = declareWalletRoute({
  method: 'POST',
  path: '/wallet/import/seed',
  summary: 'Creates a wallet from its mnemonic seed and opens it.',
  description:
    '`mnemonicSeed` is 25 words separated by blanks. Restore further addresses with `POST ' +
    `/addresses/import/deterministic\`. ${SCAN_NOTE} ${FILE_NOTE}`,
  ...access('admin', { wallet: 'closed', audit: 'import-wallet' }),
  body: walletApi.importSeedBody,
  response: walletApi.noContent,
  errors: walletErrors(
    ...CREATE_ERRORS,
    'mnemonicWrongLength',
    'mnemonicInvalidWord',
    'mnemonicInvalidChecksum',
    'invalidMnemonic',
    'invalidPrivateKey',
  ),
  handle: (context, { body, http }) =>
    createWith(context, body, http, () => walletFromSeed(body.mnemonicSeed, scanFrom(body.scanHeight ?? 0))),
});

const importView = declareWalletRoute({
  method: 'POST',
  path: '/wallet/import/view',
  summary: 'Creates a view wallet and opens it.',
  description:
    'A view wallet reports incoming payments and cannot spend; it does not see outgoing ones. Use it on machines ' +
    `that only watch. ${SCAN_NOTE} ${FILE_NOTE}`,
  ...access('admin', { wallet: 'closed', audit: 'import-wallet' }),
  body: walletApi.importViewBody,
  response: walletApi.noContent,
  errors: walletErrors(
    ...CREATE_ERRORS,
    'invalidPrivateKey',
    'addressWrongLength',
    'addressWrongPrefix',
    'addressIsIntegrated',
    'addressNotValid',
  ),
  handle: (context, { body, http }) =>
    createWith(context, body, http, () =>
      walletFromViewKey(body.privateViewKey, body.address, scanFrom(body.scanHeight ?? 0)),
    ),
});

const closeWallet = declareWalletRoute({
  method: 'DELETE',
  path: '/wallet',
  summary: 'Saves and closes the wallet.',
  description: 'The file is not deleted. The wallet is closed even if saving fails; the response is then error 2.',
  ...access('admin', { audit: 'close-wallet' }),
  response: walletApi.noContent,
  errors: walletErrors('invalidWalletFilename'),
  handle: async ({ wallets }) => {
    await wallets.close();
    return undefined;
  },
});

const changePassword = declareWalletRoute({
  method: 'PUT',
  path: '/wallet/password',
  summary: 'Changes the password of the wallet file.',
  description: '`password` is the current one. The file is saved with the new password before the response.',
  ...access('admin', { audit: 'change-password' }),
  body: walletApi.passwordBody,
  response: walletApi.noContent,
  errors: walletErrors('wrongPassword', 'invalidWalletFilename', 'walletDatabaseDamaged'),
  handle: async ({ wallets }, { body }) => {
    await wallets.withWallet(async ({ wallet }) => {
      if (!wallet.isPassword(body.password)) throw walletError.wrongPassword();
      await wallet.changePassword(body.newPassword);
    });
    return undefined;
  },
});

const saveWallet = declareWalletRoute({
  method: 'PUT',
  path: '/save',
  summary: 'Saves the wallet file.',
  description:
    'The wallet database beside the file stores every change immediately. The file itself is written by this request, ' +
    'when the wallet is closed, and at most every 10 minutes while there are changes. To copy a wallet use `POST ' +
    '/backup`.',
  ...access('receive'),
  response: walletApi.noContent,
  errors: walletErrors('invalidWalletFilename', 'walletDatabaseDamaged'),
  handle: async ({ wallets }) => {
    await wallets.require().wallet.save();
    return undefined;
  },
});

const backupWallet = declareWalletRoute({
  method: 'POST',
  path: '/backup',
  summary: 'Writes a verified backup of the open wallet.',
  description:
    'Saves the wallet, copies the file to `file` and the wallet database to `file` with `.db` appended, and opens both ' +
    'copies with the keys of the wallet before the response. `file` is relative to `--wallet-dir`; nothing is ' +
    'overwritten. Sends wait meanwhile. `wrkz-wallet-api restore <backup> <file>` restores it; it has the password ' +
    'that the wallet has now.',
  ...access('admin', { audit: 'backup' }),
  body: walletApi.backupBody,
  response: walletApi.noContent,
  errors: walletErrors('invalidWalletFilename', 'walletFileAlreadyExists', 'walletDatabaseDamaged'),
  handle: async ({ wallets, files, audit }, { body, http }) => {
    audit?.note(http.request, { file: body.file });
    const file = resolveFile(body.file, files);
    if (file === undefined) throw walletError.invalidWalletFilename();
    await wallets.require().wallet.backup(file);
    return undefined;
  },
});

const resetWallet = declareWalletRoute({
  method: 'PUT',
  path: '/reset',
  summary: 'Discards all transactions and rescans the chain.',
  description:
    'Use it when the balance is wrong. Keys and addresses are retained; payments below `scanHeight` (default 0) are ' +
    'not found again. Pending sends are still submitted and new sends do not spend their inputs, but the balance ' +
    'includes them only when a block contains them.',
  ...access('admin', { audit: 'reset-wallet' }),
  body: walletApi.resetBody,
  response: walletApi.noContent,
  errors: walletErrors('liteNodeCannotRescanThatLow', 'invalidWalletFilename', 'walletDatabaseDamaged'),
  handle: async ({ wallets }, { body, http }) => {
    if (isMalformed(rawBody(http.request))) throw badRequest();
    await wallets.require().wallet.reset(body.scanHeight ?? 0);
    return undefined;
  },
});

const exportWallet = declareWalletRoute({
  method: 'POST',
  path: '/export/json',
  summary: 'Writes the wallet content to a plain JSON file.',
  description:
    'The file contains all private keys unencrypted: delete it after use. `filename` is relative to ' +
    '`--wallet-dir`. An earlier export is overwritten, any other existing file is not.',
  ...access('admin', { audit: 'export-wallet' }),
  body: walletApi.exportBody,
  response: walletApi.noContent,
  errors: walletErrors('invalidWalletFilename'),
  handle: async ({ wallets, files }, { body }) => {
    const file = resolveFile(body.filename, files);
    if (file === undefined) throw walletError.invalidWalletFilename(refusedNameText(body.filename, files));
    if (await isForeignFile(file)) throw walletError.invalidWalletFilename(systemText('EEXIST') ?? '');
    try {
      await wallets.withWallet(({ wallet }) => wallet.exportPlain(file));
    } catch (error) {
      throw withSystemText(error);
    }
    return undefined;
  },
});

/** Creates a wallet as `openWith`, by default with new keys. */
function createWith(
  context: WalletApiContext,
  body: Parameters<typeof openWith>[1],
  http: RouteRequest['http'],
  content?: () => WalletContent,
): Promise<undefined> {
  return openWith(context, body, http, { isNew: true }, (parts, settings) => Wallet.create(parts, settings, content));
}

/**
 * Opens a wallet through a factory of wallet-core.
 * @throws WalletError, filenameNonExistent or invalidWalletFilename for a path outside the directory; HttpError 403 when a
 * wallet is open
 */
async function openWith(
  { wallets, files, network, audit }: WalletApiContext,
  body: NodeFields & { readonly filename: string; readonly password: string },
  { request }: RouteRequest['http'],
  { isNew }: { readonly isNew: boolean },
  factory: WalletFactory,
): Promise<undefined> {
  audit?.note(request, { file: body.filename });
  const file = resolveFile(body.filename, files);
  if (file === undefined) throw isNew ? walletError.invalidWalletFilename() : walletError.filenameNonExistent();
  await wallets.open(factory, { file, password: body.password, node: nodeChoice(body, { network }), isNew });
}

/**
 * Whether a body is present but not a JSON object. Ignoring it, as other routes do, would reset the wallet to height 0.
 */
function isMalformed(body: Buffer): boolean {
  if (body.length === 0) return false;
  try {
    return !isJsonObject(parseUniqueJson(body.toString('utf8')));
  } catch {
    return true;
  }
}

/** The error text of the C++ program for a file name that cannot be written. */
function refusedNameText(name: string, { directory }: FilePolicy): string {
  const isDirectory = resolve(directory, name) === directory;
  return systemText(name === '' ? 'ENOENT' : isDirectory ? 'EISDIR' : 'EACCES') ?? '';
}

export const WALLET_FILE_ROUTES: readonly WalletRoute[] = [
  openWallet,
  createWallet,
  importKeys,
  importSeed,
  importView,
  closeWallet,
  changePassword,
  saveWallet,
  backupWallet,
  resetWallet,
  exportWallet,
];
