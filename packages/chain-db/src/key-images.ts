import type { HashIndex } from './hash-index/hash-index';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { DenseRows } from './dense-rows';
import { CorruptDatabase, KeyImageSpent } from './errors';
import { HASH_KINDS } from './hash-index/schema';
import { findRow, type HashSource } from './hashed-rows';

/*
 * Spent key images in chain order: writing appends, a rewind deletes a range, and the key images of a range of blocks are read
 * without bodies. Ids are dense from 0 and heights ascend with them. The LSM index finds a row by key image.
 */

/** A spent key image and the height of the block that spent it. */
export interface SpentKeyImage {
  readonly image: Buffer;
  readonly height: number;
}

type KeyImageRow = readonly [id: number, image: Buffer, height: number];

/** Queries of spent key images. The caller holds the transaction. */
export class KeyImageQueries {
  private readonly rows: DenseRows<KeyImageRow>;
  private readonly hasBlock: SqliteStatement<[number], [number]>;

  /** @param source the lookup of a reader or of the writer */
  constructor(
    connection: SqliteConnection,
    private readonly source: HashSource,
  ) {
    this.rows = new DenseRows(connection, 'key_images', 'image, height');
    this.hasBlock = connection.prepare<[number], [number]>('SELECT 1 FROM blocks WHERE height = ?').raw(true);
  }

  /**
   * Height of the block that spent the output with this key image.
   * @throws CorruptDatabase if the index, the row or its height is damaged
   */
  heightOf(image: Buffer): number | undefined {
    const id = findRow(this.source, HASH_KINDS.keyImage, image, (row) => this.rows.at(row)[1]);
    if (id === undefined) return undefined;
    const [, , height] = this.rows.at(id);
    if (this.hasBlock.get(height) === undefined) {
      throw new CorruptDatabase(`key image ${id} is spent by block ${height}, which is missing`);
    }
    return height;
  }

  count(): number {
    return this.rows.count();
  }

  /** Key images of blocks `start` to `end` - 1, in chain order. @throws MissingRow */
  range(start: number, end: number): SpentKeyImage[] {
    const rows = this.rows.between(this.firstOf(start), this.firstOf(end));
    return rows.map(([, image, height]) => ({ image, height }));
  }

  /** The lowest id of a block of at least this height. */
  firstOf(height: number): number {
    return this.rows.firstNot(([, , at]) => at < height);
  }
}

/** Adds and removes spent key images. The caller holds the transaction, and flushes the index at its end. */
export class KeyImageStore {
  private readonly queries: KeyImageQueries;
  private readonly insert: SqliteStatement<[number, Buffer, number]>;
  private readonly deleteFrom: SqliteStatement<[number]>;
  /** Id of the next row; undefined: not read yet. */
  private next: number | undefined;

  constructor(
    connection: SqliteConnection,
    private readonly hashes: HashIndex,
  ) {
    this.queries = new KeyImageQueries(connection, hashes);
    this.insert = connection.prepare('INSERT INTO key_images (id, image, height) VALUES (?, ?, ?)');
    this.deleteFrom = connection.prepare('DELETE FROM key_images WHERE id >= ?');
  }

  /** Clears the cached id after a rollback or another change of the table. */
  reset(): void {
    this.next = undefined;
  }

  /** @throws KeyImageSpent if the key image is already spent, also by this change; CorruptDatabase */
  put(image: Buffer, height: number): void {
    const spentAt = this.queries.heightOf(image);
    if (spentAt !== undefined) throw new KeyImageSpent(image, height, spentAt);
    const id = (this.next ??= this.queries.count());
    this.insert.run(id, image, height);
    this.hashes.add(HASH_KINDS.keyImage, image, id);
    this.next = id + 1;
  }

  /** Removes the key images of block `height` and all above. @returns the removed key images in chain order */
  removeFrom(height: number): SpentKeyImage[] {
    const first = this.queries.firstOf(height);
    const gone = this.queries.range(height, Infinity);
    gone.forEach(({ image }, i) => this.hashes.remove(HASH_KINDS.keyImage, image, first + i));
    this.deleteFrom.run(first);
    this.next = first;
    return gone;
  }
}
