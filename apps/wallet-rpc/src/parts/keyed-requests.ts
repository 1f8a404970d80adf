import { stringifyJson, FinishedJson } from '@wrkz/service-kit';
import { type RequestKey, type ServedWallet, walletError } from '@wrkz/wallet-core';

/** Work that is done once for a key. */
export interface KeyedWork<Value> {
  /** @param leaving notes the hash of a transaction before it counts */
  run(notes: { readonly leaving: (hash: string) => void; readonly stayed: (hash: string) => void }): Promise<Value>;
  /** The answer to a request that a kill came before, if what it was going to do was done; undefined when it was not. */
  recovered(hashes: readonly string[]): Value | 'undecided' | undefined;
}

/**
 * Does what a request with an `idempotencyKey` asks for once: whoever comes with the same key gets the first answer, also
 * while the first is at work, and after a restart (docs/operations/wallet-rpc.md#idempotency).
 */
export class KeyedRequests {
  private readonly running = new Map<string, Promise<unknown>>();

  constructor(private readonly surroundings: Pick<ServedWallet, 'sideFile'> & { readonly now: () => number }) {}

  /** @throws WalletError 1002, 1003, and what the work throws */
  async once<Value>(
    key: string | undefined,
    method: string,
    params: object,
    work: KeyedWork<Value>,
  ): Promise<Value | FinishedJson> {
    if (key === undefined) return work.run({ leaving: () => undefined, stayed: () => undefined });
    for (let before = this.running.get(key); before !== undefined; before = this.running.get(key)) {
      await before.catch(() => undefined);
    }
    const result = this.begin({ owner: 'json-rpc', key }, `${method} ${stringifyJson(params)}`, work);
    this.running.set(key, result);
    try {
      return await result;
    } finally {
      this.running.delete(key);
    }
  }

  private async begin<Value>(key: RequestKey, body: string, work: KeyedWork<Value>): Promise<Value | FinishedJson> {
    const { sideFile, now } = this.surroundings;
    const { answers } = sideFile;
    const standing = answers.begin(key, body, now());
    if (standing.kind === 'other-body') throw walletError.idempotencyKeyReused();
    if (standing.kind === 'answered') return new FinishedJson(standing.answer.body);
    if (standing.kind === 'unanswered') {
      const recovered = work.recovered(standing.transactions);
      if (recovered === 'undecided') throw walletError.idempotencyKeyUnderWay();
      if (recovered !== undefined) return this.keep(key, recovered);
      answers.forget(key);
      answers.begin(key, body, now());
    }
    const left = new Set<string>();
    try {
      const value = await work.run({
        leaving: (hash) => {
          answers.sending(key, hash);
          left.add(hash);
        },
        stayed: (hash) => void left.delete(hash),
      });
      return this.keep(key, value);
    } catch (error) {
      // What may have left is found out when the key comes again.
      if (left.size === 0) answers.forget(key);
      throw error;
    }
  }

  private keep<Value>(key: RequestKey, value: Value): Value {
    this.surroundings.sideFile.answers.answered(key, { status: 200, body: stringifyJson(value) });
    return value;
  }
}
