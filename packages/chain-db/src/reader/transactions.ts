import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { decodeBlob } from '../codec';
import { CorruptDatabase, DamagedRow } from '../errors';
import { unpackIndexes } from '../integers';
import { prefixChecksum, transactionChecksum } from '../rows/checksums';

/** Where some transactions lie among all: `first` is the lowest id, `end` is past the last. */
export interface IdRange {
  readonly first: number;
  readonly end: number;
}

/** A transaction's hash and the global index of each of its outputs, in order. */
export interface GlobalIndexes {
  readonly hash: Buffer;
  readonly indexes: readonly number[];
}

type PlaceRow = readonly [id: number, hash: Buffer, height: number, packed: Buffer, checksum: number];
type PrefixRow = readonly [id: number, hash: Buffer, codec: number, prefix: Buffer, checksum: number];

/** What a transaction is looked up for. */
export interface TransactionPlace extends GlobalIndexes {
  readonly id: number;
  readonly height: number;
}

/** Transactions as they are scanned: two lists of the same length, in chain order. */
export interface TransactionScan {
  readonly hashes: readonly Buffer[];
  /** As serialized, up to the signatures. */
  readonly prefixes: readonly Buffer[];
}

/** Questions about main-chain transactions that need no signatures. Every row that is given was checked. */
export class TransactionQueries {
  private readonly placesByHash: SqliteStatement<[Buffer], PlaceRow>;
  private readonly placesBetween: SqliteStatement<[number, number], PlaceRow>;
  private readonly prefixesBetween: SqliteStatement<[number, number], PrefixRow>;

  constructor(connection: SqliteConnection) {
    const place = 'SELECT id, hash, height, global_indexes, checksum FROM transactions';
    this.placesByHash = connection.prepare<[Buffer], PlaceRow>(`${place} WHERE substr(hash, 1, 8) = ?`).raw(true);
    this.placesBetween = connection
      .prepare<[number, number], PlaceRow>(`${place} WHERE id >= ? AND id < ? ORDER BY id`)
      .raw(true);
    this.prefixesBetween = connection
      .prepare<[number, number], PrefixRow>(
        'SELECT id, hash, codec, prefix, prefix_checksum FROM transactions WHERE id >= ? AND id < ? ORDER BY id',
      )
      .raw(true);
  }

  /** @throws DamagedRow, also where the look-up leads to a row of another hash */
  place(hash: Buffer): TransactionPlace | undefined {
    return this.placesByHash
      .all(hash.subarray(0, 8))
      .map(checkedPlace)
      .find((place) => place.hash.equals(hash));
  }

  /** @throws DamagedRow for a row that is wrong or missing */
  places(range: IdRange): TransactionPlace[] {
    const rows = this.placesBetween.all(range.first, range.end);
    expectIds(range, rows);
    return rows.map(checkedPlace);
  }

  /** @throws as {@link places} */
  scan(range: IdRange): TransactionScan {
    const rows = this.prefixesBetween.all(range.first, range.end);
    expectIds(range, rows);
    const hashes = new Array<Buffer>(rows.length);
    const prefixes = new Array<Buffer>(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const [id, hash, codec, prefix, checksum] = rows[i] as PrefixRow;
      if (prefixChecksum(id, hash, codec, prefix) !== checksum) throw new DamagedRow('transactions', id);
      hashes[i] = hash;
      prefixes[i] = decodeBlob(codec, prefix, `transaction ${id}`);
    }
    return { hashes, prefixes };
  }
}

function checkedPlace([id, hash, height, packed, checksum]: PlaceRow): TransactionPlace {
  if (transactionChecksum(id, hash, height, packed) !== checksum) throw new DamagedRow('transactions', id);
  const indexes = unpackIndexes(packed);
  if (indexes === undefined) throw new CorruptDatabase(`global indexes of transaction ${hash.toString('hex')}`);
  return { id, hash, height, indexes };
}

function expectIds({ first, end }: IdRange, rows: readonly (readonly [id: number, ...rest: unknown[]])[]): void {
  for (let i = 0; i < end - first; i++) {
    if (rows[i]?.[0] !== first + i) throw new DamagedRow('transactions', first + i, 'is missing');
  }
}
