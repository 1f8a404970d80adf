import { groupBy } from '@wrkz/service-kit/base';
import type { SendSummary, SignedSend, RingMember } from '../transaction/model';
import type { RetiredOutput } from '../ledger/model';
import type { SealedDatabase } from './sealed-database';
import { SealedTable } from './sealed-table';

/** `refused`: a node rejected it, but it may still be mined. `settled`: it has enough confirmations to be final. */
export type SendState = 'pending' | 'refused' | 'givenUp' | 'confirmed' | 'settled';

export interface StoredSend {
  /** 64 hex characters. */
  readonly hash: string;
  readonly state: SendState;
  /** Unix milliseconds. */
  readonly created: number;
  /** The signed transaction; undefined for a settled send. */
  readonly signed?: SignedSend | undefined;
  /** Retained after the signed transaction is dropped. */
  readonly summary?: SendSummary | undefined;
  /** Reason of a refused or given-up send. */
  readonly reason?: string | undefined;
  /** Transaction that spent an input of a given-up send for good. */
  readonly replacedBy?: string | undefined;
  /** Block height. */
  readonly height?: number | undefined;
  /** Height of the first refusal. */
  readonly refusedSince?: number | undefined;
}

/** Own transactions by hash, recorded before their first submission. */
export class SendTable {
  private readonly open;
  /** A table of its own, so that a long history does not slow down the listing of open sends. */
  private readonly settled;

  constructor(private readonly database: SealedDatabase) {
    this.open = database.table<StoredSend>('sends');
    this.settled = database.table<StoredSend>('settled_sends');
  }

  get(hash: string): StoredSend | undefined {
    return this.open.get(hash) ?? this.settled.get(hash);
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

  /** Sends in the given states, or all: first open, then settled ones, each in the order of their insertion. */
  all(states?: readonly SendState[]): StoredSend[] {
    const open = [...this.open.rows()].filter(({ state }) => states?.includes(state) ?? true);
    return states?.includes('settled') === false ? open : [...open, ...this.settled.rows()];
  }
}

/** The ring of an input, so that a rebuild uses the same one. */
export interface StoredRing {
  readonly members: readonly RingMember[];
  /** How often a node refused it. */
  readonly refusals: number;
  /** The next send draws another ring. */
  readonly isReplaced: boolean;
}

/** A transaction that was built and is sent or discarded by a later request of its creator. It locks no outputs. */
export interface PreparedTransaction {
  readonly hash: string;
  readonly signed: SignedSend;
  /** Name of the access key that prepared it. */
  readonly creator: string;
  /** Unix milliseconds. */
  readonly created: number;
}

/** A prepared transaction may take 100 KB. */
const MAX_PREPARED = 1_000;

/** By hash. Beyond 1,000 rows the creator with the most rows loses its oldest one, so that no key evicts those of another. */
export class PreparedTable extends SealedTable<PreparedTransaction> {
  /** Creators by hash, in order of insertion; it may have hashes that were deleted since. Read when the table is full. */
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

/** `sending`: it may have been submitted, and no node has confirmed it. */
export type DelayedSendState = 'delayed' | 'sending' | 'sent' | 'deleted';

export interface DelayedSend {
  readonly hash: string;
  /** Unix milliseconds. */
  readonly created: number;
  readonly state: DelayedSendState;
  readonly signed: SignedSend;
}

/** Transactions that were built and recorded, and are sent by a later request of the client. */
export class DelayedTable {
  private readonly delayed;

  constructor(private readonly database: SealedDatabase) {
    this.delayed = database.table<DelayedSend>('delayed');
  }

  get(hash: string): DelayedSend | undefined {
    return this.delayed.get(hash);
  }

  /** In order of insertion. */
  inState(state: DelayedSendState): DelayedSend[] {
    return [...this.delayed.rows()].filter((row) => row.state === state);
  }

  /** @throws RangeError when the hash exists */
  add(transaction: Omit<DelayedSend, 'state'>): void {
    const { hash } = transaction;
    if (this.delayed.has(hash)) throw new RangeError(`the delayed transaction ${hash} exists already`);
    this.write({ ...transaction, state: 'delayed' });
  }

  /**
   * Compare-and-set of the state.
   * @returns false, and nothing is written, when the transaction is not in the state `from`
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

/** Spent outputs that were removed from the ledger, by one-time key. A rewind or rescan restores them. */
export class RetiredTable extends SealedTable<RetiredOutput> {
  /** The highest spend height; undefined until all rows were read. Most reorganisations are above it. */
  private highest: number | undefined;

  override put(key: string, retired: RetiredOutput): void {
    super.put(key, retired);
    if (this.highest !== undefined) this.highest = Math.max(this.highest, retired.output.spendHeight);
  }

  /** Outputs that were spent at this height or above. */
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
