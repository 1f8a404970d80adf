import { createHash } from 'node:crypto';
import type { SealedDatabase } from './sealed-database';

/** The idempotency key of a request, and the access key whose client chose it: clients may choose equal ones. */
export interface IdempotencyKey {
  readonly owner: string;
  readonly key: string;
}

export interface RequestAnswer {
  readonly status: number;
  readonly body: string;
}

/** What is known of a request. `sends` are the hashes of its transactions, in their order. */
export type RequestStatus =
  /** It was not known, and now is. */
  | { readonly kind: 'new' }
  /** The key was used with another body. */
  | { readonly kind: 'other-body' }
  | { readonly kind: 'answered'; readonly answer: RequestAnswer; readonly sends: readonly string[] }
  /** It was begun, in this run or in an earlier one, and has no answer. */
  | { readonly kind: 'unanswered'; readonly sends: readonly string[] };

interface StoredRequest extends IdempotencyKey {
  readonly bodyHash: Buffer;
  /** Unix milliseconds. */
  readonly begun: number;
  readonly answer?: RequestAnswer | undefined;
  readonly sends: readonly string[];
}

/** Which requests may be dropped. */
export interface RequestRetention {
  /** Those begun before it, Unix milliseconds. */
  readonly before: number;
  /** This many stay whatever their age: a clock that is wrong for a moment must not empty the table. */
  readonly newest: number;
}

const MAX_DROPPED_AT_ONCE = 1_000;

const nameOf = ({ owner, key }: IdempotencyKey): string => JSON.stringify([owner, key]);

/** Requests by idempotency key: each is done once, and its answer is repeated. */
export class RequestTable {
  readonly #requests;
  /** Sequence number at which the next slice of `dropOld` begins; undefined: at the oldest row. */
  #dropFrom: number | undefined;

  constructor(private readonly database: SealedDatabase) {
    this.#requests = database.table<StoredRequest>('requests');
  }

  /** @param body as the client sent it @param now Unix milliseconds */
  begin(request: IdempotencyKey, body: string | Uint8Array, now: number): RequestStatus {
    const bodyHash = createHash('sha256').update(body).digest();
    return this.database.transaction((): RequestStatus => {
      const stored = this.#requests.get(nameOf(request));
      if (stored === undefined) {
        this.write({ owner: request.owner, key: request.key, bodyHash, begun: now, sends: [] });
        return { kind: 'new' };
      }
      const { answer, sends } = stored;
      if (!stored.bodyHash.equals(bodyHash)) return { kind: 'other-body' };
      return answer === undefined ? { kind: 'unanswered', sends } : { kind: 'answered', answer, sends };
    });
  }

  /** Records that the request sends this transaction. Called before it is submitted. @throws RangeError: not begun */
  link(request: IdempotencyKey, hash: string): void {
    this.change(request, (stored) => {
      if (stored.sends.includes(hash)) return stored;
      this.database.advance();
      return { ...stored, sends: [...stored.sends, hash] };
    });
  }

  /** Stores the answer; an earlier one stays. @throws RangeError when the request was not begun */
  answer(request: IdempotencyKey, answer: RequestAnswer): void {
    this.change(request, (stored) => (stored.answer === undefined ? { ...stored, answer } : stored));
  }

  /**
   * Forgets a request that has neither an answer nor a transaction, so that its key may be used again.
   * @returns whether it was forgotten
   */
  forget(request: IdempotencyKey): boolean {
    return this.database.transaction(() => {
      const stored = this.#requests.get(nameOf(request));
      if (stored === undefined || stored.answer !== undefined || stored.sends.length > 0) return false;
      return this.#requests.delete(nameOf(request));
    });
  }

  /**
   * Drops old requests whose transactions are all settled, one slice at a time.
   * @returns whether there may be more
   */
  dropOld({ before, newest }: RequestRetention, isSettled: (hash: string) => boolean): boolean {
    return this.database.transaction(() => {
      const last = this.#requests.lastButNewest(newest);
      const slice = [...this.#requests.scan(this.#dropFrom, MAX_DROPPED_AT_ONCE)];
      const old = slice.filter(({ sequence, row }) => sequence <= last && row.begun < before);
      for (const { row } of old) if (row.sends.every(isSettled)) this.#requests.delete(nameOf(row));
      const mayHaveMore = slice.length === MAX_DROPPED_AT_ONCE && old.length > 0;
      this.#dropFrom = mayHaveMore ? (slice.at(-1)?.sequence ?? 0) + 1 : undefined;
      return mayHaveMore;
    });
  }

  private change(request: IdempotencyKey, change: (stored: StoredRequest) => StoredRequest): void {
    this.database.transaction(() => {
      const stored = this.#requests.get(nameOf(request));
      if (stored === undefined) throw new RangeError('no request with this idempotency key was begun');
      const changed = change(stored);
      if (changed !== stored) this.write(changed);
    });
  }

  private write(stored: StoredRequest): void {
    this.#requests.put(nameOf(stored), stored);
  }
}
