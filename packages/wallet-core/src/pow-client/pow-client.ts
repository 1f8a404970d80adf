import { searchNonce } from '@wrkz/crypto';
import { transactionNonceMeets, transactionPowSearch } from '@wrkz/consensus';
import { POW_NONCE_SIZE } from '@wrkz/core-types';
import type { PowServerSettings } from './settings';
import { searchOnServer } from './server';

/** The longest a wallet waits for a server, in milliseconds. */
const SERVER_LIMIT_MS = 120_000;

export interface PowRequest {
  /** The serialized transaction prefix; its last 8 bytes are the nonce. It is not changed. */
  readonly prefix: Buffer;
  readonly difficulty: bigint;
  /** The index whose rule prices the work, for servers that serve other ages too. */
  readonly height?: number;
  readonly signal?: AbortSignal;
}

export interface PowAnswer {
  /** The 8 bytes to be put at the end of the prefix; they have been verified. */
  readonly nonce: Buffer;
  readonly source: 'server' | 'local';
  /** Why the server was not used, when one was switched on. */
  readonly serverFailure?: string;
}

export interface PowClientOptions {
  /** Threads of the local search; all hardware threads when left out. */
  readonly threads?: number;
  readonly serverLimitMs?: number;
  /** Told when a server was switched on and did not help. */
  readonly onFallback?: (reason: string) => void;
}

/**
 * Finds the proof of work of a transaction: on a server when one is switched on, else here. Nothing of a server is
 * believed: a nonce that does not verify, a refusal and a time-out all lead to the local search.
 */
export class PowClient {
  constructor(
    private readonly settings: PowServerSettings,
    private readonly options: PowClientOptions = {},
  ) {}

  /** @throws AbortError when `request.signal` fires; RangeError when the prefix is too short for a nonce */
  async findNonce(request: PowRequest): Promise<PowAnswer> {
    if (request.prefix.length < POW_NONCE_SIZE) throw new RangeError('the prefix is too short for a nonce');
    request.signal?.throwIfAborted();
    if (!this.settings.enabled) return { nonce: await this.#searchLocally(request), source: 'local' };
    try {
      return { nonce: await this.#askServer(request), source: 'server' };
    } catch (error) {
      request.signal?.throwIfAborted();
      const serverFailure = error instanceof Error ? error.message : String(error);
      this.options.onFallback?.(serverFailure);
      return { nonce: await this.#searchLocally(request), source: 'local', serverFailure };
    }
  }

  #askServer({ prefix, height, difficulty, signal }: PowRequest): Promise<Buffer> {
    const limit = AbortSignal.timeout(this.options.serverLimitMs ?? SERVER_LIMIT_MS);
    return searchOnServer(this.settings, {
      prefix,
      height,
      verify: (nonce) => transactionNonceMeets(prefix, nonce, difficulty),
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
  }

  async #searchLocally({ prefix, difficulty, signal }: PowRequest): Promise<Buffer> {
    const found = await searchNonce({
      ...transactionPowSearch(prefix, difficulty),
      ...(this.options.threads === undefined ? {} : { threads: this.options.threads }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (found === null) throw new Error('no nonce meets the difficulty');
    return found.nonceBytes;
  }
}
