import type { walletRpcApi } from '@wrkz/api';
import type { FinishedJson } from '@wrkz/service-kit';
import { type FinishedSend, listeningToSends } from '@wrkz/wallet-core';
import type { z } from 'zod';
import type { WalletRpcContext } from '../context';
import { finishedSend } from '../parts/delayed-text';
import { checkedRequest, detailsOfSend } from './send-request';
import { requireHash } from './texts';

type SendParams = z.output<typeof walletRpcApi.sendParams>;
type SentResult = z.output<typeof walletRpcApi.sentResult>;
type DelayedResult = z.output<typeof walletRpcApi.delayedResult>;
type SendDelayedParams = z.output<typeof walletRpcApi.sendDelayedParams>;

/** sendTransaction. @throws JsonRpcError, WalletError */
export function sendNow(context: WalletRpcContext, params: SendParams): Promise<SentResult | FinishedJson> {
  const { wallet, details, announcer, keyed } = context;
  const { idempotencyKey, ...asked } = params;
  return keyed.once(idempotencyKey, 'sendTransaction', asked, {
    run: async ({ leaving, stayed }) => {
      const request = checkedRequest(context, params, 'badExtra');
      const listener = {
        leaving: (built: FinishedSend): void => {
          leaving(built.hash);
          details.put(built.hash, detailsOfSend(built, request, wallet.snapshot.subWallets));
        },
        stayed: ({ hash }: FinishedSend): void => stayed(hash),
      };
      const built = await listeningToSends(listener, () => wallet.send(request));
      announceSend(context, built.hash);
      return { anonymity: built.mixin, fee: built.fee, transactionHash: built.hash };
    },
    recovered: (hashes) => {
      const [known] = knownOf(context, hashes);
      if (known !== undefined) {
        announcer.seen(known);
        return { anonymity: details.get(known.hash)?.mixin ?? 0, fee: known.fee, transactionHash: known.hash };
      }
      return hashes.length > 0 && !context.syncStatus().isAtTip ? 'undecided' : undefined;
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
          leaving((noted = made.hash));
          details.put(made.hash, detailsOfSend(made, request, wallet.snapshot.subWallets));
        });
        return { fee: built.fee, transactionHash: built.hash };
      } catch (error) {
        if (noted !== undefined && delayed.get(noted) === undefined) stayed(noted);
        throw error;
      }
    },
    recovered: ([hash = '']) => {
      const row = hash === '' ? undefined : delayed.get(hash);
      return row && { fee: finishedSend(row).fee, transactionHash: hash };
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
  return keyed.once(
    idempotencyKey,
    'sendDelayedTransaction',
    { transactionHash: hash },
    {
      run: async ({ leaving, stayed }) => {
        leaving(hash);
        try {
          await delayed.send(hash);
        } catch (error) {
          if (delayed.get(hash)?.state !== 'sending') stayed(hash);
          throw error;
        }
        return {};
      },
      recovered: () => {
        switch (delayed.get(hash)?.state) {
          case 'sent':
            return {};
          case 'sending':
            return 'undecided';
          default:
            return undefined;
        }
      },
    },
  );
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
