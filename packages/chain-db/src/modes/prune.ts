import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { writeMeta } from './floors';
import type { ChainReader } from '../reader/reader';

/** Result of one step of compaction. */
export interface CompactStep {
  /** Whether only the reserve of free pages is left. */
  readonly done: boolean;
  /** Pages that this step returned to the file system. The file shrinks with the next checkpoint. */
  readonly freedPages: number;
}

/** Result of one step of pruning, which is done when the target floor is reached, too. */
export interface PruneStep extends CompactStep {
  /** The body floor now. */
  readonly floor: number;
}

/** Blocks deleted between two reads of the clock. */
const BLOCKS_PER_CHECK = 16;
/** Pages returned between two reads of the clock. */
const PAGES_PER_CHECK = 32;
/** Reserve of free pages for the next blocks, so that the file does not shrink and grow with each: 1/32 of all, at most 2 MiB. */
const RESERVE_DIVISOR = 32;
const MAX_RESERVE_PAGES = 256;

/** Deletes bodies and signatures below a floor, and returns free pages, in bounded steps. The caller holds the transaction. */
export class Pruner {
  private readonly deleteBodies: SqliteStatement<[number, number]>;
  private readonly deleteSignatures: SqliteStatement<[number, number]>;

  /** @param reader over the writing connection */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly reader: ChainReader,
  ) {
    this.deleteBodies = connection.prepare('DELETE FROM block_bodies WHERE height >= ? AND height < ?');
    this.deleteSignatures = connection.prepare('DELETE FROM signatures WHERE id >= ? AND id < ?');
  }

  /**
   * Raises the floor towards `target` and deletes the data below, except genesis.
   * @param milliseconds time limit, exceeded by at most one check interval
   * @returns the new floor
   */
  raise(target: number, milliseconds: number): number {
    const from = this.reader.floors().bodies;
    const stop = performance.now() + milliseconds;
    let floor = from;
    while (floor < target && (floor === from || performance.now() < stop)) {
      const next = Math.min(floor + BLOCKS_PER_CHECK, target);
      this.deleteBelow(Math.max(floor, 1), next);
      floor = next;
    }
    if (floor > from) writeMeta(this.connection, 'body_floor', String(floor));
    return floor;
  }

  /** Returns free pages to the file system (`PRAGMA incremental_vacuum`), except the reserve. @returns the number of pages */
  releasePages(milliseconds: number): number {
    const stop = performance.now() + milliseconds;
    const spare = this.sparePages();
    let freed = 0;
    while (freed < spare) {
      const before = this.emptyPages();
      this.connection.exec(`PRAGMA incremental_vacuum(${Math.min(PAGES_PER_CHECK, spare - freed)})`);
      const returned = before - this.emptyPages();
      freed += returned;
      if (returned === 0 || performance.now() >= stop) break;
    }
    return freed;
  }

  /** Whether only the reserve of free pages is left. */
  get isTight(): boolean {
    return this.sparePages() <= 0;
  }

  private sparePages(): number {
    const pages = Number(this.connection.pragma('page_count', { simple: true }));
    return this.emptyPages() - Math.min(MAX_RESERVE_PAGES, Math.floor(pages / RESERVE_DIVISOR));
  }

  private emptyPages(): number {
    return Number(this.connection.pragma('freelist_count', { simple: true }));
  }

  private deleteBelow(first: number, end: number): void {
    if (end <= first) return;
    const [below, last] = [first - 1, end - 1].map((height) => this.reader.blockStamps(height, height + 1)[0]);
    this.deleteBodies.run(first, end);
    this.deleteSignatures.run(below?.generatedTransactions ?? 0, last?.generatedTransactions ?? 0);
  }
}
