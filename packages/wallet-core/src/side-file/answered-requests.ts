import { createHash } from 'node:crypto';
import type { SqliteConnection } from '@wrkz/sqlite';

/** Whose key it is, so that callers with keys of their own do not meet in one name; and the key as they gave it. */
export interface RequestKey {
  readonly owner: string;
  readonly key: string;
}

export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
}

/** A transaction of a request that has no answer yet. */
export interface KeptSend {
  /** 64 hex characters. */
  readonly hash: string;
  /** The whole of it, as its owner seals it: whoever asks again sends the same one again, which cannot pay twice. */
  readonly sealed: Buffer;
}

/** What is known of a request whose key comes again. */
export type RequestStanding =
  /** It is new, and is now noted. */
  | { readonly kind: 'new' }
  /** The key came with another body. */
  | { readonly kind: 'other-body' }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  /**
   * It was begun and not answered, in this run or one that was killed. These are the transactions that it was going to send,
   * in their order: nobody knows yet whether they left.
   */
  | { readonly kind: 'unanswered'; readonly sends: readonly KeptSend[] };

/** Which answers may go. */
export interface AnswersToDrop {
  /** Those of requests that were begun before it; Unix milliseconds. */
  readonly before: number;
  /** So many stay whatever their age: a clock that was wrong for a moment must not cost the memory. */
  readonly newest: number;
}

/** Dropped at once; more of them would hold up everything else. */
const DROPPED_AT_ONCE = 1_000;

/** Requests by the key that their caller gave them: each is done once, and its answer given again. */
export class AnsweredRequests {
  constructor(private readonly connection: SqliteConnection) {}

  /** @param body as its caller sent it @param now Unix milliseconds */
  begin({ owner, key }: RequestKey, body: string | Uint8Array, now: number): RequestStanding {
    const hash = createHash('sha256').update(body).digest();
    return this.connection
      .transaction((): RequestStanding => {
        const row = this.row(owner, key);
        if (row === undefined) {
          this.connection.prepare('INSERT INTO answers VALUES (?, ?, ?, ?, NULL, NULL)').run(owner, key, hash, now);
          return { kind: 'new' };
        }
        const [bodyHash, status, answer] = row;
        if (!bodyHash.equals(hash)) return { kind: 'other-body' };
        if (status !== null && answer !== null) return { kind: 'answered', answer: { status, body: answer } };
        return { kind: 'unanswered', sends: this.sends(owner, key) };
      })
      .immediate();
  }

  /** One more transaction of this request is about to leave. To be called before it does. */
  sending({ owner, key }: RequestKey, { hash, sealed }: KeptSend): void {
    this.connection
      .transaction(() => {
        if (this.row(owner, key) === undefined) throw new RangeError('no request of this key was begun');
        this.connection
          .prepare('INSERT OR IGNORE INTO leaving (owner, key, hash, sealed) VALUES (?, ?, ?, ?)')
          .run(owner, key, hash, sealed);
      })
      .immediate();
  }

  /** It certainly did not leave, and will not. */
  stayed({ owner, key }: RequestKey, hash: string): void {
    this.connection.prepare('DELETE FROM leaving WHERE owner = ? AND key = ? AND hash = ?').run(owner, key, hash);
  }

  /** The answer that is given whenever the key comes again. The first one stays. */
  answered({ owner, key }: RequestKey, { status, body }: StoredAnswer): void {
    this.connection
      .transaction(() => {
        this.connection
          .prepare('UPDATE answers SET status = ?, body = ? WHERE owner = ? AND key = ? AND status IS NULL')
          .run(status, body, owner, key);
        this.removeSends(owner, key);
      })
      .immediate();
  }

  /** Forgets a request that changed nothing, so that its key may come again. An answered one is kept. */
  forget({ owner, key }: RequestKey): void {
    this.connection
      .transaction(() => {
        const { changes } = this.connection
          .prepare('DELETE FROM answers WHERE owner = ? AND key = ? AND status IS NULL')
          .run(owner, key);
        if (changes > 0) this.removeSends(owner, key);
      })
      .immediate();
  }

  /**
   * Drops old answers, a thousand at most; unanswered requests stay.
   * @returns whether there may be more
   */
  dropAnswered({ before, newest }: AnswersToDrop): boolean {
    const { changes } = this.connection
      .prepare(
        `DELETE FROM answers WHERE (owner, key) IN (
          SELECT owner, key FROM answers WHERE begun < ? AND status IS NOT NULL
            AND begun <= (SELECT begun FROM answers ORDER BY begun DESC LIMIT 1 OFFSET ?)
          ORDER BY begun LIMIT ?)`,
      )
      .run(before, newest, DROPPED_AT_ONCE);
    return changes === DROPPED_AT_ONCE;
  }

  private row(owner: string, key: string): [Buffer, number | null, string | null] | undefined {
    return this.connection
      .prepare<[string, string], [Buffer, number | null, string | null]>(
        'SELECT body_hash, status, body FROM answers WHERE owner = ? AND key = ?',
      )
      .raw(true)
      .get(owner, key);
  }

  private sends(owner: string, key: string): KeptSend[] {
    return this.connection
      .prepare<[string, string], KeptSend>(
        'SELECT hash, sealed FROM leaving WHERE owner = ? AND key = ? ORDER BY place',
      )
      .all(owner, key);
  }

  private removeSends(owner: string, key: string): void {
    this.connection.prepare('DELETE FROM leaving WHERE owner = ? AND key = ?').run(owner, key);
  }
}
