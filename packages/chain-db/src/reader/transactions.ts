import type { SqliteConnection } from '@wrkz/sqlite';
import { decodeBlob } from '../block-bytes';
import { DenseRows } from '../dense-rows';
import { CorruptDatabase } from '../errors';
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
  private readonly placeRows: DenseRows<PlaceRow>;
  private readonly prefixRows: DenseRows<PrefixRow>;

  /** @param source the lookup of a reader or of the writer */
  constructor(
    connection: SqliteConnection,
    private readonly source: HashSource,
  ) {
    this.placeRows = new DenseRows(connection, 'transactions', 'hash, height, global_indexes');
    this.prefixRows = new DenseRows(connection, 'transactions', 'hash, codec, prefix');
  }

  /** The caller holds the transaction. @throws CorruptDatabase if the index or the row is damaged */
  place(hash: Buffer): TransactionPlace | undefined {
    let place: TransactionPlace | undefined;
    const id = findRow(
      this.source,
      HASH_KINDS.transaction,
      hash,
      (row) => (place = placeOf(this.placeRows.at(row))).hash,
    );
    return id === undefined ? undefined : place;
  }

  /** @throws MissingRow for an invalid or missing row */
  places(range: IdRange): TransactionPlace[] {
    return this.placeRows.between(range.first, range.end).map(placeOf);
  }

  /** @throws as {@link places} */
  scan(range: IdRange): TransactionScan {
    const rows = this.prefixRows.between(range.first, range.end);
    const hashes = new Array<Buffer>(rows.length);
    const prefixes = new Array<Buffer>(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const [id, hash, codec, prefix] = rows[i] as PrefixRow;
      hashes[i] = hash;
      prefixes[i] = decodeBlob(codec, prefix, 'transactions', id);
    }
    return { hashes, prefixes };
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
