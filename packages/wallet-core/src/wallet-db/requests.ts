import { createHash } from 'node:crypto';
import type { SealedDatabase } from './sealed-database';

/** An idempotency key. Clients with different access keys may choose equal keys. */
export interface IdempotencyKey {
  /** Name of the access key. */
  readonly owner: string;
  readonly key: string;
}

export interface StoredResponse {
  readonly status: number;
  readonly body: string;
}

/** The state of a request. `sends` are the hashes of its transactions, in order. */
export type RequestStatus =
  /** First use of the key. The request was recorded. */
  | { readonly kind: 'new' }
  /** The key was used with another body. */
  | { readonly kind: 'other-body' }
  | { readonly kind: 'completed'; readonly response: StoredResponse; readonly sends: readonly string[] }
  /** The request was begun, possibly before a restart, and has no response. */
  | { readonly kind: 'incomplete'; readonly sends: readonly string[] };

interface StoredRequest extends IdempotencyKey {
  readonly bodyHash: Buffer;
  /** Unix milliseconds. */
  readonly begun: number;
  /** The response. The name is part of the stored format. */
  readonly answer?: StoredResponse | undefined;
  readonly sends: readonly string[];
}

/** Requests that `dropOld` retains. */
export interface RequestRetention {
  /** Unix milliseconds. Requests begun at or after this time are retained. */
  readonly before: number;
  /** Number of newest requests retained regardless of age, so that a temporarily wrong clock does not empty the table. */
  readonly newest: number;
}

const MAX_DROPPED_AT_ONCE = 1_000;

const nameOf = ({ owner, key }: IdempotencyKey): string => JSON.stringify([owner, key]);

/** Requests by idempotency key. A repeated request gets the stored response of the first one. */
export class RequestTable {
  private readonly requests;
  /** Sequence number where the next slice of `dropOld` begins; undefined for the oldest row. */
  private dropFrom: number | undefined;

  constructor(private readonly database: SealedDatabase) {
    this.requests = database.table<StoredRequest>('requests');
  }

  /** Records a request, or returns its recorded state. @param body as received @param now Unix milliseconds */
  begin(request: IdempotencyKey, body: string | Uint8Array, now: number): RequestStatus {
    const bodyHash = createHash('sha256').update(body).digest();
    return this.database.transaction((): RequestStatus => {
      const stored = this.requests.get(nameOf(request));
      if (stored === undefined) {
        this.write({ owner: request.owner, key: request.key, bodyHash, begun: now, sends: [] });
        return { kind: 'new' };
      }
      const { answer: response, sends } = stored;
      if (!stored.bodyHash.equals(bodyHash)) return { kind: 'other-body' };
      return response === undefined ? { kind: 'incomplete', sends } : { kind: 'completed', response, sends };
    });
  }

  /** Records a transaction of the request before its submission. @throws RangeError when the request was not begun */
  link(request: IdempotencyKey, hash: string): void {
    this.change(request, (stored) => {
      if (stored.sends.includes(hash)) return stored;
      this.database.advance();
      return { ...stored, sends: [...stored.sends, hash] };
    });
  }

  /** Stores the response unless one is stored already. @throws RangeError when the request was not begun */
  complete(request: IdempotencyKey, response: StoredResponse): void {
    this.change(request, (stored) => (stored.answer === undefined ? { ...stored, answer: response } : stored));
  }

  /**
   * Deletes a request that has neither a response nor transactions, so that the key can be used again.
   * @returns whether it was deleted
   */
  forget(request: IdempotencyKey): boolean {
    return this.database.transaction(() => {
      const stored = this.requests.get(nameOf(request));
      if (stored === undefined || stored.answer !== undefined || stored.sends.length > 0) return false;
      return this.requests.delete(nameOf(request));
    });
  }

  /**
   * Deletes old requests whose transactions are all settled, one slice per call.
   * @returns whether the next call may find more
   */
  dropOld({ before, newest }: RequestRetention, isSettled: (hash: string) => boolean): boolean {
    return this.database.transaction(() => {
      const last = this.requests.lastButNewest(newest);
      const slice = [...this.requests.scan(this.dropFrom, MAX_DROPPED_AT_ONCE)];
      const old = slice.filter(({ sequence, row }) => sequence <= last && row.begun < before);
      for (const { row } of old) if (row.sends.every(isSettled)) this.requests.delete(nameOf(row));
      const mayHaveMore = slice.length === MAX_DROPPED_AT_ONCE && old.length > 0;
      this.dropFrom = mayHaveMore ? (slice.at(-1)?.sequence ?? 0) + 1 : undefined;
      return mayHaveMore;
    });
  }

  private change(request: IdempotencyKey, change: (stored: StoredRequest) => StoredRequest): void {
    this.database.transaction(() => {
      const stored = this.requests.get(nameOf(request));
      if (stored === undefined) throw new RangeError('no request with this idempotency key is recorded');
      const changed = change(stored);
      if (changed !== stored) this.write(changed);
    });
  }

  private write(stored: StoredRequest): void {
    this.requests.put(nameOf(stored), stored);
  }
}
