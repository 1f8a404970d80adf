import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';

/** Questions about spent key images. */
export class KeyImageQueries {
  private readonly height: SqliteStatement<[Buffer], [number]>;

  constructor(connection: SqliteConnection) {
    this.height = connection.prepare<[Buffer], [number]>('SELECT height FROM key_images WHERE image = ?').raw(true);
  }

  /** Height of the block that spent the output with this image. */
  heightOf(image: Buffer): number | undefined {
    return this.height.get(image)?.[0];
  }
}
