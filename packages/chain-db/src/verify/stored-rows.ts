import type { BlockFacts } from '@wrkz/consensus';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { toSigned, unpackIndexes } from '../integers';
import { KeyImageQueries } from '../key-images';
import {
  blockRowChecksum,
  bodyChecksum,
  outputChecksum,
  prefixChecksum,
  signaturesChecksum,
  stampChecksum,
  transactionChecksum,
} from '../rows/checksums';
import { FACTS_HALVES, factsOf, joined, type FactsRow } from '../rows/facts';

/** What each row of a table tells besides its columns: whether the checksums fit. */
interface Sound {
  readonly sound: boolean;
}

export interface BlockRow extends Sound {
  readonly facts: BlockFacts;
  readonly timestampLag: number;
}

/** A blob in the form that `codec` names. */
export interface BlobRow extends Sound {
  readonly codec: number;
  readonly bytes: Buffer;
}

export interface TransactionRow extends BlobRow {
  readonly id: number;
  readonly hash: Buffer;
  readonly height: number;
  /** undefined when the packed bytes are none. */
  readonly globalIndexes: readonly number[] | undefined;
}

export interface OutputRow extends Sound {
  readonly key: Buffer;
  readonly height: number;
  readonly unlockTime: bigint;
  readonly position: number;
}

type BlockColumns = readonly [...FactsRow, lag: number, checksum: number, stampChecksum: number];
type TransactionColumns = [
  id: number,
  hash: Buffer,
  height: number,
  packed: Buffer,
  checksum: number,
  codec: number,
  prefixChecksum: number,
  prefix: Buffer,
];
type BlobColumns = [key: number, codec: number, bytes: Buffer, checksum: number];
type OutputColumns = [
  key: Buffer,
  height: number,
  unlockLow: number,
  unlockHigh: number,
  position: number,
  checksum: number,
];

/** The tables row by row, with nothing assumed: what is missing is undefined, what is wrong is given as it is. */
export class StoredRows {
  private readonly block: SqliteStatement<[number], BlockColumns>;
  private readonly heightByHash: SqliteStatement<[Buffer, Buffer], [number]>;
  private readonly body: SqliteStatement<[number], BlobColumns>;
  private readonly transactionsBetween: SqliteStatement<[number, number], TransactionColumns>;
  private readonly heightOfTransaction: SqliteStatement<[number], [number]>;
  private readonly idByHash: SqliteStatement<[Buffer, Buffer], [number]>;
  private readonly signaturesBetween: SqliteStatement<[number, number], BlobColumns>;
  private readonly amount: SqliteStatement<[bigint], [number]>;
  private readonly output: SqliteStatement<[number, number], OutputColumns>;
  private readonly keyImages: KeyImageQueries;

  constructor(private readonly connection: SqliteConnection) {
    const get = <P extends unknown[], R>(sql: string): SqliteStatement<P, R> => connection.prepare<P, R>(sql).raw(true);
    this.block = get(`SELECT ${FACTS_HALVES}, timestamp_lag, checksum, stamp_checksum FROM blocks WHERE height = ?`);
    this.heightByHash = get('SELECT height FROM blocks WHERE substr(hash, 1, 8) = ? AND hash = ?');
    this.body = get('SELECT height, codec, body, checksum FROM block_bodies WHERE height = ?');
    this.transactionsBetween = get(
      `SELECT id, hash, height, global_indexes, checksum, codec, prefix_checksum, prefix FROM transactions
       WHERE id >= ? AND id < ? ORDER BY id`,
    );
    this.heightOfTransaction = get('SELECT height FROM transactions WHERE id = ?');
    this.idByHash = get('SELECT id FROM transactions WHERE substr(hash, 1, 8) = ? AND hash = ?');
    this.signaturesBetween = get(
      'SELECT id, codec, signatures, checksum FROM signatures WHERE id >= ? AND id < ? ORDER BY id',
    );
    this.amount = get('SELECT id FROM amounts WHERE amount = ?');
    this.output = get(
      `SELECT key, height, unlock_time & 4294967295, (unlock_time >> 32) & 4294967295, position, checksum FROM outputs
       WHERE amount_id = ? AND global_index = ?`,
    );
    this.keyImages = new KeyImageQueries(connection);
  }

  blockAt(height: number): BlockRow | undefined {
    const row = this.block.get(height);
    if (row === undefined) return undefined;
    const columns = row as unknown as FactsRow;
    const facts = factsOf(columns);
    const sound =
      blockRowChecksum(columns, row[13]) === row[14] && stampChecksum({ ...facts, timestampLag: row[13] }) === row[15];
    return { facts, timestampLag: row[13], sound };
  }

  heightOf(hash: Buffer): number | undefined {
    return this.heightByHash.get(hash.subarray(0, 8), hash)?.[0];
  }

  blockBody(height: number): BlobRow | undefined {
    const row = this.body.get(height);
    return row && blobRow(row, bodyChecksum);
  }

  /** How many rows from `first` on say that they are of block `height`. */
  transactionsOf(height: number, first: number): number {
    let id = first;
    while (this.heightOfTransaction.get(id)?.[0] === height) id++;
    return id - first;
  }

  transactions(first: number, end: number): TransactionRow[] {
    return this.transactionsBetween.all(first, end).map(([id, hash, height, packed, checksum, codec, sum, prefix]) => ({
      id,
      hash,
      height,
      globalIndexes: unpackIndexes(packed),
      codec,
      bytes: prefix,
      sound:
        transactionChecksum(id, hash, height, packed) === checksum && prefixChecksum(id, hash, codec, prefix) === sum,
    }));
  }

  transactionId(hash: Buffer): number | undefined {
    return this.idByHash.get(hash.subarray(0, 8), hash)?.[0];
  }

  signatures(first: number, end: number): Map<number, BlobRow> {
    return new Map(this.signaturesBetween.all(first, end).map((row) => [row[0], blobRow(row, signaturesChecksum)]));
  }

  amountId(amount: bigint): number | undefined {
    return this.amount.get(toSigned(amount))?.[0];
  }

  outputAt(amount: bigint, amountId: number, globalIndex: number): OutputRow | undefined {
    const row = this.output.get(amountId, globalIndex);
    if (row === undefined) return undefined;
    const [key, height, unlockLow, unlockHigh, position, checksum] = row;
    const sound = outputChecksum(amount, globalIndex, { key, height, unlockLow, unlockHigh, position }) === checksum;
    return { key, height, unlockTime: joined(unlockLow, unlockHigh), position, sound };
  }

  keyImageHeight(keyImage: Buffer): number | undefined {
    return this.keyImages.heightOf(keyImage);
  }

  /** Ids of the blocks off the main chain, as their rows have them. */
  alternativeHashes(): Buffer[] {
    return this.connection
      .prepare<[], [Buffer]>('SELECT hash FROM alternatives NOT INDEXED ORDER BY height, id')
      .raw(true)
      .all()
      .map(([hash]) => hash);
  }

  count(table: string): number {
    return this.connection.prepare<[], [number]>(`SELECT count(*) FROM ${table}`).raw(true).get()?.[0] ?? 0;
  }

  /** What SQLite itself finds wrong with a table's pages and indexes. */
  structure(table: string): string[] {
    return this.connection
      .prepare<[], [string]>(`PRAGMA integrity_check('${table}')`)
      .raw(true)
      .all()
      .map(([line]) => line)
      .filter((line) => line !== 'ok');
  }
}

function blobRow(
  [key, codec, bytes, checksum]: BlobColumns,
  sum: (key: number, codec: number, bytes: Buffer) => number,
): BlobRow {
  return { codec, bytes, sound: sum(key, codec, bytes) === checksum };
}
