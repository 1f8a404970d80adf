import { walletApi } from '@wrkz/api';
import { Reply, refusal, type RouteRequest } from '@wrkz/service-kit';
import { type SendRequest, walletErrorRows } from '@wrkz/wallet-core';
import { walletErrors } from '../errors';
import { checkDestinations, mayUsePrepared } from '../key-limits';
import { access, declareWalletRoute, NOT_FOUND, type WalletApiContext, type WalletRoute } from './declare';
import {
  ADVANCED_BUILD_ERRORS,
  advancedRequest,
  BASIC_BUILD_ERRORS,
  basicRequest,
  LIMIT_ERRORS,
  PAUSE_ERRORS,
  sendResponse,
  sweepRequest,
} from './send-records';

const PREPARED_NOTE =
  'The transaction is built and signed but not sent; send it with `POST /transactions/send/prepared`. Its inputs ' +
  'are not locked. Use it to show the exact fee before a payment.';

const prepareBasic = declareWalletRoute({
  method: 'POST',
  path: '/transactions/prepare/basic',
  summary: 'Prepares a transaction to one address.',
  description: `Takes the body of \`POST /transactions/send/basic\`. ${PREPARED_NOTE}`,
  ...access('send', { viewWallet: false, audit: 'prepare' }),
  body: walletApi.basicBody,
  response: walletApi.builtResponse,
  status: 201,
  errors: [...BASIC_BUILD_ERRORS, ...LIMIT_ERRORS, ...PAUSE_ERRORS, ...walletErrors('invalidWalletFilename')],
  handle: (context, { body, http }) => prepare(context, http, basicRequest(body)),
});

const prepareAdvanced = declareWalletRoute({
  method: 'POST',
  path: '/transactions/prepare/advanced',
  summary: 'Prepares a transaction with chosen options.',
  description: `Takes the body of \`POST /transactions/send/advanced\`. ${PREPARED_NOTE}`,
  ...access('send', { viewWallet: false, audit: 'prepare' }),
  body: walletApi.advancedBody,
  response: walletApi.builtResponse,
  status: 201,
  errors: [...ADVANCED_BUILD_ERRORS, ...LIMIT_ERRORS, ...PAUSE_ERRORS, ...walletErrors('invalidWalletFilename')],
  handle: (context, { body, http }) => prepare(context, http, advancedRequest(body)),
});

const deletePrepared = declareWalletRoute({
  method: 'DELETE',
  path: '/transactions/prepared/{hash}',
  summary: 'Deletes a prepared transaction.',
  description: 'Frees its memory. A key with `allowedAddresses` can delete only transactions that it prepared.',
  ...access('send', { viewWallet: false, audit: 'delete-prepared' }),
  params: walletApi.preparedParams,
  response: walletApi.noContent,
  errors: [...walletErrors('illegalViewWalletOperation', 'invalidWalletFilename', 'walletDatabaseDamaged'), NOT_FOUND],
  handle: ({ wallets, authenticator }, { path, http }) => {
    const { wallet } = wallets.require();
    const isOwner = mayUsePrepared(authenticator.grantOf(http.request), wallet, path.hash);
    if (!isOwner || !wallet.deletePrepared(path.hash)) throw refusal('not_found');
    return undefined;
  },
});

const estimate = declareWalletRoute({
  method: 'POST',
  path: '/transactions/estimate',
  summary: 'Estimates the fee and size of a send.',
  description:
    'Takes the body of `POST /transactions/send/advanced`. Nothing is built or sent. `fee` is in atomic units, ' +
    '`size` in bytes; the later send may choose other inputs.',
  ...access('read', { viewWallet: false }),
  body: walletApi.advancedBody,
  response: walletApi.estimateResponse,
  errors: ADVANCED_BUILD_ERRORS,
  handle: ({ wallets }, { body }) => wallets.require().wallet.estimate(advancedRequest(body)),
});

const estimateSweep = declareWalletRoute({
  method: 'POST',
  path: '/transactions/estimate/sweep',
  summary: 'Estimates the transactions and fees of a sweep.',
  description:
    'Takes the body of `POST /transactions/send/sweep`. Nothing is built or sent. `amount` and `fee` are totals ' +
    'in atomic units; `transactions` has one entry per transaction.',
  ...access('read', { viewWallet: false }),
  body: walletApi.sweepBody,
  response: walletApi.sweepEstimateResponse,
  errors: BASIC_BUILD_ERRORS.filter(({ code }) => code !== walletErrorRows.amountIsZero.code),
  handle: async ({ wallets }, { body }) => {
    const transactions = await wallets.require().wallet.estimateSweep(sweepRequest(body));
    const sum = (field: 'amount' | 'fee'): bigint => transactions.reduce((total, row) => total + row[field], 0n);
    return { amount: sum('amount'), fee: sum('fee'), transactions: [...transactions] };
  },
});

async function prepare(
  { wallets, authenticator, audit }: WalletApiContext,
  { request: httpRequest }: RouteRequest['http'],
  request: SendRequest,
): Promise<Reply<ReturnType<typeof sendResponse>>> {
  const grant = authenticator.grantOf(httpRequest);
  checkDestinations(grant, request.destinations);
  const built = await wallets.require().wallet.prepare(request, grant.name);
  audit?.note(httpRequest, { transactions: [built.hash] });
  return new Reply(201, sendResponse(built, { relayed: false }));
}

export const PREPARE_ROUTES: readonly WalletRoute[] = [
  prepareBasic,
  prepareAdvanced,
  deletePrepared,
  estimate,
  estimateSweep,
];
