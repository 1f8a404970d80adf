import { stringifyJson, FinishedJson } from '@wrkz/service-kit';
import {
  type FinishedSend,
  type KeptSend,
  type RequestKey,
  sealSend,
  type ServedWallet,
  walletError,
} from '@wrkz/wallet-core';

/** What the work of a request tells of the transactions that it sends. */
export interface SendNotes {
  /** It is about to leave. */
  readonly leaving: (send: FinishedSend) => void;
  /** It did not leave after all. */
  readonly stayed: (hash: string) => void;
}

/** Work that is done once for a key. */
export interface KeyedWork<Value> {
  run(notes: SendNotes): Promise<Value>;
  /** The answer to a request that a kill came before, if what it was going to do was done; undefined when it was not. */
  recovered(sends: readonly KeptSend[]): Promise<Value | undefined>;
}

/**
 * Does what a request with an `idempotencyKey` asks for once: whoever comes with the same key gets the first answer, also
 * while the first is at work, and after a restart (docs/operations/wallet-rpc.md#idempotency).
 */
export class KeyedRequests {
  private readonly running = new Map<string, Promise<unknown>>();

  constructor(
    private readonly surroundings: Pick<ServedWallet, 'wallet' | 'sideFile'> & { readonly now: () => number },
  ) {}

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
    const { wallet, sideFile, now } = this.surroundings;
    const { answers } = sideFile;
    const standing = answers.begin(key, body, now());
    if (standing.kind === 'other-body') throw walletError.idempotencyKeyReused();
    if (standing.kind === 'answered') return new FinishedJson(standing.answer.body);
    if (standing.kind === 'unanswered') {
      const recovered = await work.recovered(standing.sends);
      if (recovered !== undefined) return this.keep(key, recovered);
      answers.forget(key);
      answers.begin(key, body, now());
    }
    const left = new Set<string>();
    try {
      const value = await work.run({
        leaving: (send) => {
          const { privateViewKey } = wallet.snapshot.content;
          answers.sending(key, { hash: send.hash, sealed: sealSend(send, privateViewKey) });
          left.add(send.hash);
        },
        stayed: (hash) => {
          answers.stayed(key, hash);
          left.delete(hash);
        },
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
