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

/** What is known of a request whose key comes again. */
export type RequestStanding =
  /** It is new, and is now noted. */
  | { readonly kind: 'new' }
  /** The key came with another body. */
  | { readonly kind: 'other-body' }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  /**
   * It was begun and not answered, in this run or one that was killed. The hashes are of the transactions that it was going
   * to send: whether they left is for the wallet to find out.
   */
  | { readonly kind: 'unanswered'; readonly transactions: readonly string[] };

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
          this.connection
            .prepare("INSERT INTO answers VALUES (?, ?, ?, ?, '[]', NULL, NULL)")
            .run(owner, key, hash, now);
          return { kind: 'new' };
        }
        const [bodyHash, transactions, status, answer] = row;
        if (!bodyHash.equals(hash)) return { kind: 'other-body' };
        if (status !== null && answer !== null) return { kind: 'answered', answer: { status, body: answer } };
        return { kind: 'unanswered', transactions: JSON.parse(transactions) as string[] };
      })
      .immediate();
  }

  /** One more transaction of this request is about to leave. To be called before it does. */
  sending({ owner, key }: RequestKey, transactionHash: string): void {
    const { changes } = this.connection
      .prepare("UPDATE answers SET transactions = json_insert(transactions, '$[#]', ?) WHERE owner = ? AND key = ?")
      .run(transactionHash, owner, key);
    if (changes !== 1) throw new RangeError('no request of this key was begun');
  }

  /** The answer that is given whenever the key comes again. The first one stays. */
  answered({ owner, key }: RequestKey, { status, body }: StoredAnswer): void {
    this.connection
      .prepare('UPDATE answers SET status = ?, body = ? WHERE owner = ? AND key = ? AND status IS NULL')
      .run(status, body, owner, key);
  }

  /** Forgets a request that changed nothing, so that its key may come again. An answered one is kept. */
  forget({ owner, key }: RequestKey): void {
    this.connection.prepare('DELETE FROM answers WHERE owner = ? AND key = ? AND status IS NULL').run(owner, key);
  }

  /** Drops answers of requests that were begun before a moment (Unix milliseconds); unanswered ones stay. */
  dropAnsweredBefore(time: number): number {
    return this.connection.prepare('DELETE FROM answers WHERE begun < ? AND status IS NOT NULL').run(time).changes;
  }

  private row(owner: string, key: string): [Buffer, string, number | null, string | null] | undefined {
    return this.connection
      .prepare<[string, string], [Buffer, string, number | null, string | null]>(
        'SELECT body_hash, transactions, status, body FROM answers WHERE owner = ? AND key = ?',
      )
      .raw(true)
      .get(owner, key);
  }
}
