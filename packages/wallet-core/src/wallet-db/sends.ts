import type { SendSummary, SignedSend } from '../transaction/model';
import type { RetiredOutput } from '../ledger/model';
import type { SealedDatabase } from './sealed-database';
import { SealedTable } from './sealed-table';

/** `refused`: a node rejected it, and its bytes may still be mined. `settled`: enough blocks confirm it. */
export type SendState = 'pending' | 'refused' | 'givenUp' | 'confirmed' | 'settled';

export interface StoredSend {
  /** 64 hex characters. */
  readonly hash: string;
  readonly state: SendState;
  /** Unix milliseconds. */
  readonly created: number;
  /** The signed transaction; a settled send has none. */
  readonly signed?: SignedSend | undefined;
  /** Stays when the bytes are dropped. */
  readonly summary?: SendSummary | undefined;
  /** Why it was refused or given up. */
  readonly reason?: string | undefined;
  /** Height of its block. */
  readonly height?: number | undefined;
  /** Height at which it was first refused. */
  readonly refusedSince?: number | undefined;
}

/** Own transactions by hash, recorded before they are first submitted. */
export class SendTable {
  readonly #open;
  /** Apart from the others, so that a long history does not slow down the listing of open sends. */
  readonly #settled;

  constructor(private readonly database: SealedDatabase) {
    this.#open = database.table<StoredSend>('sends');
    this.#settled = database.table<StoredSend>('settled_sends');
  }

  get(hash: string): StoredSend | undefined {
    return this.#open.get(hash) ?? this.#settled.get(hash);
  }

  put(send: StoredSend): void {
    const isSettled = send.state === 'settled';
    this.database.transaction(() => {
      this.database.advance();
      (isSettled ? this.#open : this.#settled).delete(send.hash);
      if (isSettled) this.#settled.put(send.hash, { ...send, signed: undefined });
      else this.#open.put(send.hash, send);
    });
  }

  delete(hash: string): boolean {
    return this.database.transaction(() => {
      this.database.advance();
      return this.#open.delete(hash) || this.#settled.delete(hash);
    });
  }

  /** Those in one of the states, or all: the open ones in the order of their first insertion, then the settled ones. */
  all(states?: readonly SendState[]): StoredSend[] {
    const open = [...this.#open.rows()].filter(({ state }) => states?.includes(state) ?? true);
    return states?.includes('settled') === false ? open : [...open, ...this.#settled.rows()];
  }
}

/** A transaction that is built and waits for its creator's decision. It locks no outputs. */
export interface PreparedTransaction {
  readonly hash: string;
  readonly signed: SignedSend;
  /** Name of the access key that prepared it. */
  readonly creator: string;
  /** Unix milliseconds. */
  readonly created: number;
}

/** `sending`: it may have been submitted, and the node has not confirmed that it has it. */
export type DelayedSendState = 'delayed' | 'sending' | 'sent' | 'deleted';

export interface DelayedSend {
  readonly hash: string;
  /** Unix milliseconds. */
  readonly created: number;
  readonly state: DelayedSendState;
  readonly signed: SignedSend;
}

/** Transactions that were built, returned to the client, and are sent by a later request. */
export class DelayedTable {
  readonly #delayed;

  constructor(private readonly database: SealedDatabase) {
    this.#delayed = database.table<DelayedSend>('delayed');
  }

  get(hash: string): DelayedSend | undefined {
    return this.#delayed.get(hash);
  }

  /** In the order in which they were added. */
  inState(state: DelayedSendState): DelayedSend[] {
    return [...this.#delayed.rows()].filter((row) => row.state === state);
  }

  /** @throws RangeError when the hash is there already */
  add(transaction: Omit<DelayedSend, 'state'>): void {
    const { hash } = transaction;
    if (this.#delayed.has(hash)) throw new RangeError(`the delayed transaction ${hash} exists already`);
    this.write({ ...transaction, state: 'delayed' });
  }

  /**
   * Compare-and-set of the state. Writes nothing when it does not apply.
   * @returns false when the transaction is not in the state `from`
   */
  move(hash: string, from: DelayedSendState, to: DelayedSendState): boolean {
    const row = this.#delayed.get(hash);
    if (row?.state !== from) return false;
    this.write({ ...row, state: to });
    return true;
  }

  private write(row: DelayedSend): void {
    this.database.transaction(() => {
      this.#delayed.put(row.hash, row);
      this.database.advance();
    });
  }
}

/** Spent outputs that have left the ledger, by one-time key: a rewind or a rescan needs them again. */
export class RetiredTable extends SealedTable<RetiredOutput> {
  /** Those that were spent at this height or above. */
  from(spendHeight: number): RetiredOutput[] {
    return [...this.rows()].filter(({ output }) => output.spendHeight >= spendHeight);
  }
}
