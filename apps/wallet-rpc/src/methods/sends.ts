import { walletRpcApi } from '@wrkz/api';
import { type FinishedJson, stringifyJson } from '@wrkz/service-kit';
import { type SendObserver, type SendSummary, type SignedSend, walletError } from '@wrkz/wallet-core';
import { resubmitSends } from '@wrkz/wallet-server';
import type { z } from 'zod';
import { requireHash } from '../checks';
import type { WalletRpcContext } from '../context';
import { applicationError } from '../errors';
import { checkedRequest, detailsOfSend, SERVICE_SEND_ERRORS } from '../send-request';
import { applicationErrors, declareWalletMethod } from './declare';

export const sendMethods = [
  declareWalletMethod({
    name: 'sendTransaction',
    summary: 'Builds a transaction and submits it to the node.',
    params: walletRpcApi.sendParams,
    result: walletRpcApi.sentResult,
    errors: applicationErrors(
      ...SERVICE_SEND_ERRORS,
      'badExtra',
      'nodeTimeout',
      'idempotencyKeyUnderWay',
      'transactionGivenUp',
    ),
    handle: sendNow,
  }),
  declareWalletMethod({
    name: 'createDelayedTransaction',
    summary: 'Builds a transaction and stores it until it is sent or deleted. Its inputs stay locked.',
    params: walletRpcApi.sendParams,
    result: walletRpcApi.delayedResult,
    errors: applicationErrors(...SERVICE_SEND_ERRORS, 'internalError'),
    handle: buildDelayed,
  }),
  declareWalletMethod({
    name: 'getDelayedTransactionHashes',
    summary: 'Returns the hashes of the delayed transactions that can be sent.',
    params: walletRpcApi.noParams,
    result: walletRpcApi.transactionHashList,
    errors: applicationErrors('trackingMode', 'walletDatabaseDamaged'),
    handle: ({ wallet, delayed }) => {
      if (wallet.snapshot.content.isViewWallet) throw applicationError('trackingMode');
      return { transactionHashes: delayed.hashes() };
    },
  }),
  declareWalletMethod({
    name: 'deleteDelayedTransaction',
    summary: 'Deletes a delayed transaction and unlocks its inputs.',
    params: walletRpcApi.ofTransaction,
    result: walletRpcApi.done,
    errors: applicationErrors('wrongHash', 'unknownObject', 'cannotCancel', 'walletDatabaseDamaged'),
    handle: ({ delayed }, { transactionHash }) => {
      delayed.remove(requireHash(transactionHash));
      return {};
    },
  }),
  declareWalletMethod({
    name: 'sendDelayedTransaction',
    summary: 'Submits a delayed transaction to the node.',
    params: walletRpcApi.sendDelayedParams,
    result: walletRpcApi.done,
    errors: applicationErrors(
      'wrongHash',
      'unknownObject',
      'cannotTransfer',
      'nodeRefused',
      'nodeAway',
      'nodeTimeout',
      'idempotencyKeyReused',
      'idempotencyKeyUnderWay',
      'refusedTransactionUnresolved',
      'sendsPaused',
      'notSynchronized',
      'implausibleNodeHeight',
      'walletDatabaseDamaged',
    ),
    handle: sendWaiting,
  }),
];

type SendParams = z.output<typeof walletRpcApi.sendParams>;
type SentResult = z.output<typeof walletRpcApi.sentResult>;
type DelayedResult = z.output<typeof walletRpcApi.delayedResult>;
type SendDelayedParams = z.output<typeof walletRpcApi.sendDelayedParams>;

/** sendTransaction. @throws JsonRpcError, WalletError */
function sendNow(context: WalletRpcContext, params: SendParams): Promise<SentResult | FinishedJson> {
  const { wallet, details } = context;
  const { idempotencyKey, ...sendParams } = params;
  const resultOf = ({ hash, fee, mixin }: SendSummary): SentResult => {
    notifyOfSend(context, hash);
    return { anonymity: mixin, fee, transactionHash: hash };
  };
  return once(context, idempotencyKey, ['sendTransaction', sendParams], {
    run: async (observer) => {
      const request = await checkedRequest(context, params, 'badExtra');
      const submitting = (signed: SignedSend): void => {
        observer.submitting?.(signed);
        details.put(signed.hash, detailsOfSend(signed, request, wallet.snapshot.subWallets));
      };
      return resultOf(await wallet.send(request, { ...observer, submitting }));
    },
    recover: async (hashes) => {
      const [send] = await resubmitSends(wallet, hashes);
      return send && resultOf(send);
    },
  });
}

/** createDelayedTransaction. @throws JsonRpcError, WalletError */
function buildDelayed(context: WalletRpcContext, params: SendParams): Promise<DelayedResult | FinishedJson> {
  const { wallet, details, delayed } = context;
  const { idempotencyKey, ...sendParams } = params;
  return once(context, idempotencyKey, ['createDelayedTransaction', sendParams], {
    run: async (observer) => {
      const request = await checkedRequest(context, params, 'internalError');
      const { fee, hash } = await delayed.create(request, (signed) => {
        observer.submitting?.(signed);
        details.put(signed.hash, detailsOfSend(signed, request, wallet.snapshot.subWallets));
      });
      return { fee, transactionHash: hash };
    },
    recover: async ([hash]) => {
      const row = hash === undefined ? undefined : delayed.get(hash);
      return row && { fee: row.signed.fee, transactionHash: row.hash };
    },
  });
}

/** sendDelayedTransaction. @throws JsonRpcError, WalletError */
async function sendWaiting(
  context: WalletRpcContext,
  params: SendDelayedParams,
): Promise<Record<string, never> | FinishedJson> {
  const { delayed } = context;
  const { idempotencyKey, transactionHash } = params;
  const hash = requireHash(transactionHash);
  return once(context, idempotencyKey, ['sendDelayedTransaction', { transactionHash: hash }], {
    run: async (observer): Promise<Record<string, never>> => {
      await delayed.send(hash, observer);
      return {};
    },
    recover: async () => {
      const state = delayed.get(hash)?.state;
      if (state === 'sending' && !delayed.isLost(hash)) throw walletError.idempotencyKeyUnderWay();
      return state === 'sent' ? {} : undefined;
    },
  });
}

interface SendOperation<Value> {
  run(observer: SendObserver): Promise<Value>;
  recover(hashes: readonly string[]): Promise<Value | undefined>;
}

/** Executes a request. With an idempotency key, at most once per key (docs/operations/wallet-rpc.md#idempotency). */
async function once<Value>(
  { wallet, keyed, now }: WalletRpcContext,
  key: string | undefined,
  [method, params]: readonly [method: string, params: object],
  operation: SendOperation<Value>,
): Promise<Value | FinishedJson> {
  if (key === undefined) return operation.run({});
  const request = {
    key: { owner: 'json-rpc', key },
    body: `${method} ${stringifyJson(params)}`,
    status: 200,
    mayBeNothing: false,
    ...operation,
  };
  return keyed.execute({ wallet, now }, request);
}

/** Notifies the hooks about a send that a node has accepted, unless it is mined already. */
export function notifyOfSend({ wallet, notifier }: Pick<WalletRpcContext, 'wallet' | 'notifier'>, hash: string): void {
  const sent = wallet.snapshot.unconfirmed().find((transaction) => transaction.hash === hash);
  if (sent !== undefined) notifier.seen(sent);
}
