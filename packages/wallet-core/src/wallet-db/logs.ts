import type { LedgerChange } from '../ledger/model';
import type { SealedDatabase } from './sealed-database';

interface LogEntry {
  /** Position of the previous entry, to detect a missing entry. */
  readonly previous: number;
  readonly change: LedgerChange;
}

interface ScanProgress {
  readonly appliedHeight: number;
}

const PROGRESS = 'progress';

/**
 * The redo log of the ledger. Applying the entries after position p to a container written at p restores the current state.
 * The scan progress through blocks without changes is a single row that is overwritten.
 */
export class LedgerLog {
  private readonly entries;
  private readonly selectProgress;

  constructor(private readonly database: SealedDatabase) {
    this.entries = database.table<LogEntry>('log');
    this.selectProgress = database.table<ScanProgress>(PROGRESS);
  }

  /** The log is complete after this position. */
  get floor(): number {
    return this.database.state.logFloor;
  }

  /** @returns the position of the entry */
  append(change: LedgerChange): number {
    return this.database.transaction(() => {
      const previous = this.database.state.lastLogEntry;
      const position = this.database.advance();
      this.entries.putAt(position, String(position), { previous, change });
      this.database.update({ lastLogEntry: position });
      return position;
    });
  }

  /**
   * The entries after a position, in order.
   * @throws RangeError below the floor; DamagedSealedRow at the first changed or missing entry
   */
  *after(position: number): Generator<{ readonly position: number; readonly change: LedgerChange }, void> {
    if (position < this.floor) {
      throw new RangeError(`the ledger log begins after position ${this.floor} and cannot be read from ${position} on`);
    }
    let reached = position;
    for (const { sequence, row } of this.entries.scan(position + 1)) {
      const isNext = reached === position ? row.previous <= position : row.previous === reached;
      if (!isNext) throw this.entries.damaged();
      yield { position: sequence, change: row.change };
      reached = sequence;
    }
    if (reached < this.database.state.lastLogEntry) throw this.entries.damaged();
  }

  /** Removes the entries up to a position. Containers that were written at or after it do not need them. */
  truncate(position: number): void {
    this.database.transaction(() => {
      this.entries.deleteUpTo(position);
      this.database.update({ logFloor: Math.max(this.floor, Math.min(position, this.database.state.position)) });
    });
  }

  progress(): ScanProgress | undefined {
    // `get` would not detect a row whose blind identifier was changed.
    for (const progress of this.selectProgress.rows()) return progress;
    return undefined;
  }

  putProgress(progress: ScanProgress): void {
    this.database.transaction(() => this.selectProgress.put(PROGRESS, progress));
  }

  /** Discards entries and progress that do not continue the container. The log starts again after this position. */
  restart(position: number): void {
    this.database.transaction(() => {
      this.entries.clear();
      this.selectProgress.delete(PROGRESS);
      this.database.update({ position, logFloor: position, lastLogEntry: position });
    });
  }
}

/** An event about money or a send. */
export interface MoneyEvent {
  readonly kind: string;
  readonly transaction?: string | undefined;
  readonly subWallet?: string | undefined;
  /** Atomic units. */
  readonly amount?: bigint | undefined;
  /** Unix milliseconds. */
  readonly time: number;
  /** Additional fields of the event kind: JSON, bigints and Buffers. */
  readonly payload?: unknown;
}

export interface StoredEvent extends MoneyEvent {
  /** Starts at 1, without gaps. */
  readonly sequence: number;
}

export class EventTable {
  private readonly events;

  constructor(private readonly database: SealedDatabase) {
    this.events = database.table<MoneyEvent>('events');
  }

  /** Sequence number of the newest event; 0 before the first event. */
  get last(): number {
    return this.database.state.lastEvent;
  }

  /** @returns the sequence number */
  append(event: MoneyEvent): number {
    return this.database.transaction(() => {
      const sequence = this.last + 1;
      this.events.putAt(sequence, String(sequence), event);
      this.database.update({ lastEvent: sequence });
      return sequence;
    });
  }

  /** @throws DamagedSealedRow when an event was changed or is missing */
  after(sequence: number, limit: number): StoredEvent[] {
    const from = Math.max(sequence, this.database.state.eventFloor) + 1;
    const rows = [...this.events.scan(from, limit)];
    const count = Math.max(0, Math.min(limit, this.last - from + 1));
    if (rows.length !== count || rows.some((row, i) => row.sequence !== from + i)) throw this.events.damaged();
    return rows.map((row) => ({ ...row.row, sequence: row.sequence }));
  }

  /** Removes all events before the last gap, so that the remaining ones are gapless. */
  dropUpToGap(): void {
    this.database.transaction(() => {
      const { eventFloor } = this.database.state;
      let expected = eventFloor + 1;
      let floor = eventFloor;
      for (const { sequence } of this.events.scan()) {
        if (sequence > expected) floor = sequence - 1;
        expected = sequence + 1;
      }
      if (expected <= this.last) floor = this.last;
      this.events.deleteUpTo(floor);
      this.database.update({ eventFloor: floor });
    });
  }
}
