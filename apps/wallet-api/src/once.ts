import { walletApi } from '@wrkz/api';
import { FinishedJson, rawBody, Reply, type RouteRequest } from '@wrkz/service-kit';
import { type FinishedSend, type LeavingListener, listeningToSends } from '@wrkz/wallet-core';
import { IdempotentRequests, resubmitSends } from '@wrkz/wallet-server';
import type { KeyGrant, ServiceKeys } from './keys/service-keys';
import type { Open, OpenWallet } from './open-wallet';
import { badRequest, forbidden } from './refusals';
import { DailyLimit, SendsInDoubt } from './send-rules';

/** The work of a send route, and what it answered if a kill came before the answer. */
export interface SendWork<Value> {
  readonly status: 200 | 201;
  run(open: Open, grant: KeyGrant): Promise<Value>;
  /** The answer for transactions that have left, in their order. */
  recovered(left: readonly FinishedSend[]): Value;
}

/** What a send needs of the service. */
export interface SendSurroundings {
  readonly held: OpenWallet;
  readonly keys: ServiceKeys;
  /** Unix milliseconds. */
  readonly now: () => number;
}

type SendReply<Value> = Reply<Value | FinishedJson>;

/**
 * Does what a send route asks for. With an Idempotency-Key it is done once
 * (docs/operations/wallet-api.md#idempotency-keys).
 */
export class Sends {
  readonly #keyed = new IdempotentRequests();
  readonly #inDoubt = new SendsInDoubt();

  /** @throws HttpError 400 for a key that is none; WalletError 1002, 1003, and those of the work */
  async answer<Value>(
    context: SendSurroundings,
    { http }: Pick<RouteRequest, 'http'>,
    work: SendWork<Value>,
  ): Promise<SendReply<Value>> {
    const { request } = http;
    const { now } = context;
    const open = context.held.require();
    const grant = context.keys.grantOf(request);
    const limit = new DailyLimit(grant, open, now, this.#inDoubt);
    const given = request.headers['idempotency-key'];
    if (given === undefined) return new Reply(work.status, await sending(open, grant, limit, work));
    const key = walletApi.idempotencyKey.safeParse(given);
    if (!key.success) throw badRequest();
    const answer = await this.#keyed.execute(
      { wallet: open.wallet, sideFile: open.sideFile, now },
      {
        key: { owner: grant.name, key: key.data },
        body: Buffer.concat([Buffer.from(`${request.method} ${request.path}\n`), rawBody(request)]),
        status: work.status,
        mayBeNothing: work.status !== 201,
        admit: () => {
          if (open.wallet.isClosed) throw forbidden();
        },
        run: (watcher) => sending(open, grant, limit, work, watcher),
        recovered: async (sends) => {
          const there = await resubmitSends(open, sends);
          return there.length === 0 ? undefined : work.recovered(there);
        },
      },
    );
    return new Reply(work.status, answer);
  }
}

/** Runs the work while each transaction that it sends is counted against the limit of its key, and told to the watcher. */
async function sending<Value>(
  open: Open,
  grant: KeyGrant,
  limit: DailyLimit,
  work: SendWork<Value>,
  watcher?: LeavingListener,
): Promise<Value> {
  const listener = {
    leaving: (send: FinishedSend): void => {
      limit.take(send);
      try {
        watcher?.leaving(send);
      } catch (error) {
        limit.giveBack(send);
        throw error;
      }
    },
    stayed: (send: FinishedSend): void => {
      limit.giveBack(send);
      watcher?.stayed(send);
    },
    doubted: (send: FinishedSend): void => {
      limit.doubt(send);
      watcher?.doubted(send);
    },
  };
  const value = await listeningToSends(listener, () => work.run(open, grant));
  limit.requireSome();
  return value;
}
