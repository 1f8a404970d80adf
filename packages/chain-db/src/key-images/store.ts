import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { KeyImageSpent } from '../errors';
import type { HashIndex } from '../hash-index/hash-index';
import { HASH_KINDS } from '../hash-index/schema';
import { KeyImageQueries, type SpentKeyImage } from './queries';

/** Puts and removes spent key images. The caller holds the transaction and flushes the look-ups at its end. */
export class KeyImageStore {
  private readonly queries: KeyImageQueries;
  private readonly insert: SqliteStatement<[number, Buffer, number]>;
  private readonly deleteFrom: SqliteStatement<[number]>;
  /** The id of the next image; undefined until it was looked up. */
  private next: number | undefined;

  constructor(
    connection: SqliteConnection,
    private readonly hashes: HashIndex,
  ) {
    this.queries = new KeyImageQueries(connection, hashes);
    this.insert = connection.prepare('INSERT INTO key_images (id, image, height) VALUES (?, ?, ?)');
    this.deleteFrom = connection.prepare('DELETE FROM key_images WHERE id >= ?');
  }

  /** Forgets what was counted: the table has changed in another way, or was rolled back. */
  reset(): void {
    this.next = undefined;
  }

  /** @throws KeyImageSpent for an image that is there already, from this change or before; CorruptDatabase */
  put(image: Buffer, height: number): void {
    const spentAt = this.queries.heightOf(image);
    if (spentAt !== undefined) throw new KeyImageSpent(image, height, spentAt);
    const id = (this.next ??= this.queries.count());
    this.insert.run(id, image, height);
    this.hashes.add(HASH_KINDS.keyImage, image, id);
    this.next = id + 1;
  }

  /**
   * Takes the images of block `height`, which must be the tip, back, all that it spent.
   * @returns how many of `images` there were, in this order
   */
  removeBlock(height: number, images: readonly Buffer[]): number {
    return this.removeFrom(height).filter(({ image }, i) => images[i]?.equals(image) === true).length;
  }

  /** Takes out the images of block `height` and all above it. @returns them, in chain order */
  removeFrom(height: number): SpentKeyImage[] {
    const first = this.queries.firstOf(height);
    const gone = this.queries.range(height, Infinity);
    gone.forEach(({ image }, i) => this.hashes.remove(HASH_KINDS.keyImage, image, first + i));
    this.deleteFrom.run(first);
    this.next = first;
    return gone;
  }
}
