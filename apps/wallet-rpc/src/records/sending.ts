import type { walletRpcApi } from '@wrkz/api';
import type { FinishedJson } from '@wrkz/service-kit';
import { type FinishedSend, listeningToSends, walletError } from '@wrkz/wallet-core';
import { sendAgain } from '@wrkz/wallet-service';
import type { z } from 'zod';
import type { WalletRpcContext } from '../context';
import type { SendNotes } from '../parts/keyed-requests';
import { checkedRequest, detailsOfSend } from './send-request';
import { requireHash } from './texts';

type SendParams = z.output<typeof walletRpcApi.sendParams>;
type SentResult = z.output<typeof walletRpcApi.sentResult>;
type DelayedResult = z.output<typeof walletRpcApi.delayedResult>;
type SendDelayedParams = z.output<typeof walletRpcApi.sendDelayedParams>;

/** sendTransaction. @throws JsonRpcError, WalletError */
export function sendNow(context: WalletRpcContext, params: SendParams): Promise<SentResult | FinishedJson> {
  const { wallet, details, keyed } = context;
  const { idempotencyKey, ...asked } = params;
  return keyed.once(idempotencyKey, 'sendTransaction', asked, {
    run: async ({ leaving, stayed }) => {
      const request = checkedRequest(context, params, 'badExtra');
      const listener = {
        leaving: (built: FinishedSend): void => {
          leaving(built);
          details.put(built.hash, detailsOfSend(built, request, wallet.snapshot.subWallets));
        },
        stayed: ({ hash }: FinishedSend): void => stayed(hash),
        // It is kept, and whoever comes with the same key finds out.
        doubted: (): void => undefined,
      };
      const built = await listeningToSends(listener, () => wallet.send(request));
      announceSend(context, built.hash);
      return { anonymity: built.mixin, fee: built.fee, transactionHash: built.hash };
    },
    recovered: async (sends) => {
      const [there] = await sendAgain(context, sends);
      if (there === undefined) return undefined;
      announceSend(context, there.hash);
      return { anonymity: there.mixin, fee: there.fee, transactionHash: there.hash };
    },
  });
}

/** createDelayedTransaction. @throws JsonRpcError, WalletError */
export function buildDelayed(context: WalletRpcContext, params: SendParams): Promise<DelayedResult | FinishedJson> {
  const { wallet, details, keyed, delayed } = context;
  const { idempotencyKey, ...asked } = params;
  return keyed.once(idempotencyKey, 'createDelayedTransaction', asked, {
    run: async ({ leaving, stayed }) => {
      const request = checkedRequest(context, params, 'internalError');
      let noted: string | undefined;
      try {
        const built = await delayed.create(request, (made) => {
          noted = made.hash;
          leaving(made);
          details.put(made.hash, detailsOfSend(made, request, wallet.snapshot.subWallets));
        });
        return { fee: built.fee, transactionHash: built.hash };
      } catch (error) {
        if (noted !== undefined && delayed.get(noted) === undefined) stayed(noted);
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
export function sendWaiting(
  context: WalletRpcContext,
  params: SendDelayedParams,
): Promise<Record<string, never> | FinishedJson> {
  const { delayed, keyed } = context;
  const { idempotencyKey, transactionHash } = params;
  const hash = requireHash(transactionHash);
  const work = {
    run: async ({ leaving, stayed }: SendNotes): Promise<Record<string, never>> => {
      const row = delayed.get(hash);
      if (row !== undefined) leaving(delayed.read(row));
      try {
        await delayed.send(hash);
      } catch (error) {
        if (delayed.get(hash)?.state !== 'sending') stayed(hash);
        throw error;
      }
      return {};
    },
    recovered: async (): Promise<Record<string, never> | undefined> => {
      const state = delayed.get(hash)?.state;
      if (state === 'sending') throw walletError.idempotencyKeyUnderWay();
      return state === 'sent' ? {} : undefined;
    },
  };
  return keyed.once(idempotencyKey, 'sendDelayedTransaction', { transactionHash: hash }, work);
}

/** Tells receivers of a send that a node has taken. */
export function announceSend(context: Pick<WalletRpcContext, 'wallet' | 'announcer'>, hash: string): void {
  const [sent] = knownOf(context, [hash]);
  if (sent !== undefined && sent.blockHeight === 0) context.announcer.seen(sent);
}

function knownOf({ wallet }: Pick<WalletRpcContext, 'wallet'>, hashes: readonly string[]) {
  const { snapshot } = wallet;
  const unconfirmed = new Map(snapshot.unconfirmed().map((transaction) => [transaction.hash, transaction]));
  return hashes.flatMap((hash) => unconfirmed.get(hash) ?? snapshot.transaction(hash) ?? []);
}
