import { FinishedJson, stringifyJson } from '@wrkz/service-kit';
import {
  type KeptSend,
  type LeavingListener,
  type RequestKey,
  sealSend,
  type ServedWallet,
  walletError,
} from '@wrkz/wallet-core';

/** A request with an idempotency key. */
export interface IdempotentRequest<Value> {
  readonly key: RequestKey;
  /** A repetition must carry the same bytes. */
  readonly body: string | Uint8Array;
  /** HTTP status stored with the response. */
  readonly status: number;
  /** A sweep may return only failed entries. Such a response has changed nothing, so its key stays usable. */
  readonly mayBeNothing: boolean;
  /** Runs when no other request uses the key. Throws when the wallet was closed meanwhile. */
  readonly admit?: () => void;
  /** Executes the request and reports each transaction to the listener before it is submitted. */
  run(listener: LeavingListener): Promise<Value>;
  /**
   * The response to an interrupted request, from its recorded sends; undefined when none of them can be mined any
   * more.
   */
  recovered(sends: readonly KeptSend[]): Promise<Value | undefined>;
}

type Dependencies = Pick<ServedWallet, 'wallet' | 'sideFile'> & {
  /** Unix milliseconds. */
  readonly now: () => number;
};

/**
 * Executes each request with an idempotency key at most once. A repetition gets the stored response, also after a restart;
 * concurrent requests with one key run one after the other (docs/operations/wallet-api.md#idempotency-keys).
 */
export class IdempotentRequests {
  /** Running requests by wallet, owner and key. */
  readonly #running = new Map<string, Promise<unknown>>();

  /** @throws WalletError idempotencyKeyReused, idempotencyKeyUnderWay, and the errors of `request.run` */
  async execute<Value>(dependencies: Dependencies, request: IdempotentRequest<Value>): Promise<Value | FinishedJson> {
    const { owner, key } = request.key;
    const name = `${dependencies.sideFile.identity.sideFile} ${owner} ${key}`;
    for (let running = this.#running.get(name); running !== undefined; running = this.#running.get(name)) {
      await running.catch(() => undefined);
    }
    request.admit?.();
    const result = executeOrReplay(dependencies, request);
    this.#running.set(name, result);
    try {
      return await result;
    } finally {
      this.#running.delete(name);
    }
  }
}

/**
 * Returns the stored response, resubmits the recorded transactions of an interrupted request, or executes a new
 * request.
 */
async function executeOrReplay<Value>(
  dependencies: Dependencies,
  request: IdempotentRequest<Value>,
): Promise<Value | FinishedJson> {
  const { key, body } = request;
  const { sideFile, now } = dependencies;
  const { answers } = sideFile;
  const entry = answers.begin(key, body, now());
  switch (entry.kind) {
    case 'other-body':
      throw walletError.idempotencyKeyReused();
    case 'answered':
      return new FinishedJson(entry.answer.body);
    case 'unanswered': {
      const value = await request.recovered(entry.sends);
      if (value !== undefined) return storeResponse(dependencies, request, value);
      answers.forget(key);
      answers.begin(key, body, now());
      break;
    }
    case 'new':
  }
  return executeNew(dependencies, request);
}

async function executeNew<Value>(
  dependencies: Dependencies,
  request: IdempotentRequest<Value>,
): Promise<Value | FinishedJson> {
  const { key } = request;
  const { answers } = dependencies.sideFile;
  const { privateViewKey } = dependencies.wallet.snapshot.content;
  const submitted = new Set<string>();
  let isUncertain = false;
  try {
    const value = await request.run({
      leaving: (send) => {
        answers.sending(key, { hash: send.hash, sealed: sealSend(send, privateViewKey) });
        submitted.add(send.hash);
      },
      stayed: ({ hash }) => {
        answers.stayed(key, hash);
        submitted.delete(hash);
      },
      doubted: () => void (isUncertain = true),
    });
    // An entry of the sweep is uncertain: store nothing, so that a repetition returns the final state.
    if (isUncertain) return value;
    if (submitted.size > 0 || !request.mayBeNothing) return storeResponse(dependencies, request, value);
    answers.forget(key);
    return value;
  } catch (error) {
    // A transaction that may have reached the node keeps the key: a repetition finds out.
    if (submitted.size === 0) answers.forget(key);
    throw error;
  }
}

function storeResponse<Value>(
  { sideFile }: Dependencies,
  { key, status }: IdempotentRequest<Value>,
  value: Value,
): FinishedJson {
  const text = stringifyJson(value);
  sideFile.answers.answered(key, { status, body: text });
  return new FinishedJson(text);
}
