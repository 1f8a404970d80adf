import { walletApi } from '@wrkz/api';
import { FinishedJson, rawBody, Reply, type RouteRequest, stringifyJson } from '@wrkz/service-kit';
import {
  type FinishedSend,
  type LeavingListener,
  listeningToSends,
  type RequestKey,
  sealSend,
  walletError,
} from '@wrkz/wallet-core';
import type { KeyGrant, ServiceKeys } from './keys/service-keys';
import type { Open, OpenWallet } from './open-wallet';
import { badRequest, forbidden } from './refusals';
import { sendAgain } from '@wrkz/wallet-service';
import { DailyLimit } from './send-rules';

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
 * Does what a send route asks for. With an Idempotency-Key it is done once: whoever comes with the same key gets the first
 * answer, also while the first is at work, and after a restart (docs/operations/wallet-api.md#idempotency-keys).
 */
export class Sends {
  /** Requests at work, by wallet, owner and key. */
  readonly #running = new Map<string, Promise<unknown>>();

  /** @throws HttpError 400 for a key that is none; WalletError 1002, 1003, and those of the work */
  async answer<Value>(
    context: SendSurroundings,
    { http }: Pick<RouteRequest, 'http'>,
    work: SendWork<Value>,
  ): Promise<SendReply<Value>> {
    const { request } = http;
    const open = context.held.require();
    const grant = context.keys.grantOf(request);
    const given = request.headers['idempotency-key'];
    if (given === undefined) return new Reply(work.status, await sending(open, grant, context.now, work));
    const key = walletApi.idempotencyKey.safeParse(given);
    if (!key.success) throw badRequest();
    const body = Buffer.concat([Buffer.from(`${request.method} ${request.path}\n`), rawBody(request)]);
    return this.#once({ owner: grant.name, key: key.data }, body, { open, grant, now: context.now, work });
  }

  async #once<Value>(key: RequestKey, body: Buffer, parts: OnceParts<Value>): Promise<SendReply<Value>> {
    const name = `${parts.open.sideFile.identity.sideFile} ${key.owner} ${key.key}`;
    for (;;) {
      const before = this.#running.get(name);
      if (before === undefined) break;
      await before.catch(() => undefined);
    }
    // Its wallet may have been closed while it waited.
    if (parts.open.wallet.isClosed) throw forbidden();
    const result = once(key, body, parts);
    this.#running.set(name, result);
    try {
      return await result;
    } finally {
      this.#running.delete(name);
    }
  }
}

interface OnceParts<Value> {
  readonly open: Open;
  readonly grant: KeyGrant;
  readonly now: () => number;
  readonly work: SendWork<Value>;
}

async function once<Value>(key: RequestKey, body: Buffer, parts: OnceParts<Value>): Promise<SendReply<Value>> {
  const { open, grant, now, work } = parts;
  const { answers } = open.sideFile;
  const standing = answers.begin(key, body, now());
  switch (standing.kind) {
    case 'other-body':
      throw walletError.idempotencyKeyReused();
    case 'answered':
      return new Reply(standing.answer.status, new FinishedJson(standing.answer.body));
    case 'unanswered': {
      const there = await sendAgain(open, standing.sends);
      if (there.length > 0) return keepAnswer(open, key, work.status, work.recovered(there));
      answers.forget(key);
      answers.begin(key, body, now());
      break;
    }
    case 'new':
  }
  const left = new Set<string>();
  let isDoubtful = false;
  const { privateViewKey } = open.wallet.snapshot.content;
  try {
    const value = await sending(open, grant, now, work, {
      leaving: (send) => {
        answers.sending(key, { hash: send.hash, sealed: sealSend(send, privateViewKey) });
        left.add(send.hash);
      },
      stayed: ({ hash }) => {
        answers.stayed(key, hash);
        left.delete(hash);
      },
      doubted: () => void (isDoubtful = true),
    });
    // A sweep tells of a doubt in an entry; who asks again gets a better answer.
    if (isDoubtful) return new Reply<Value | FinishedJson>(work.status, value);
    if (left.size > 0) return keepAnswer(open, key, work.status, value);
    // A sweep of refusals alone has changed nothing.
    answers.forget(key);
    return new Reply<Value | FinishedJson>(work.status, value);
  } catch (error) {
    // What may have left is found out when the key comes again.
    if (left.size === 0) answers.forget(key);
    throw error;
  }
}

function keepAnswer<Value>({ sideFile }: Open, key: RequestKey, status: number, value: Value): SendReply<Value> {
  const body = stringifyJson(value);
  sideFile.answers.answered(key, { status, body });
  return new Reply(status, new FinishedJson(body));
}

/** Runs the work while each transaction that it sends is counted against the limit of its key, and told to the watcher. */
async function sending<Value>(
  open: Open,
  grant: KeyGrant,
  now: () => number,
  work: SendWork<Value>,
  watcher?: LeavingListener,
): Promise<Value> {
  const limit = new DailyLimit(grant, open, now);
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
    doubted: (send: FinishedSend): void => watcher?.doubted(send),
  };
  const value = await listeningToSends(listener, () => work.run(open, grant));
  limit.requireSome();
  return value;
}
