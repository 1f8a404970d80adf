import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase } from '../errors';
import { unpackIndexes } from '../integers';
import type { IdRange } from './blocks';

/** Where a transaction stands. */
export interface TransactionPlace {
  readonly id: number;
  readonly height: number;
}

/** A transaction's hash and the global index of each of its outputs, in order. */
export interface GlobalIndexes {
  readonly hash: Buffer;
  readonly indexes: readonly number[];
}

/** Questions about main-chain transactions that need no bodies. */
export class TransactionQueries {
  private readonly placeByHash: SqliteStatement<[Buffer, Buffer], [number, number]>;
  private readonly hashesBetween: SqliteStatement<[number, number], [Buffer]>;
  private readonly indexesBetween: SqliteStatement<[number, number], [Buffer, Buffer]>;
  private readonly heightOfKeyImage: SqliteStatement<[Buffer], [number]>;

  constructor(connection: SqliteConnection) {
    this.placeByHash = connection
      .prepare<[Buffer, Buffer], [number, number]>(
        'SELECT id, height FROM transactions WHERE substr(hash, 1, 8) = ? AND hash = ?',
      )
      .raw(true);
    this.hashesBetween = connection
      .prepare<[number, number], [Buffer]>('SELECT hash FROM transactions WHERE id >= ? AND id < ? ORDER BY id')
      .raw(true);
    this.indexesBetween = connection
      .prepare<[number, number], [Buffer, Buffer]>(
        'SELECT hash, global_indexes FROM transactions WHERE id >= ? AND id < ? ORDER BY id',
      )
      .raw(true);
    this.heightOfKeyImage = connection
      .prepare<[Buffer], [number]>('SELECT height FROM key_images WHERE image = ?')
      .raw(true);
  }

  place(hash: Buffer): TransactionPlace | undefined {
    const row = this.placeByHash.get(hash.subarray(0, 8), hash);
    return row === undefined ? undefined : { id: row[0], height: row[1] };
  }

  hashes({ first, end }: IdRange): Buffer[] {
    return this.hashesBetween.all(first, end).map(([hash]) => hash);
  }

  globalIndexes({ first, end }: IdRange): GlobalIndexes[] {
    return this.indexesBetween.all(first, end).map(([hash, packed]) => {
      const indexes = unpackIndexes(packed);
      if (indexes === undefined) throw new CorruptDatabase(`global indexes of transaction ${hash.toString('hex')}`);
      return { hash, indexes };
    });
  }

  keyImageHeight(keyImage: Buffer): number | undefined {
    return this.heightOfKeyImage.get(keyImage)?.[0];
  }
}
