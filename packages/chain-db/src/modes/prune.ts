import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { writeMeta } from '../meta';
import type { ChainReader } from '../reader/reader';

/** How far one step of pruning has come. */
export interface PruneStep {
  /** The body floor now. */
  readonly floor: number;
  /** Whether the floor asked for is reached and the file holds no more empty pages than it keeps for new blocks. */
  readonly done: boolean;
  /** Pages that this step gave back; the file shrinks when all is done, or with an earlier checkpoint. */
  readonly freedPages: number;
}

/** How far one step of compaction has come. */
export interface CompactStep {
  /** Whether the file holds no more empty pages than it keeps for new blocks. */
  readonly done: boolean;
  /** Pages that this step gave back to the file system; they leave the file with the next checkpoint. */
  readonly freedPages: number;
}

/** Blocks that are deleted between two looks at the clock. */
const BLOCKS_A_LOOK = 16;
/** Pages that are given back between two looks at the clock. */
const PAGES_A_LOOK = 32;
/**
 * Empty pages that stay in the file, for the next blocks, so that it need not shrink and grow with each: one in so many of
 * all, and at most 2 MiB.
 */
const ONE_IN = 32;
const KEPT_PAGES = 256;

/** Deletes bodies and signatures below a floor, some at a time. The caller holds the transaction. */
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
   * Raises the floor towards `target` and deletes what lies below; genesis stays.
   * @param milliseconds after which it stops, at the next look
   * @returns the new floor
   */
  raise(target: number, milliseconds: number): number {
    const from = this.reader.floors().bodies;
    const stop = performance.now() + milliseconds;
    let floor = from;
    while (floor < target && (floor === from || performance.now() < stop)) {
      const next = Math.min(floor + BLOCKS_A_LOOK, target);
      this.deleteBelow(Math.max(floor, 1), next);
      floor = next;
    }
    if (floor > from) writeMeta(this.connection, 'body_floor', String(floor));
    return floor;
  }

  /** Gives empty pages back, all but some. @returns how many */
  giveBack(milliseconds: number): number {
    const stop = performance.now() + milliseconds;
    const spare = this.sparePages();
    let freed = 0;
    while (freed < spare) {
      const before = this.emptyPages();
      this.connection.exec(`PRAGMA incremental_vacuum(${Math.min(PAGES_A_LOOK, spare - freed)})`);
      const given = before - this.emptyPages();
      freed += given;
      if (given === 0 || performance.now() >= stop) break;
    }
    return freed;
  }

  /** Whether there is nothing to give back. */
  get isTight(): boolean {
    return this.sparePages() <= 0;
  }

  private sparePages(): number {
    const pages = Number(this.connection.pragma('page_count', { simple: true }));
    return this.emptyPages() - Math.min(KEPT_PAGES, Math.floor(pages / ONE_IN));
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
