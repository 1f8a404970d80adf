import { groupBy } from '@wrkz/service-kit/base';
import type { SendSummary, SignedSend, RingMember } from '../transaction/model';
import type { RetiredOutput } from '../ledger/model';
import type { SealedDatabase } from './sealed-database';
import { SealedTable } from './sealed-table';

/** `refused`: a node refused the send, but it may still be mined. `settled`: final after enough confirmations. */
export type SendState = 'pending' | 'refused' | 'givenUp' | 'confirmed' | 'settled';

export interface StoredSend {
  /** 64 hex characters. */
  readonly hash: string;
  readonly state: SendState;
  /** Unix milliseconds. */
  readonly created: number;
  /** The signed transaction; undefined for a settled send. */
  readonly signed?: SignedSend | undefined;
  /** Retained after the signed transaction was removed. */
  readonly summary?: SendSummary | undefined;
  /** Reason of a refused or given-up send. */
  readonly reason?: string | undefined;
  /** Transaction that permanently spent an input of a given-up send. */
  readonly replacedBy?: string | undefined;
  readonly height?: number | undefined;
  /** Height of the first refusal. */
  readonly refusedSince?: number | undefined;
}

/** Own transactions by hash, recorded before their first submission. */
export class SendTable {
  private readonly open;
  /** A separate table, so that a long history does not slow down listing open sends. */
  private readonly settled;

  constructor(private readonly database: SealedDatabase) {
    this.open = database.table<StoredSend>('sends');
    this.settled = database.table<StoredSend>('settled_sends');
  }

  get(hash: string): StoredSend | undefined {
    return this.open.get(hash) ?? this.settled.get(hash);
  }

  /** Whether a send has a row. The row is not authenticated. */
  has(hash: string): boolean {
    return this.open.has(hash) || this.settled.has(hash);
  }

  put(send: StoredSend): void {
    const isSettled = send.state === 'settled';
    this.database.transaction(() => {
      this.database.advance();
      (isSettled ? this.open : this.settled).delete(send.hash);
      if (isSettled) this.settled.put(send.hash, { ...send, signed: undefined });
      else this.open.put(send.hash, send);
    });
  }

  delete(hash: string): boolean {
    return this.database.transaction(() => {
      this.database.advance();
      return this.open.delete(hash) || this.settled.delete(hash);
    });
  }

  /** Sends in the given states, by default all: open ones, then settled ones, each in insertion order. */
  all(states?: readonly SendState[]): StoredSend[] {
    const open = [...this.open.rows()].filter(({ state }) => states?.includes(state) ?? true);
    return states?.includes('settled') === false ? open : [...open, ...this.settled.rows()];
  }
}

/** The stored ring of an input, which a rebuild must use again. */
export interface StoredRing {
  readonly members: readonly RingMember[];
  /** Of the members. Another output with the same key image may have another amount. */
  readonly amount?: bigint | undefined;
  readonly refusals: number;
  /** Whether the next send draws a new ring. */
  readonly isReplaced: boolean;
}

/** A built transaction that a later request of its creator sends or deletes. It locks no outputs. */
export interface PreparedTransaction {
  readonly hash: string;
  readonly signed: SignedSend;
  /** Name of the access key that prepared it. */
  readonly creator: string;
  /** Requested addresses; undefined in rows of older versions. */
  readonly destinations?: readonly string[] | undefined;
  /** Unix milliseconds. */
  readonly created: number;
}

/** Max number of prepared transactions. Each may take 100 KB. */
const MAX_PREPARED = 1_000;

/**
 * Prepared transactions by hash. Above 1,000 rows, the oldest row of the creator with the most rows is evicted, so that one
 * key cannot evict the rows of another.
 */
export class PreparedTable extends SealedTable<PreparedTransaction> {
  /** Creators by hash, in insertion order. Loaded when the table is full; may contain hashes that were deleted since. */
  private creators: Map<string, string> | undefined;

  override put(hash: string, prepared: PreparedTransaction): void {
    this.dependencies.transaction(() => {
      super.put(hash, prepared);
      this.creators?.set(hash, prepared.creator);
      while (this.lastButNewest(MAX_PREPARED) !== 0) {
        this.creators ??= new Map(Array.from(this.rows(), (row) => [row.hash, row.creator]));
        const byCreator = [...groupBy(this.creators, ([, creator]) => creator).values()];
        const [largest = []] = byCreator.sort((a, b) => b.length - a.length);
        const [oldest = ''] = largest[0] ?? [];
        this.creators.delete(oldest);
        this.delete(oldest);
      }
    });
  }
}

/** `sending`: the transaction may have been submitted, without a confirmation by a node. */
export type DelayedSendState = 'delayed' | 'sending' | 'sent' | 'deleted';

export interface DelayedSend {
  readonly hash: string;
  /** Unix milliseconds. */
  readonly created: number;
  readonly state: DelayedSendState;
  readonly signed: SignedSend;
}

/** Built and recorded transactions that a later request of the client sends. */
export class DelayedTable {
  private readonly delayed;

  constructor(private readonly database: SealedDatabase) {
    this.delayed = database.table<DelayedSend>('delayed');
  }

  get(hash: string): DelayedSend | undefined {
    return this.delayed.get(hash);
  }

  /** Delayed transactions in a state, in insertion order. */
  inState(state: DelayedSendState): DelayedSend[] {
    return [...this.delayed.rows()].filter((row) => row.state === state);
  }

  /** @throws RangeError when the hash exists */
  add(transaction: Omit<DelayedSend, 'state'>): void {
    const { hash } = transaction;
    if (this.delayed.has(hash)) throw new RangeError(`the delayed transaction ${hash} already exists`);
    this.write({ ...transaction, state: 'delayed' });
  }

  /**
   * Compare-and-set of the state.
   * @returns false without a change if the transaction is not in the state `from`
   */
  move(hash: string, from: DelayedSendState, to: DelayedSendState): boolean {
    const row = this.delayed.get(hash);
    if (row?.state !== from) return false;
    this.write({ ...row, state: to });
    return true;
  }

  private write(row: DelayedSend): void {
    this.database.transaction(() => {
      this.delayed.put(row.hash, row);
      this.database.advance();
    });
  }
}

/** Spent outputs that were removed from the ledger, by one-time key. A rewind or rescan needs them. */
export class RetiredTable extends SealedTable<RetiredOutput> {
  /** The highest spend height; undefined until all rows are read. Most reorganisations are above it and need no scan. */
  private highest: number | undefined;

  override put(key: string, retired: RetiredOutput): void {
    super.put(key, retired);
    if (this.highest !== undefined) this.highest = Math.max(this.highest, retired.output.spendHeight);
  }

  /** Outputs that were spent at or above this height. */
  from(spendHeight: number): RetiredOutput[] {
    if (spendHeight > (this.highest ?? Infinity)) return [];
    let highest = 0;
    const found: RetiredOutput[] = [];
    for (const row of this.rows()) {
      highest = Math.max(highest, row.output.spendHeight);
      if (row.output.spendHeight >= spendHeight) found.push(row);
    }
    this.highest = highest;
    return found;
  }
}
