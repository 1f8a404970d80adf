import { walletApi } from '@wrkz/api';
import { refusal } from '@wrkz/service-kit';
import { checkAddress } from '@wrkz/wallet-core';
import { walletErrors } from '../errors';
import { access, declareWalletRoute, NOT_FOUND, type WalletRoute } from './declare';

const getLabels = declareWalletRoute({
  method: 'GET',
  path: '/labels',
  summary: 'Lists the labels of addresses and transactions.',
  description: 'In the order of the first label of each subject. `subject` is an address or a transaction hash.',
  ...access('read'),
  response: walletApi.labelsResponse,
  errors: walletErrors('walletDatabaseDamaged'),
  handle: ({ wallets }) => ({ labels: [...wallets.require().wallet.db.labels.rows()] }),
});

const setLabel = declareWalletRoute({
  method: 'PUT',
  path: '/labels/{subject}',
  summary: 'Sets the label of an address or a transaction.',
  description:
    'Replaces an earlier label. `subject` is a standard address or a transaction hash, of this wallet or any other, ' +
    'for example the address of a customer. Labels are stored encrypted in the wallet database, not in the wallet ' +
    'file: a backup includes them, a restore from the seed does not restore them.',
  ...access('receive', { audit: 'set-label' }),
  params: walletApi.labelParams,
  body: walletApi.labelBody,
  response: walletApi.noContent,
  errors: walletErrors('addressNotValid', 'walletDatabaseDamaged', 'invalidWalletFilename'),
  handle: ({ wallets }, { path, body }) => {
    const { db } = wallets.require().wallet;
    const subject = subjectOf(path.subject);
    db.transaction(() => db.labels.put(subject, { subject, text: body.text }));
    return undefined;
  },
});

const deleteLabel = declareWalletRoute({
  method: 'DELETE',
  path: '/labels/{subject}',
  summary: 'Deletes the label of an address or a transaction.',
  description: '404 when the subject has no label.',
  ...access('receive', { audit: 'delete-label' }),
  params: walletApi.labelParams,
  response: walletApi.noContent,
  errors: [...walletErrors('addressNotValid', 'walletDatabaseDamaged', 'invalidWalletFilename'), NOT_FOUND],
  handle: ({ wallets }, { path }) => {
    const { db } = wallets.require().wallet;
    const subject = subjectOf(path.subject);
    if (!db.transaction(() => db.labels.delete(subject))) throw refusal('not_found');
    return undefined;
  },
});

/** Validates an address, or converts a hash to lower case. @throws WalletError addressNotValid */
function subjectOf(text: string): string {
  if (!text.startsWith('Wrkz')) return text.toLowerCase();
  return checkAddress(text, { allowIntegrated: false }).plain;
}

export const LABEL_ROUTES: readonly WalletRoute[] = [getLabels, setLabel, deleteLabel];
