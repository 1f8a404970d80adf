import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase } from '../errors';
import { findRow, type HashSource } from '../hash-index/find';
import { HASH_KINDS } from '../hash-index/kinds';

/** A spent key image and the height of the block that spent it. */
export interface SpentKeyImage {
  readonly image: Buffer;
  readonly height: number;
}

/** Questions about spent key images. The caller holds the transaction. */
export class KeyImageQueries {
  private readonly imageAt: SqliteStatement<[number], [Buffer]>;
  private readonly heightAt: SqliteStatement<[number], [number]>;
  private readonly hasBlock: SqliteStatement<[number], [number]>;
  private readonly highest: SqliteStatement<[], [number]>;
  private readonly between: SqliteStatement<[number, number], [Buffer, number]>;

  /** @param source the look-up of a reader, or the writer's, which knows what is not written yet */
  constructor(
    connection: SqliteConnection,
    private readonly source: HashSource,
  ) {
    this.imageAt = connection.prepare<[number], [Buffer]>('SELECT image FROM key_images WHERE id = ?').raw(true);
    this.heightAt = connection.prepare<[number], [number]>('SELECT height FROM key_images WHERE id = ?').raw(true);
    this.hasBlock = connection.prepare<[number], [number]>('SELECT 1 FROM blocks WHERE height = ?').raw(true);
    this.highest = connection.prepare<[], [number]>('SELECT coalesce(max(id), -1) FROM key_images').raw(true);
    this.between = connection
      .prepare<[number, number], [Buffer, number]>(
        'SELECT image, height FROM key_images WHERE id >= ? AND id < ? ORDER BY id',
      )
      .raw(true);
  }

  /**
   * Height of the block that spent the output with this image.
   * @throws CorruptDatabase when the look-up, the row or its height is damaged
   */
  heightOf(image: Buffer): number | undefined {
    const id = findRow(this.source, HASH_KINDS.keyImage, image, (row) => this.require(row, this.imageAt.get(row)?.[0]));
    if (id === undefined) return undefined;
    const height = this.require(id, this.heightAt.get(id)?.[0]);
    if (this.hasBlock.get(height) === undefined) {
      throw new CorruptDatabase(`key image ${id} is spent by block ${height}, which is not there`);
    }
    return height;
  }

  count(): number {
    return (this.highest.get()?.[0] ?? -1) + 1;
  }

  /** Those of the blocks `start` to `end` - 1, in chain order. */
  range(start: number, end: number): SpentKeyImage[] {
    return this.between.all(this.firstOf(start), this.firstOf(end)).map(([image, height]) => ({ image, height }));
  }

  /** The lowest id from a block of this height or above. */
  firstOf(height: number): number {
    let low = 0;
    let high = this.count();
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.require(middle, this.heightAt.get(middle)?.[0]) < height) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private require<T>(id: number, found: T | undefined): T {
    if (found === undefined) throw new CorruptDatabase(`key image ${id} is missing`);
    return found;
  }
}
