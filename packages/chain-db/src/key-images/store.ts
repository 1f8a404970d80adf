import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';

/** Puts and removes spent key images. */
export class KeyImageStore {
  private readonly insert: SqliteStatement<[Buffer, number]>;
  private readonly remove: SqliteStatement<[Buffer, number]>;

  constructor(connection: SqliteConnection) {
    this.insert = connection.prepare<[Buffer, number]>('INSERT INTO key_images (image, height) VALUES (?, ?)');
    this.remove = connection.prepare<[Buffer, number]>('DELETE FROM key_images WHERE image = ? AND height = ?');
  }

  /** @throws SqliteError (constraint) for an image that is there already */
  put(image: Buffer, height: number): void {
    this.insert.run(image, height);
  }

  /** Takes the images of block `height` back, all that it spent. @returns how many were there */
  removeBlock(height: number, images: readonly Buffer[]): number {
    return images.reduce((removed, image) => removed + this.remove.run(image, height).changes, 0);
  }
}
