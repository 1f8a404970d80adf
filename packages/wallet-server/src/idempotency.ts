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

export interface IdempotentRequest<Value> {
  readonly key: IdempotencyKey;
  /** Request body. A repeated request must have the same bytes. */
  readonly body: string | Uint8Array;
  /** HTTP status stored with the response. */
  readonly status: number;
  /** Whether a response may have no transaction, like a sweep with failed entries only. Its key can then be used again. */
  readonly mayBeNothing: boolean;
  /** Called before the execution, when no other request uses the key. Throws when the wallet was closed meanwhile. */
  readonly admit?: () => void;
  /** Executes the request and reports each transaction to the observer. */
  run(observer: SendObserver): Promise<Value>;
  /**
   * Builds the response to an interrupted request.
   * @param hashes hashes of its recorded transactions, in order
   * @returns undefined if the network has none of them, so that the request must be executed
   */
  recover(hashes: readonly string[]): Promise<Value | undefined>;
}

interface Dependencies {
  readonly wallet: Wallet;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Executes each request with an idempotency key at most once. A repeated request gets the stored response, even after a
 * restart. Concurrent requests with the same key run sequentially. Transactions are stored with their key, so that a repeated
 * request submits the same bytes (docs/operations/wallet-api.md#idempotency-keys).
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
    case 'completed': {
      const { response, sends } = status;
      const replaced = checkNotGivenUp(wallet, sends);
      // The transaction in the stored response was replaced by another one of the same request.
      const isOutdated = replaced.some((hash) => response.body.includes(hash));
      const value = isOutdated ? await request.recover(sends) : undefined;
      return new FinishedJson(value === undefined ? response.body : stringifyJson(value));
    }
    case 'incomplete': {
      const value = await request.recover(status.sends);
      if (value !== undefined) return store(dependencies, request, value);
      break;
    }
    case 'new':
  }
  return execute(dependencies, request);
}

/**
 * Checks a request for given-up transactions. A refused transaction and its replacement share an input. If one of them was
 * mined, the other one is not an error: the client would pay again.
 * @param hashes hashes of the transactions of one request
 * @returns the given-up transactions that another transaction of the request replaced
 * @throws WalletError transactionGivenUp for any other given-up transaction
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
      // Runs in the database transaction that records the send, so that the send is never stored without its key.
      submitting: ({ hash }) => {
        requests.link(request.key, hash);
        submitted.add(hash);
      },
      rejected: ({ hash }) => void submitted.delete(hash),
      uncertain: () => void (isUncertain = true),
    });
    // The response of a sweep with an uncertain transaction is not stored: a repeated request gets a definite one.
    if (isUncertain) return value;
    if (submitted.size > 0 || !request.mayBeNothing) return store(dependencies, request, value);
    requests.forget(request.key);
    return value;
  } catch (error) {
    // `forget` retains a key with a recorded transaction: a repeated request submits the same bytes.
    ifWritable(() => requests.forget(request.key));
    throw error;
  }
}

/**
 * Submits the recorded bytes of transactions again.
 * @returns the transactions that the network has
 * @throws WalletError transactionGivenUp, idempotencyKeyUnderWay, and those of a send. An empty list means that the request must
 * be executed
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
  // Another payment spent an input of the refused transaction. Until that is final, a reorganisation could still mine the
  // refused one, and a rebuilt one shares no input with it.
  if (sends.length === 0 && hashes.some((hash) => wallet.isReplaced(hash))) throw walletError.idempotencyKeyUnderWay();
  return sends;
}

function store<Value>({ wallet }: Dependencies, { key, status }: IdempotentRequest<Value>, value: Value): FinishedJson {
  const body = stringifyJson(value);
  ifWritable(() => wallet.db.requests.complete(key, { status, body }));
  return new FinishedJson(body);
}

/**
 * Ignores a full disk, so that it does not hide the outcome of a send. Without a stored response, a repeated request recovers
 * the response from the transactions.
 */
function ifWritable(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isWalletError(storageError(error), 'invalidWalletFilename')) throw error;
  }
}
