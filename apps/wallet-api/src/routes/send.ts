import { walletApi } from '@wrkz/api';
import type { SendRequest, SweepRequest } from '@wrkz/wallet-core';
import { walletErrors } from '../errors';
import { checkDestinations, checkPrepared } from '../key-limits';
import type { SendOperation } from '../send-executor';
import { access, declareWalletRoute, type WalletRoute } from './declare';
import {
  ADVANCED_BUILD_ERRORS,
  advancedRequest,
  BASIC_BUILD_ERRORS,
  basicRequest,
  IDEMPOTENCY_ERRORS,
  LIMIT_ERRORS,
  PAUSE_ERRORS,
  recoveredSendResponse,
  recoveredSweepResponse,
  RELAY_ERRORS,
  sendResponse,
  sweepRequest,
  toSweepResponse,
} from './send-records';

const RETRY_NOTE =
  'Send an `Idempotency-Key` header and repeat the request with the same key after a timeout or error 55: the ' +
  'payment is made at most once.';

const sendBasic = declareWalletRoute({
  method: 'POST',
  path: '/transactions/send/basic',
  summary: 'Sends an amount to one address.',
  description:
    '`amount` is in atomic units; the minimum fee is added to it. Uses coins of all addresses; the change goes to ' +
    `the primary address. The response comes after the node accepted the transaction. ${RETRY_NOTE}`,
  ...access('send', { viewWallet: false, audit: 'send' }),
  body: walletApi.basicBody,
  response: walletApi.builtResponse,
  status: 201,
  errors: [...BASIC_BUILD_ERRORS, ...LIMIT_ERRORS, ...RELAY_ERRORS],
  handle: ({ sends }, { body, http }) => sends.execute(http.request, sendOperation(basicRequest(body))),
});

const sendAdvanced = declareWalletRoute({
  method: 'POST',
  path: '/transactions/send/advanced',
  summary: 'Sends to several addresses with chosen options.',
  description:
    'Every option has a default: the minimum fee, the default `mixin` (decoys per input), coins of all addresses, ' +
    'change to the primary address, the default unlock time. If the node has too few decoys, a smaller ring is used ' +
    'unless `ringFallback` is false. `fee` is the total in atomic units and overrides ' +
    `\`feePerByte\`. \`unlockTime\` is a block height or unix seconds. ${RETRY_NOTE}`,
  ...access('send', { viewWallet: false, audit: 'send' }),
  body: walletApi.advancedBody,
  response: walletApi.builtResponse,
  status: 201,
  errors: [...ADVANCED_BUILD_ERRORS, ...LIMIT_ERRORS, ...RELAY_ERRORS],
  handle: ({ sends }, { body, http }) => sends.execute(http.request, sendOperation(advancedRequest(body))),
});

const sendPrepared = declareWalletRoute({
  method: 'POST',
  path: '/transactions/send/prepared',
  summary: 'Sends a prepared transaction.',
  description:
    'Takes `transactionHash` from `POST /transactions/prepare/basic` or `/advanced`. Fails with 58 when the ' +
    'transaction is unknown and with 57 when its inputs were ' +
    `spent meanwhile. ${RETRY_NOTE}`,
  ...access('send', { viewWallet: false, audit: 'send' }),
  body: walletApi.preparedBody,
  response: walletApi.sentResponse,
  status: 201,
  errors: [
    ...walletErrors(
      'illegalViewWalletOperation',
      'preparedTransactionNotFound',
      'preparedTransactionExpired',
      'daemonOffline',
      'daemonError',
      'keyLimitExceeded',
      'refusedTransactionUnresolved',
      'notSynchronized',
      'implausibleNodeHeight',
    ),
    ...RELAY_ERRORS,
  ],
  handle: ({ sends }, { body: { transactionHash }, http }) =>
    sends.execute(http.request, {
      status: 201,
      run: async ({ wallet }, grant, observer) => {
        checkPrepared(grant, wallet, transactionHash);
        return { transactionHash: (await wallet.sendPrepared(transactionHash, observer)).hash };
      },
      recovered: ([first]) => ({ transactionHash: first?.hash ?? transactionHash }),
    }),
});

const SWEEP_ERRORS = [
  ...walletErrors('illegalViewWalletOperation'),
  ...IDEMPOTENCY_ERRORS,
  ...LIMIT_ERRORS,
  ...PAUSE_ERRORS,
];

const sweep = declareWalletRoute({
  method: 'POST',
  path: '/transactions/send/sweep',
  summary: 'Sends an amount, or everything, in as many transactions as necessary.',
  description:
    'Use it for amounts that need more inputs than one transaction can hold. With `amount` the destination ' +
    'receives exactly that amount and the fees are added; without it the whole unlocked balance is sent and the ' +
    'fees are subtracted. The status is 200 even if transactions fail: check `success` of every entry. ' +
    RETRY_NOTE,
  ...access('send', { viewWallet: false, audit: 'sweep' }),
  body: walletApi.sweepBody,
  response: walletApi.sweepResponse,
  errors: SWEEP_ERRORS,
  handle: ({ sends }, { body, http }) => sends.execute(http.request, sweepOperation(sweepRequest(body))),
});

const sweepAll = declareWalletRoute({
  method: 'POST',
  path: '/transactions/send/sweep/all',
  summary: 'Sends the whole unlocked balance in as many transactions as necessary.',
  description: `As \`POST /transactions/send/sweep\` without \`amount\`. ${RETRY_NOTE}`,
  ...access('send', { viewWallet: false, audit: 'sweep' }),
  body: walletApi.sweepAllBody,
  response: walletApi.sweepResponse,
  errors: SWEEP_ERRORS,
  handle: ({ sends }, { body, http }) => sends.execute(http.request, sweepOperation(sweepRequest(body))),
});

function sendOperation(request: SendRequest): SendOperation<ReturnType<typeof sendResponse>> {
  return {
    status: 201,
    run: async ({ wallet }, grant, observer) => {
      checkDestinations(grant, request.destinations);
      return sendResponse(await wallet.send(request, observer), { relayed: true });
    },
    recovered: recoveredSendResponse,
  };
}

function sweepOperation(request: SweepRequest): SendOperation<ReturnType<typeof toSweepResponse>> {
  return {
    status: 200,
    run: async ({ wallet }, grant, observer) => {
      checkDestinations(grant, [{ address: request.destination }]);
      return toSweepResponse(await wallet.sweep(request, observer));
    },
    recovered: recoveredSweepResponse,
  };
}

export const SEND_ROUTES: readonly WalletRoute[] = [sendBasic, sendAdvanced, sendPrepared, sweep, sweepAll];
