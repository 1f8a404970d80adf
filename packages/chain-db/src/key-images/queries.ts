import { lowerBound } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase, MissingRow } from '../errors';
import { findRow, type HashSource } from '../hashed-rows';
import { HASH_KINDS } from '../hash-index/schema';

/** A spent key image and the height of the block that spent it. */
export interface SpentKeyImage {
  readonly image: Buffer;
  readonly height: number;
}

type KeyImageRow = readonly [id: number, image: Buffer, height: number];

/** Queries of spent key images. The caller holds the transaction. */
export class KeyImageQueries {
  private readonly rowAt: SqliteStatement<[number], KeyImageRow>;
  private readonly hasBlock: SqliteStatement<[number], [number]>;
  private readonly highest: SqliteStatement<[], [number]>;
  private readonly between: SqliteStatement<[number, number], KeyImageRow>;

  /** @param source the look-up of a reader, or the writer's, which knows what is not written yet */
  constructor(
    connection: SqliteConnection,
    private readonly source: HashSource,
  ) {
    const row = 'SELECT id, image, height FROM key_images';
    this.rowAt = connection.prepare<[number], KeyImageRow>(`${row} WHERE id = ?`).raw(true);
    this.hasBlock = connection.prepare<[number], [number]>('SELECT 1 FROM blocks WHERE height = ?').raw(true);
    this.highest = connection.prepare<[], [number]>('SELECT coalesce(max(id), -1) FROM key_images').raw(true);
    this.between = connection
      .prepare<[number, number], KeyImageRow>(`${row} WHERE id >= ? AND id < ? ORDER BY id`)
      .raw(true);
  }

  /**
   * Height of the block that spent the output with this image.
   * @throws CorruptDatabase when the look-up, the row or its height is damaged
   */
  heightOf(image: Buffer): number | undefined {
    const id = findRow(this.source, HASH_KINDS.keyImage, image, (row) => this.at(row).image);
    if (id === undefined) return undefined;
    const { height } = this.at(id);
    if (this.hasBlock.get(height) === undefined) {
      throw new CorruptDatabase(`key image ${id} is spent by block ${height}, which is not there`);
    }
    return height;
  }

  count(): number {
    return (this.highest.get()?.[0] ?? -1) + 1;
  }

  /** Those of the blocks `start` to `end` - 1, in chain order. @throws MissingRow */
  range(start: number, end: number): SpentKeyImage[] {
    const [first, past] = [this.firstOf(start), this.firstOf(end)];
    const rows = this.between.all(first, past);
    return Array.from({ length: past - first }, (_, i) => {
      const row = rows[i];
      if (row?.[0] !== first + i) throw new MissingRow('key_images', first + i);
      return keyImageOf(row);
    });
  }

  /** The lowest id from a block of this height or above. */
  firstOf(height: number): number {
    return lowerBound(0, this.count(), (id) => this.at(id).height < height);
  }

  private at(id: number): SpentKeyImage {
    const row = this.rowAt.get(id);
    if (row === undefined) throw new MissingRow('key_images', id);
    return keyImageOf(row);
  }
}

function keyImageOf([, image, height]: KeyImageRow): SpentKeyImage {
  return { image, height };
}
