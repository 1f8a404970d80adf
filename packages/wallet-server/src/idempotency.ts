import { FinishedJson, stringifyJson } from '@wrkz/service-kit';
import {
  storageError,
  type IdempotencyKey,
  isWalletError,
  type SendObserver,
  type SendSummary,
  type Wallet,
  walletError,
} from '@wrkz/wallet-core';

/** A request with an idempotency key. */
export interface IdempotentRequest<Value> {
  readonly key: IdempotencyKey;
  /** A repetition must carry the same bytes. */
  readonly body: string | Uint8Array;
  /** HTTP status stored with the response. */
  readonly status: number;
  /** A sweep may return only failed entries. Such a response has changed nothing, so its key stays usable. */
  readonly mayBeNothing: boolean;
  /** Runs when no other request uses the key. Throws when the wallet was closed meanwhile. */
  readonly admit?: () => void;
  /** Executes the request; the observer follows each transaction. */
  run(observer: SendObserver): Promise<Value>;
  /**
   * The response to an interrupted request.
   * @param hashes of its recorded transactions, in their order
   * @returns undefined when nothing of it is with the network, so that it has to be executed
   */
  recover(hashes: readonly string[]): Promise<Value | undefined>;
}

interface Dependencies {
  readonly wallet: Wallet;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Executes each request with an idempotency key at most once. A repetition gets the stored response, also after a restart;
 * concurrent requests with one key run one after the other. A transaction that was built for a key stays with the key: a
 * repetition submits the same bytes (docs/operations/wallet-api.md#idempotency-keys).
 */
export class IdempotentRequests {
  /** Running requests by wallet, owner and key. */
  private readonly running = new Map<string, Promise<unknown>>();

  /**
   * @throws WalletError idempotencyKeyReused, idempotencyKeyUnderWay, transactionGivenUp; errors of the wallet database (the
   * services map them with `storageError`); those of `request.run`
   */
  async execute<Value>(dependencies: Dependencies, request: IdempotentRequest<Value>): Promise<Value | FinishedJson> {
    const { owner, key } = request.key;
    const name = JSON.stringify([dependencies.wallet.db.identity.database, owner, key]);
    for (let running = this.running.get(name); running !== undefined; running = this.running.get(name)) {
      await running.catch(() => undefined);
    }
    request.admit?.();
    const result = executeOrReplay(dependencies, request);
    this.running.set(name, result);
    try {
      return await result;
    } finally {
      this.running.delete(name);
    }
  }
}

/** Returns the stored response, submits the transactions of an interrupted request again, or executes a new one. */
async function executeOrReplay<Value>(
  dependencies: Dependencies,
  request: IdempotentRequest<Value>,
): Promise<Value | FinishedJson> {
  const { wallet, now } = dependencies;
  const status = wallet.db.requests.begin(request.key, request.body, now());
  switch (status.kind) {
    case 'other-body':
      throw walletError.idempotencyKeyReused();
    case 'answered': {
      const { answer, sends } = status;
      const replaced = checkNotGivenUp(wallet, sends);
      // The transaction that the stored response names gave way to another one of the request.
      const isOutdated = replaced.some((hash) => answer.body.includes(hash));
      const value = isOutdated ? await request.recover(sends) : undefined;
      return new FinishedJson(value === undefined ? answer.body : stringifyJson(value));
    }
    case 'unanswered': {
      const value = await request.recover(status.sends);
      if (value !== undefined) return store(dependencies, request, value);
      break;
    }
    case 'new':
  }
  return execute(dependencies, request);
}

/**
 * A refused transaction and the one that was built in its place share an input, so the given-up one of the two is not reported:
 * the client would pay again what the other one has paid.
 * @param hashes of one request
 * @returns those that were given up since another one of the request was mined
 * @throws WalletError transactionGivenUp for any other one that was given up
 */
function checkNotGivenUp({ db, snapshot }: Wallet, hashes: readonly string[]): string[] {
  return hashes.filter((hash) => {
    const send = db.sends.get(hash);
    if (send?.state !== 'givenUp' || snapshot.transaction(hash) !== undefined) return false;
    if (!hashes.includes(send.replacedBy ?? '')) throw walletError.transactionGivenUp(hash, send.reason ?? '');
    return true;
  });
}

async function execute<Value>(
  dependencies: Dependencies,
  request: IdempotentRequest<Value>,
): Promise<Value | FinishedJson> {
  const { requests } = dependencies.wallet.db;
  const submitted = new Set<string>();
  let isUncertain = false;
  try {
    const value = await request.run({
      // In the transaction that records the send: a send of this key is never in the database without the key.
      submitting: ({ hash }) => {
        requests.link(request.key, hash);
        submitted.add(hash);
      },
      rejected: ({ hash }) => void submitted.delete(hash),
      uncertain: () => void (isUncertain = true),
    });
    // A sweep reports an uncertain transaction as an entry. A repetition then gets a definite response.
    if (isUncertain) return value;
    if (submitted.size > 0 || !request.mayBeNothing) return store(dependencies, request, value);
    requests.forget(request.key);
    return value;
  } catch (error) {
    // A key with a recorded transaction stays: a repetition submits the same bytes.
    ifWritable(() => requests.forget(request.key));
    throw error;
  }
}

/**
 * Submits recorded transactions again, with the same bytes: two transactions that share an input cannot both be mined.
 * @returns those that are with the network
 * @throws WalletError transactionGivenUp, idempotencyKeyUnderWay, and those of a send
 */
export async function resubmitSends(
  wallet: Wallet,
  hashes: readonly string[],
  observer?: SendObserver,
): Promise<SendSummary[]> {
  const sends: SendSummary[] = [];
  const replaced = checkNotGivenUp(wallet, hashes);
  for (const hash of hashes.filter((one) => !replaced.includes(one))) {
    const send = await wallet.resubmit(hash, observer);
    if (send !== undefined) sends.push(send);
  }
  return sends;
}

function store<Value>({ wallet }: Dependencies, { key, status }: IdempotentRequest<Value>, value: Value): FinishedJson {
  const body = stringifyJson(value);
  ifWritable(() => wallet.db.requests.answer(key, { status, body }));
  return new FinishedJson(body);
}

/**
 * Ignores a full disk, so that it does not hide the outcome of a send: a repetition of a request without a stored response
 * recovers it from its transactions.
 */
function ifWritable(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isWalletError(storageError(error), 'invalidWalletFilename')) throw error;
  }
}
