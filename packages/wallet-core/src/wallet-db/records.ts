import type { SealedDatabase } from './sealed-database';
import { SealedTable } from './sealed-table';

/** One payment or change output of an own send. */
export interface SentOutput {
  readonly address: string;
  readonly amount: bigint;
  readonly isChange: boolean;
}

/** What neither the container nor `/getwalletsyncdata` has of a transaction. */
export interface StoredDetails {
  readonly extra: Buffer;
  /** Sum of all key inputs, own and foreign; 0 for a coinbase. */
  readonly inputs: bigint;
  /** Sum of all outputs, own and foreign. */
  readonly outputs: bigint;
  /** Hash of its block; undefined while it is in none. */
  readonly blockHash?: string | undefined;
  /** Known while it is in no block. */
  readonly unlockTime?: bigint | undefined;
  /** Decoys in each ring of an own send. */
  readonly mixin?: number | undefined;
  /** What each own spend key (64 hex characters) received. */
  readonly received?: ReadonlyMap<string, bigint> | undefined;
  /** Payments and change of an own send; undefined when the details came from the chain. */
  readonly sent?: readonly SentOutput[] | undefined;
}

/** Details of transactions by hash. */
export class DetailsTable extends SealedTable<StoredDetails> {
  /** The hashes without details, in their order. */
  missing(hashes: readonly string[]): string[] {
    return hashes.filter((hash) => !this.has(hash));
  }
}

const DAY_MS = 86_400_000;

/** The day (UTC, counted from 1970) of a time in Unix milliseconds. */
export const utcDayOf = (now: number): number => Math.floor(now / DAY_MS);

interface DaySum {
  readonly name: string;
  readonly day: number;
  readonly amount: bigint;
}

const sumKey = (name: string, day: number): string => JSON.stringify([name, day]);

/** Sums that access keys have sent, by key name and day. Amounts are atomic units and include fees. */
export class SpendingTable {
  readonly #sums;

  constructor(private readonly database: SealedDatabase) {
    this.#sums = database.table<DaySum>('spending');
  }

  spent(name: string, day: number): bigint {
    return this.#sums.get(sumKey(name, day))?.amount ?? 0n;
  }

  /**
   * Counts an amount that is about to be sent, unless that exceeds the limit of the day.
   * @returns whether it may be sent
   */
  reserve(name: string, day: number, amount: bigint, limit: bigint): boolean {
    if (amount < 0n) throw new RangeError('an amount must not be negative');
    const sum = this.spent(name, day) + amount;
    if (sum > limit) return false;
    this.database.transaction(() => {
      this.#sums.put(sumKey(name, day), { name, day, amount: sum });
      this.database.advance();
    });
    return true;
  }

  /** Gives a reserved amount back that was not sent. The day is that of the reservation. */
  giveBack(name: string, day: number, amount: bigint): void {
    const rest = this.spent(name, day) - amount;
    this.#sums.put(sumKey(name, day), { name, day, amount: rest > 0n ? rest : 0n });
  }

  /**
   * Drops the sums of days before a day.
   * @param newest days of each key that stay whatever their age: a clock may be wrong for a while
   * @returns how many sums were dropped
   */
  dropBefore(day: number, newest = 0): number {
    const sums = [...this.#sums.rows()].sort((a, b) => b.day - a.day);
    const later = new Map<string, number>();
    const old = sums.filter((sum) => {
      const count = later.get(sum.name) ?? 0;
      later.set(sum.name, count + 1);
      return sum.day < day && count >= newest;
    });
    this.database.transaction(() => {
      for (const sum of old) this.#sums.delete(sumKey(sum.name, sum.day));
    });
    return old.length;
  }
}

/** What receivers of notifications know of a transaction: that it exists, or that a block has it. */
export const NotifiedStage = { none: 0, seen: 1, confirmed: 2 } as const;

export type NotifiedStage = (typeof NotifiedStage)[keyof typeof NotifiedStage];

/** How far each transaction was notified, so that neither a restart nor a reorganisation notifies twice. */
export class NotifiedTable extends SealedTable<NotifiedStage> {
  stage(hash: string): NotifiedStage {
    return this.get(hash) ?? NotifiedStage.none;
  }

  /**
   * Raises the stage of each hash that is below it.
   * @returns the stage of each before; undefined where nothing changed
   */
  advance(hashes: readonly string[], stage: NotifiedStage): (NotifiedStage | undefined)[] {
    return this.dependencies.transaction(() =>
      hashes.map((hash) => {
        const before = this.stage(hash);
        if (before >= stage) return undefined;
        this.put(hash, stage);
        return before;
      }),
    );
  }
}
