import type { SqliteConnection } from '@wrkz/sqlite';
import { countWrite } from './writes';

/** A delayed one waits until it is asked for; one that is on its way may have left, and is asked for by its hash. */
export type DelayedState = 'delayed' | 'sending' | 'sent' | 'deleted';

export interface DelayedTransaction {
  /** 64 hex characters. */
  readonly hash: string;
  /** Unix milliseconds. */
  readonly created: number;
  readonly state: DelayedState;
  /** The finished transaction. */
  readonly bytes: Buffer;
  /** What the ledger records when it leaves, as its owner writes it. */
  readonly intent: string;
}

type Row = [Buffer, number, DelayedState, Buffer, string];

/** Transactions that were built, answered, and are to be sent later: none is lost and none sent twice over a restart. */
export class DelayedTransactions {
  constructor(private readonly connection: SqliteConnection) {}

  /** In the order in which they were made. */
  inState(state: DelayedState): DelayedTransaction[] {
    return this.connection
      .prepare<[DelayedState], Row>('SELECT * FROM delayed WHERE state = ? ORDER BY created, hash')
      .raw(true)
      .all(state)
      .map(fromRow);
  }

  get(hash: string): DelayedTransaction | undefined {
    const row = this.connection
      .prepare<[Buffer], Row>('SELECT * FROM delayed WHERE hash = ?')
      .raw(true)
      .get(Buffer.from(hash, 'hex'));
    return row && fromRow(row);
  }

  add({ hash, created, bytes, intent }: Omit<DelayedTransaction, 'state'>): void {
    this.counted(() =>
      this.connection
        .prepare("INSERT INTO delayed VALUES (?, ?, 'delayed', ?, ?)")
        .run(Buffer.from(hash, 'hex'), created, bytes, intent),
    );
  }

  /**
   * Changes the state of one that is in another.
   * @returns false when it is not in that state: somebody else was quicker
   */
  move(hash: string, from: DelayedState, to: DelayedState): boolean {
    // Asked of every transaction that a scan finds: nothing is written, and no disk waited for, where there is none to move.
    if (this.stateOf(hash) !== from) return false;
    return this.counted(() => {
      const { changes } = this.connection
        .prepare('UPDATE delayed SET state = ? WHERE hash = ? AND state = ?')
        .run(to, Buffer.from(hash, 'hex'), from);
      return changes === 1;
    });
  }

  private stateOf(hash: string): DelayedState | undefined {
    return this.connection
      .prepare<[Buffer], DelayedState>('SELECT state FROM delayed WHERE hash = ?')
      .pluck()
      .get(Buffer.from(hash, 'hex'));
  }

  /** A copy of an earlier day does not know what was built, or has left, since: it has to show as one. */
  private counted<Result>(write: () => Result): Result {
    return this.connection
      .transaction(() => {
        const result = write();
        countWrite(this.connection);
        return result;
      })
      .immediate();
  }
}

function fromRow([hash, created, state, bytes, intent]: Row): DelayedTransaction {
  return { hash: hash.toString('hex'), created, state, bytes, intent };
}
