import type { SealedDatabase } from './sealed-database';
import { SealedTable } from './sealed-table';

/** One payment or change output of an own send. */
export interface SentOutput {
  readonly address: string;
  readonly amount: bigint;
  readonly isChange: boolean;
}

/** Transaction data that is neither in the container nor in `/getwalletsyncdata`. Amounts are atomic units. */
export interface StoredDetails {
  readonly extra: Buffer;
  /** Sum of all inputs, own and foreign; 0 for a coinbase. */
  readonly inputs: bigint;
  /** Sum of all outputs, own and foreign. */
  readonly outputs: bigint;
  /** Block hash; undefined while the transaction is not mined. */
  readonly blockHash?: string | undefined;
  /** Stored only while the transaction is not mined. */
  readonly unlockTime?: bigint | undefined;
  /** Decoys in each ring of an own send. */
  readonly mixin?: number | undefined;
  /** Received amount by own public spend key (64 hex characters). */
  readonly received?: ReadonlyMap<string, bigint> | undefined;
  /** Payments and change of an own send; undefined when the details were read from the chain. */
  readonly sent?: readonly SentOutput[] | undefined;
}

const DAY_MS = 86_400_000;

/** The day (UTC, counted from 1970) of a time in Unix milliseconds. */
export const utcDayOf = (now: number): number => Math.floor(now / DAY_MS);

interface DaySum {
  readonly name: string;
  readonly day: number;
  readonly amount: bigint;
  /** Hash of the refused transaction. If it is mined after all, the amount is charged again. */
  readonly refundOf?: string | undefined;
}

const sumKey = (name: string, day: number): string => JSON.stringify([name, day]);
const refundKey = (hash: string): string => JSON.stringify(['refund', hash]);

/** Amounts sent per access key and day. Amounts are atomic units and include fees. */
export class SpendingTable {
  private readonly sums;

  constructor(private readonly database: SealedDatabase) {
    this.sums = database.table<DaySum>('spending');
  }

  spent(name: string, day: number): bigint {
    return this.sums.get(sumKey(name, day))?.amount ?? 0n;
  }

  /**
   * Reserves an amount before it is sent.
   * @param hash hash of the transaction, whose earlier refund is deleted
   * @returns false without a change if the amount would exceed the daily limit
   */
  reserve(name: string, day: number, amount: bigint, limit: bigint, hash = ''): boolean {
    if (amount < 0n) throw new RangeError('an amount must not be negative');
    const sum = this.spent(name, day) + amount;
    if (sum > limit) return false;
    this.database.transaction(() => {
      this.sums.put(sumKey(name, day), { name, day, amount: sum });
      this.sums.delete(refundKey(hash));
      this.database.advance();
    });
    return true;
  }

  /**
   * Refunds the reserved amount of a transaction that a node refused or did not receive.
   * @param day day of the reservation
   */
  refund(name: string, day: number, amount: bigint, hash: string): void {
    const rest = this.spent(name, day) - amount;
    this.sums.put(sumKey(name, day), { name, day, amount: rest > 0n ? rest : 0n });
    this.sums.put(refundKey(hash), { name, day, amount, refundOf: hash });
  }

  /** Charges the refunded amount of a transaction that was mined after all to this day, regardless of the limit. */
  chargeAgain(hash: string, day: number): void {
    const refund = this.sums.get(refundKey(hash));
    if (refund === undefined) return;
    const { name, amount } = refund;
    this.sums.put(sumKey(name, day), { name, day, amount: this.spent(name, day) + amount });
    this.sums.delete(refundKey(hash));
  }

  /**
   * Deletes the sums and refunds of days before a day.
   * @param newest number of days that each key retains regardless of age, because a clock may be temporarily wrong
   * @returns the number of deleted sums
   */
  dropBefore(day: number, newest = 0): number {
    const sums = [...this.sums.rows()].sort((a, b) => b.day - a.day);
    const later = new Map<string, number>();
    const old = sums.filter((sum) => {
      if (sum.refundOf !== undefined) return sum.day < day;
      const count = later.get(sum.name) ?? 0;
      later.set(sum.name, count + 1);
      return sum.day < day && count >= newest;
    });
    this.database.transaction(() => {
      for (const { name, day, refundOf } of old) {
        this.sums.delete(refundOf === undefined ? sumKey(name, day) : refundKey(refundOf));
      }
    });
    return old.length;
  }
}

/** The last notification about a transaction: none, seen or confirmed. */
export const NotifiedStage = { none: 0, seen: 1, confirmed: 2 } as const;

export type NotifiedStage = (typeof NotifiedStage)[keyof typeof NotifiedStage];

/** Notification stages by transaction hash, so that neither a restart nor a reorganisation repeats a notification. */
export class NotifiedTable extends SealedTable<NotifiedStage> {
  stage(hash: string): NotifiedStage {
    return this.get(hash) ?? NotifiedStage.none;
  }

  /**
   * Raises the stages of the hashes that are below `stage`.
   * @returns the previous stage of each hash; undefined for hashes that were not raised
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
