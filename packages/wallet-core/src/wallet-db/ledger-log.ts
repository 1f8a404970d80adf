import type { SealedDatabase } from './sealed-database';

interface LogEntry<Change> {
  /** Position of the entry before it: a missing entry is noticed. */
  readonly previous: number;
  readonly change: Change;
}

export interface PositionedChange<Change> {
  readonly position: number;
  readonly change: Change;
}

const PROGRESS = 'progress';

/**
 * A redo log: the changes of the ledger since a container was written. A container that was written at position p is
 * brought up to date by the entries after p. How far blocks without changes were scanned is one row that is overwritten.
 */
export class LedgerLog<Change, Progress> {
  readonly #entries;
  readonly #progress;

  constructor(private readonly database: SealedDatabase) {
    this.#entries = database.table<LogEntry<Change>>('log');
    this.#progress = database.table<Progress>(PROGRESS);
  }

  /** The lowest position from which the log is complete. */
  get floor(): number {
    return this.database.state.logFloor;
  }

  /** @returns the position of the entry */
  append(change: Change): number {
    return this.database.transaction(() => {
      const previous = this.database.state.lastLogEntry;
      const position = this.database.advance();
      this.#entries.putAt(position, String(position), { previous, change });
      this.database.update({ lastLogEntry: position });
      return position;
    });
  }

  /**
   * The entries after a position, in their order.
   * @throws RangeError below the floor; DamagedSealedRow at the first entry that is changed or missing
   */
  *after(position: number): Generator<PositionedChange<Change>, void> {
    if (position < this.floor) {
      throw new RangeError(
        `the ledger log begins at position ${this.floor}, so it has not all entries after ${position}`,
      );
    }
    let reached = position;
    for (const { sequence, row } of this.#entries.scan(position + 1)) {
      const isNext = reached === position ? row.previous <= position : row.previous === reached;
      if (!isNext) throw this.#entries.damaged();
      yield { position: sequence, change: row.change };
      reached = sequence;
    }
    if (reached < this.database.state.lastLogEntry) throw this.#entries.damaged();
  }

  /** Removes the entries up to a position: containers written at or after it do not need them. */
  truncate(position: number): void {
    this.database.transaction(() => {
      this.#entries.deleteUpTo(position);
      this.database.update({ logFloor: Math.max(this.floor, Math.min(position, this.database.state.position)) });
    });
  }

  progress(): Progress | undefined {
    for (const progress of this.#progress.rows()) return progress;
    return undefined;
  }

  putProgress(progress: Progress): void {
    this.database.transaction(() => this.#progress.put(PROGRESS, progress));
  }

  /** Discards all of it: it does not continue the container. The log begins anew at this position. */
  restart(position: number): void {
    this.database.transaction(() => {
      this.#entries.clear();
      this.#progress.delete(PROGRESS);
      this.database.update({ position, logFloor: position, lastLogEntry: position });
    });
  }
}
