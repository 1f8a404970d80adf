import { walletRpcApi } from '@wrkz/api';
import { type FinishedJson, stringifyJson } from '@wrkz/service-kit';
import {
  type FinishedSend,
  type KeptSend,
  type LeavingListener,
  listeningToSends,
  walletError,
} from '@wrkz/wallet-core';
import { sendAgain } from '@wrkz/wallet-service';
import type { z } from 'zod';
import { requireHash } from '../checks';
import type { WalletRpcContext } from '../context';
import { applicationError } from '../errors';
import { checkedRequest, detailsOfSend, SERVICE_SEND_ERRORS } from '../send-request';
import { applicationErrors, declareWalletMethod } from './declare';

export const sendTransactionMethod = declareWalletMethod({
  name: 'sendTransaction',
  summary: 'Builds a transaction and submits it to the node.',
  params: walletRpcApi.sendParams,
  paramsOptional: true,
  result: walletRpcApi.sentResult,
  errors: applicationErrors(...SERVICE_SEND_ERRORS, 'badExtra', 'nodeTimeout', 'idempotencyKeyUnderWay'),
  handle: (context, params) => sendNow(context, params),
});

export const createDelayedTransactionMethod = declareWalletMethod({
  name: 'createDelayedTransaction',
  summary: 'Builds a transaction and stores it until it is sent or deleted. Its inputs stay locked.',
  params: walletRpcApi.sendParams,
  paramsOptional: true,
  result: walletRpcApi.delayedResult,
  errors: applicationErrors(...SERVICE_SEND_ERRORS, 'internalError'),
  handle: (context, params) => buildDelayed(context, params),
});

export const getDelayedTransactionHashesMethod = declareWalletMethod({
  name: 'getDelayedTransactionHashes',
  summary: 'Returns the hashes of the delayed transactions that can be sent.',
  params: walletRpcApi.noParams,
  paramsOptional: true,
  result: walletRpcApi.transactionHashList,
  errors: applicationErrors('trackingMode'),
  handle: ({ wallet, delayed }) => {
    if (wallet.snapshot.content.isViewWallet) throw applicationError('trackingMode');
    return { transactionHashes: delayed.hashes() };
  },
});

export const deleteDelayedTransactionMethod = declareWalletMethod({
  name: 'deleteDelayedTransaction',
  summary: 'Deletes a delayed transaction and unlocks its inputs.',
  params: walletRpcApi.ofTransaction,
  paramsOptional: true,
  result: walletRpcApi.done,
  errors: applicationErrors('wrongHash', 'unknownObject', 'cannotCancel'),
  handle: ({ delayed }, { transactionHash }) => {
    delayed.remove(requireHash(transactionHash));
    return {};
  },
});

export const sendDelayedTransactionMethod = declareWalletMethod({
  name: 'sendDelayedTransaction',
  summary: 'Submits a delayed transaction to the node.',
  params: walletRpcApi.sendDelayedParams,
  paramsOptional: true,
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
  ),
  handle: (context, params) => sendWaiting(context, params),
});

type SendParams = z.output<typeof walletRpcApi.sendParams>;
type SentResult = z.output<typeof walletRpcApi.sentResult>;
type DelayedResult = z.output<typeof walletRpcApi.delayedResult>;
type SendDelayedParams = z.output<typeof walletRpcApi.sendDelayedParams>;

/** sendTransaction. @throws JsonRpcError, WalletError */
export function sendNow(context: WalletRpcContext, params: SendParams): Promise<SentResult | FinishedJson> {
  const { wallet, details } = context;
  const { idempotencyKey, ...asked } = params;
  const answerOf = (send: FinishedSend): SentResult => {
    notifyOfSend(context, send.hash);
    return { anonymity: send.mixin, fee: send.fee, transactionHash: send.hash };
  };
  return once(context, idempotencyKey, ['sendTransaction', asked], {
    run: async (watcher) => {
      const request = await checkedRequest(context, params, 'badExtra');
      const listener = {
        ...watcher,
        leaving: (built: FinishedSend): void => {
          watcher.leaving(built);
          details.put(built.hash, detailsOfSend(built, request, wallet.snapshot.subWallets));
        },
      };
      return answerOf(await listeningToSends(listener, () => wallet.send(request)));
    },
    recovered: async (sends) => {
      const [there] = await sendAgain(context, sends);
      return there && answerOf(there);
    },
  });
}

/** createDelayedTransaction. @throws JsonRpcError, WalletError */
export function buildDelayed(context: WalletRpcContext, params: SendParams): Promise<DelayedResult | FinishedJson> {
  const { wallet, details, delayed } = context;
  const { idempotencyKey, ...asked } = params;
  return once(context, idempotencyKey, ['createDelayedTransaction', asked], {
    run: async (watcher) => {
      const request = await checkedRequest(context, params, 'internalError');
      let noted: FinishedSend | undefined;
      try {
        const built = await delayed.create(request, (made) => {
          noted = made;
          watcher.leaving(made);
          details.put(made.hash, detailsOfSend(made, request, wallet.snapshot.subWallets));
        });
        return { fee: built.fee, transactionHash: built.hash };
      } catch (error) {
        if (noted !== undefined && delayed.get(noted.hash) === undefined) watcher.stayed(noted);
        throw error;
      }
    },
    recovered: async ([first]) => {
      const row = first && delayed.get(first.hash);
      return row && { fee: delayed.read(row).fee, transactionHash: row.hash };
    },
  });
}

/** sendDelayedTransaction. @throws JsonRpcError, WalletError */
export async function sendWaiting(
  context: WalletRpcContext,
  params: SendDelayedParams,
): Promise<Record<string, never> | FinishedJson> {
  const { delayed } = context;
  const { idempotencyKey, transactionHash } = params;
  const hash = requireHash(transactionHash);
  return once(context, idempotencyKey, ['sendDelayedTransaction', { transactionHash: hash }], {
    run: async (watcher): Promise<Record<string, never>> => {
      const row = delayed.get(hash);
      const built = row && delayed.read(row);
      if (built !== undefined) watcher.leaving(built);
      try {
        await delayed.send(hash);
      } catch (error) {
        if (built !== undefined && delayed.get(hash)?.state !== 'sending') watcher.stayed(built);
        throw error;
      }
      return {};
    },
    recovered: async () => {
      const state = delayed.get(hash)?.state;
      if (state === 'sending' && !delayed.isLost(hash)) throw walletError.idempotencyKeyUnderWay();
      return state === 'sent' ? {} : undefined;
    },
  });
}

interface SendOfRequest<Value> {
  run(watcher: LeavingListener): Promise<Value>;
  recovered(sends: readonly KeptSend[]): Promise<Value | undefined>;
}

const NOBODY: LeavingListener = { leaving: () => undefined, stayed: () => undefined, doubted: () => undefined };

/** Once for a key, if there is one (docs/operations/wallet-rpc.md#idempotency). */
async function once<Value>(
  { wallet, sideFile, keyed, now }: WalletRpcContext,
  key: string | undefined,
  [method, params]: readonly [method: string, params: object],
  work: SendOfRequest<Value>,
): Promise<Value | FinishedJson> {
  if (key === undefined) return work.run(NOBODY);
  const request = {
    key: { owner: 'json-rpc', key },
    body: `${method} ${stringifyJson(params)}`,
    status: 200,
    mayBeNothing: false,
    ...work,
  };
  return keyed.answer({ wallet, sideFile, now }, request);
}

/** Tells receivers of a send that a node has taken. */
export function notifyOfSend(context: Pick<WalletRpcContext, 'wallet' | 'notifier'>, hash: string): void {
  const [sent] = knownOf(context, [hash]);
  if (sent !== undefined && sent.blockHeight === 0) context.notifier.seen(sent);
}

function knownOf({ wallet }: Pick<WalletRpcContext, 'wallet'>, hashes: readonly string[]) {
  const { snapshot } = wallet;
  const unconfirmed = new Map(snapshot.unconfirmed().map((transaction) => [transaction.hash, transaction]));
  return hashes.flatMap((hash) => unconfirmed.get(hash) ?? snapshot.transaction(hash) ?? []);
}
