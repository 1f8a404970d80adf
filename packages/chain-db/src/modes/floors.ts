import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import {
  BelowFloor,
  LiteDatabase,
  LiteHeightDiffers,
  MissingRow,
  NotALiteDatabase,
  UnreadableLiteMark,
} from '../errors';

/** What a node stores (docs/protocol/storage.md#modes). */
export type StorageMode =
  | { readonly kind: 'full' }
  /** Bodies of the last `depth` blocks. */
  | { readonly kind: 'pruned'; readonly depth: number }
  /** Below block `height` only the data that the consensus rules read. */
  | { readonly kind: 'lite'; readonly height: number };

/** Lowest heights whose data is stored. Genesis is always stored in full. */
export interface FloorHeights {
  /** Blocks below have no body. */
  readonly bodies: number;
  /** Blocks below have no transactions: only facts, key images and outputs. */
  readonly records: number;
  /** The lite height of a lite database; undefined in any other. */
  readonly lite: number | undefined;
}

/** Reads which data of the lower blocks a database stores. Each method costs at most one read by key. */
export class Floors {
  private bodyFloorStatement: SqliteStatement<[], [value: string]> | undefined;
  /** Cached: the mark never changes while a database exists. */
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
    this.bodyFloorStatement ??= this.connection
      .prepare<[], [string]>("SELECT value FROM meta WHERE key = 'body_floor'")
      .raw(true);
    const row = this.bodyFloorStatement.get();
    if (row === undefined) throw new MissingRow('meta', 'body_floor');
    return Number(row[0]);
  }

  /**
   * Number of transaction ids up to a block, including ids without a row.
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

  /** @throws BelowFloor unless the transactions of all blocks from `start` to `end` - 1 are stored */
  requireRecords(start: number, end: number): void {
    const { lite } = this;
    const lowest = Math.max(start, 1);
    if (lite !== undefined && lowest < Math.min(lite, end)) throw this.below(lowest);
  }

  /** The error for a block whose body or transactions are not stored. */
  below(height: number): BelowFloor {
    const { lite } = this;
    return lite === undefined ? new BelowFloor(height, this.bodies(), 'pruned') : new BelowFloor(height, lite, 'lite');
  }
}

/** Text of the mark in the table `meta`, as in the reference. */
const LITE_MARK = /^lite:([1-9]\d{0,9})$/;

/** The lite height in the text of a mark; undefined for an invalid text. */
export function parseLiteMark(text: string): number | undefined {
  const height = LITE_MARK.exec(text)?.[1];
  return height === undefined ? undefined : Number(height);
}

/** @throws RangeError for an invalid lite height */
export function assertLiteHeight(height: number | undefined): void {
  if (height === undefined || parseLiteMark(`lite:${height}`) === height) return;
  throw new RangeError(`a lite height is an integer from 1 on, not ${height}`);
}

/** Marks a new database as a lite one, permanently. Bodies are stored from the lite height on. */
export function markLite(connection: SqliteConnection, height: number): void {
  writeMeta(connection, 'lite_node_profile', `lite:${height}`);
  writeMeta(connection, 'body_floor', String(height));
}

/** The lite height of a lite database; undefined for any other. @throws UnreadableLiteMark */
function readLiteMark(connection: SqliteConnection): number | undefined {
  const text = readMeta(connection, 'lite_node_profile');
  if (text === undefined) return undefined;
  const height = parseLiteMark(text);
  if (height === undefined) throw new UnreadableLiteMark();
  return height;
}

/**
 * Compares the requested lite height with the mark of the database. Reading requires no height.
 * @throws NotALiteDatabase, LiteDatabase, LiteHeightDiffers, UnreadableLiteMark
 */
export function checkLiteMark(
  connection: SqliteConnection,
  requested: number | undefined,
  mode: 'read' | 'write',
): void {
  const height = readLiteMark(connection);
  if (height === undefined) {
    if (hasLostMark(connection)) throw new UnreadableLiteMark();
    if (requested !== undefined) throw new NotALiteDatabase();
  } else if (requested === undefined) {
    if (mode === 'write') throw new LiteDatabase(height);
  } else if (requested !== height) {
    throw new LiteHeightDiffers(height, requested);
  }
}

/** Whether a database without a mark looks like a lite one: no bodies and no transactions of its lower blocks. */
function hasLostMark(connection: SqliteConnection): boolean {
  const hasRow = (sql: string): boolean => connection.prepare<[], [number]>(sql).raw(true).get() !== undefined;
  return (
    !['0', undefined].includes(readMeta(connection, 'body_floor')) &&
    hasRow('SELECT 1 FROM blocks WHERE height = 1') &&
    !hasRow('SELECT 1 FROM transactions WHERE id = 1')
  );
}

/** The keys of `meta`. */
export type MetaKey = 'network' | 'body_floor' | 'lite_node_profile';

export function readMeta(connection: SqliteConnection, key: MetaKey): string | undefined {
  const row = connection.prepare<[string], [unknown]>('SELECT value FROM meta WHERE key = ?').raw(true).get(key);
  return row === undefined ? undefined : String(row[0]);
}

export function writeMeta(connection: SqliteConnection, key: MetaKey, value: string): void {
  connection.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(key, value);
}
