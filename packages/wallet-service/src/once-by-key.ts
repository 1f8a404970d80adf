import { FinishedJson, stringifyJson } from '@wrkz/service-kit';
import {
  type KeptSend,
  type LeavingListener,
  type RequestKey,
  sealSend,
  type ServedWallet,
  walletError,
} from '@wrkz/wallet-core';

/** A request that came with a key. */
export interface KeyedRequest<Value> {
  readonly key: RequestKey;
  /** What a repetition has to have in common with the first one. */
  readonly body: string | Uint8Array;
  /** Of the answer that is kept. */
  readonly status: number;
  /** An answer may be one of refusals alone, as that of a sweep: it has changed nothing, and the key may come again. */
  readonly mayBeNothing: boolean;
  /** Asked when nobody else is at work with the key: the wallet may have been closed meanwhile. */
  readonly admit?: () => void;
  /** Does it, and tells of each transaction that leaves. */
  run(watcher: LeavingListener): Promise<Value>;
  /** The answer, if what was begun by a request that was never answered was done; undefined where it was not. */
  recovered(sends: readonly KeptSend[]): Promise<Value | undefined>;
}

type Surroundings = Pick<ServedWallet, 'wallet' | 'sideFile'> & {
  /** Unix milliseconds. */
  readonly now: () => number;
};

/**
 * Does what a request with a key asks for once: whoever comes with the same key gets the first answer, also while the first is
 * at work, and after a restart (docs/operations/wallet-api.md#idempotency-keys).
 */
export class OnceByKey {
  /** Requests at work, by wallet, owner and key. */
  readonly #running = new Map<string, Promise<unknown>>();

  /** @throws WalletError 1002, 1003, and what the work throws */
  async answer<Value>(surroundings: Surroundings, request: KeyedRequest<Value>): Promise<Value | FinishedJson> {
    const { owner, key } = request.key;
    const name = `${surroundings.sideFile.identity.sideFile} ${owner} ${key}`;
    for (let before = this.#running.get(name); before !== undefined; before = this.#running.get(name)) {
      await before.catch(() => undefined);
    }
    request.admit?.();
    const result = once(surroundings, request);
    this.#running.set(name, result);
    try {
      return await result;
    } finally {
      this.#running.delete(name);
    }
  }
}

async function once<Value>(
  { wallet, sideFile, now }: Surroundings,
  request: KeyedRequest<Value>,
): Promise<Value | FinishedJson> {
  const { key, body, status } = request;
  const { answers } = sideFile;
  const kept = (value: Value): FinishedJson => {
    const text = stringifyJson(value);
    answers.answered(key, { status, body: text });
    return new FinishedJson(text);
  };
  const standing = answers.begin(key, body, now());
  switch (standing.kind) {
    case 'other-body':
      throw walletError.idempotencyKeyReused();
    case 'answered':
      return new FinishedJson(standing.answer.body);
    case 'unanswered': {
      const done = await request.recovered(standing.sends);
      if (done !== undefined) return kept(done);
      answers.forget(key);
      answers.begin(key, body, now());
      break;
    }
    case 'new':
  }
  const left = new Set<string>();
  let isDoubtful = false;
  const { privateViewKey } = wallet.snapshot.content;
  try {
    const value = await request.run({
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
    if (isDoubtful) return value;
    // One transaction that is answered is there, also when an earlier request brought it out.
    if (left.size > 0 || !request.mayBeNothing) return kept(value);
    answers.forget(key);
    return value;
  } catch (error) {
    // What may have left is found out when the key comes again.
    if (left.size === 0) answers.forget(key);
    throw error;
  }
}
