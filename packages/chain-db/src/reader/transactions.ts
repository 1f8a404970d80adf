import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { decodeBlob } from '../block-bytes';
import { CorruptDatabase, MissingRow } from '../errors';
import { findRow, type HashSource } from '../hashed-rows';
import { HASH_KINDS } from '../hash-index/schema';
import { unpackIndexes } from '../integers';

/** A range of transaction ids, without `end`. */
export interface IdRange {
  readonly first: number;
  readonly end: number;
}

/** A transaction's hash and the global index of each of its outputs, in order. */
export interface GlobalIndexes {
  readonly hash: Buffer;
  readonly indexes: readonly number[];
}

type PlaceRow = readonly [id: number, hash: Buffer, height: number, packed: Buffer];
type PrefixRow = readonly [id: number, hash: Buffer, codec: number, prefix: Buffer];

/** Block and position of a transaction. */
export interface TransactionPlace {
  readonly id: number;
  readonly hash: Buffer;
  readonly height: number;
  /** See `packIndexes`. */
  readonly packedIndexes: Buffer;
}

/** Transactions for a wallet scan: two lists of the same length, in chain order. */
export interface TransactionScan {
  readonly hashes: readonly Buffer[];
  /** The serialized prefix. */
  readonly prefixes: readonly Buffer[];
}

/** Queries of main-chain transactions that need no signatures. */
export class TransactionQueries {
  private readonly placeAt: SqliteStatement<[number], PlaceRow>;
  private readonly placesBetween: SqliteStatement<[number, number], PlaceRow>;
  private readonly prefixesBetween: SqliteStatement<[number, number], PrefixRow>;

  /** @param source the lookup of a reader or of the writer */
  constructor(
    connection: SqliteConnection,
    private readonly source: HashSource,
  ) {
    const place = 'SELECT id, hash, height, global_indexes FROM transactions';
    this.placeAt = connection.prepare<[number], PlaceRow>(`${place} WHERE id = ?`).raw(true);
    this.placesBetween = connection
      .prepare<[number, number], PlaceRow>(`${place} WHERE id >= ? AND id < ? ORDER BY id`)
      .raw(true);
    this.prefixesBetween = connection
      .prepare<[number, number], PrefixRow>(
        'SELECT id, hash, codec, prefix FROM transactions WHERE id >= ? AND id < ? ORDER BY id',
      )
      .raw(true);
  }

  /** The caller holds the transaction. @throws CorruptDatabase if the index or the row is damaged */
  place(hash: Buffer): TransactionPlace | undefined {
    let place: TransactionPlace | undefined;
    const id = findRow(this.source, HASH_KINDS.transaction, hash, (row) => (place = this.at(row)).hash);
    return id === undefined ? undefined : place;
  }

  /** @throws MissingRow for an invalid or missing row */
  places(range: IdRange): TransactionPlace[] {
    const rows = this.placesBetween.all(range.first, range.end);
    expectIds(range, rows);
    return rows.map(placeOf);
  }

  /** @throws as {@link places} */
  scan(range: IdRange): TransactionScan {
    const rows = this.prefixesBetween.all(range.first, range.end);
    expectIds(range, rows);
    const hashes = new Array<Buffer>(rows.length);
    const prefixes = new Array<Buffer>(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const [id, hash, codec, prefix] = rows[i] as PrefixRow;
      hashes[i] = hash;
      prefixes[i] = decodeBlob(codec, prefix, 'transactions', id);
    }
    return { hashes, prefixes };
  }

  private at(id: number): TransactionPlace {
    const row = this.placeAt.get(id);
    if (row === undefined) throw new MissingRow('transactions', id);
    return placeOf(row);
  }
}

function placeOf([id, hash, height, packedIndexes]: PlaceRow): TransactionPlace {
  return { id, hash, height, packedIndexes };
}

/** @throws CorruptDatabase for invalid bytes */
export function globalIndexesOf({ hash, packedIndexes }: TransactionPlace): GlobalIndexes {
  const indexes = unpackIndexes(packedIndexes);
  if (indexes === undefined) throw new CorruptDatabase(`global indexes of transaction ${hash.toString('hex')}`);
  return { hash, indexes };
}

function expectIds({ first, end }: IdRange, rows: readonly (readonly [id: number, ...rest: unknown[]])[]): void {
  for (let i = 0; i < end - first; i++) {
    if (rows[i]?.[0] !== first + i) throw new MissingRow('transactions', first + i);
  }
}
