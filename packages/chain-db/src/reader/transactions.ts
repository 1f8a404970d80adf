import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase } from '../errors';
import { unpackIndexes } from '../integers';
import { findRow } from '../hash-index/find';
import { HASH_KINDS } from '../hash-index/kinds';
import type { HashLookup } from '../hash-index/lookup';
import { KeyImageQueries, type SpentKeyImage } from '../key-images';
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
  private readonly placeOfId: SqliteStatement<[number], [Buffer, number]>;
  private readonly hashesBetween: SqliteStatement<[number, number], [Buffer]>;
  private readonly indexesBetween: SqliteStatement<[number, number], [Buffer, Buffer]>;
  private readonly keyImages: KeyImageQueries;

  constructor(
    connection: SqliteConnection,
    private readonly lookup: HashLookup,
  ) {
    this.placeOfId = connection
      .prepare<[number], [Buffer, number]>('SELECT hash, height FROM transactions WHERE id = ?')
      .raw(true);
    this.hashesBetween = connection
      .prepare<[number, number], [Buffer]>('SELECT hash FROM transactions WHERE id >= ? AND id < ? ORDER BY id')
      .raw(true);
    this.indexesBetween = connection
      .prepare<[number, number], [Buffer, Buffer]>(
        'SELECT hash, global_indexes FROM transactions WHERE id >= ? AND id < ? ORDER BY id',
      )
      .raw(true);
    this.keyImages = new KeyImageQueries(connection, lookup);
  }

  place(hash: Buffer): TransactionPlace | undefined {
    let height = -1;
    const id = findRow(this.lookup, HASH_KINDS.transaction, hash, (row) => {
      const found = this.placeOfId.get(row);
      height = found?.[1] ?? -1;
      return found?.[0];
    });
    return id === undefined ? undefined : { id, height };
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

  /** Key images that the blocks of a range spent, in chain order. */
  keyImagesBetween(start: number, end: number): SpentKeyImage[] {
    return this.keyImages.range(start, end);
  }

  keyImageHeight(keyImage: Buffer): number | undefined {
    return this.keyImages.heightOf(keyImage);
  }
}
