import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { BelowFloor, MissingRow } from '../errors';
import { readLiteMark } from './lite-mark';

/** Heights from which on things are kept; what genesis has is always kept. */
export interface FloorHeights {
  /** Blocks below have no bytes. */
  readonly bodies: number;
  /** Blocks below have no transactions: their facts, key images and outputs are all that is stored. */
  readonly records: number;
  /** The height that a lite node was made with; undefined on any other. */
  readonly lite: number | undefined;
}

/** What a database keeps of its lower blocks. Each question is one read by key at most. */
export class Floors {
  private statement: SqliteStatement<[], [value: string]> | undefined;
  /** Never changes while a database lives, so it is read once. */
  private liteMark: { readonly height: number | undefined } | undefined;

  constructor(private readonly connection: SqliteConnection) {}

  /** @throws MissingRow, UnreadableLiteMark */
  heights(): FloorHeights {
    const { lite } = this;
    return { bodies: this.bodies(), records: lite ?? 0, lite };
  }

  /** @throws UnreadableLiteMark */
  get lite(): number | undefined {
    return (this.liteMark ??= { height: readLiteMark(this.connection) }).height;
  }

  /** @throws MissingRow */
  bodies(): number {
    this.statement ??= this.connection
      .prepare<[], [string]>("SELECT value FROM meta WHERE key = 'body_floor'")
      .raw(true);
    const row = this.statement.get();
    if (row === undefined) throw new MissingRow('meta', 'body_floor');
    return Number(row[0]);
  }

  /**
   * How many rows of transactions, gaps of ids included, there are up to a block.
   * @param generated transactions of the chain up to this block
   */
  transactionsUpTo(height: number, generated: number): number {
    return this.hasRecords(height) ? generated : 1;
  }

  hasRecords(height: number): boolean {
    const { lite } = this;
    return lite === undefined || height >= lite || height === 0;
  }

  hasBody(height: number): boolean {
    return height === 0 || height >= this.bodies();
  }

  /** That the transactions of all blocks from `start` to `end` - 1 are stored. @throws BelowFloor */
  requireRecords(start: number, end: number): void {
    const { lite } = this;
    const lowest = Math.max(start, 1);
    if (lite !== undefined && lowest < Math.min(lite, end)) throw this.below(lowest);
  }

  /** The error for a block whose bytes or transactions are not kept. */
  below(height: number): BelowFloor {
    const { lite } = this;
    return lite === undefined ? new BelowFloor(height, this.bodies(), 'pruned') : new BelowFloor(height, lite, 'lite');
  }
}
