import type { SealedDatabase } from './sealed-database';

/** Something that happened to money, or that decides about it. */
export interface MoneyEvent {
  readonly kind: string;
  /** Hash of the transaction. */
  readonly transaction?: string | undefined;
  /** Address of the sub-wallet. */
  readonly subWallet?: string | undefined;
  /** Atomic units. */
  readonly amount?: bigint | undefined;
  /** Unix milliseconds. */
  readonly time: number;
  /** Further fields of the kind: JSON, bigints and Buffers. */
  readonly payload?: unknown;
}

export interface StoredEvent extends MoneyEvent {
  /** From 1 on, without gaps. */
  readonly sequence: number;
}

export class EventTable {
  readonly #events;

  constructor(private readonly database: SealedDatabase) {
    this.#events = database.table<MoneyEvent>('events');
  }

  /** Sequence number of the newest event; 0 before the first one. */
  get last(): number {
    return this.database.state.lastEvent;
  }

  /** @returns its sequence number */
  append(event: MoneyEvent): number {
    return this.database.transaction(() => {
      const sequence = this.last + 1;
      this.#events.putAt(sequence, String(sequence), event);
      this.database.update({ lastEvent: sequence });
      return sequence;
    });
  }

  /** @throws DamagedSealedRow when an event is changed or missing */
  after(sequence: number, limit: number): StoredEvent[] {
    const from = Math.max(sequence, this.database.state.eventFloor) + 1;
    const rows = [...this.#events.scan(from, limit)];
    const count = Math.max(0, Math.min(limit, this.last - from + 1));
    if (rows.length !== count || rows.some((row, i) => row.sequence !== from + i)) throw this.#events.damaged();
    return rows.map((row) => ({ ...row.row, sequence: row.sequence }));
  }

  /** Removes all events up to the last missing one, so that the rest has no gaps. */
  dropUpToGap(): void {
    this.database.transaction(() => {
      const { eventFloor } = this.database.state;
      let expected = eventFloor + 1;
      let floor = eventFloor;
      for (const { sequence } of this.#events.scan()) {
        if (sequence > expected) floor = sequence - 1;
        expected = sequence + 1;
      }
      if (expected <= this.last) floor = this.last;
      this.#events.deleteUpTo(floor);
      this.database.update({ eventFloor: floor });
    });
  }
}
