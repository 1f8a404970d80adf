import type { BlockFacts } from '@wrkz/consensus';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase } from '../errors';
import type { RunDirectory } from '../hash-index/lookup';
import { HASH_KINDS, type HashKind } from '../hash-index/schema';
import { HashLookup } from '../hash-index/lookup';
import { HASHED_ROWS } from '../rows/hashed-rows';
import { toSigned, unpackIndexes } from '../integers';
import { useHash } from '../payment-ids/use-hash';
import {
  blockRowChecksum,
  bodyChecksum,
  keyImageChecksum,
  outputChecksum,
  paymentIdChecksum,
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

export interface KeyImageRow extends Sound {
  readonly id: number;
  readonly height: number;
}

export interface PaymentIdRow extends Sound {
  readonly paymentId: Buffer;
  readonly use: number;
  readonly transactionId: number;
}

type KeyImageColumns = [id: number, image: Buffer, height: number, checksum: number];
type PaymentIdColumns = [paymentId: Buffer, use: number, transactionId: number, checksum: number];
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
  private readonly hashOfBlock: SqliteStatement<[number], [Buffer]>;
  private readonly body: SqliteStatement<[number], BlobColumns>;
  private readonly transactionsBetween: SqliteStatement<[number, number], TransactionColumns>;
  private readonly heightOfTransaction: SqliteStatement<[number], [number]>;
  private readonly hashOfTransaction: SqliteStatement<[number], [Buffer]>;
  private readonly signaturesBetween: SqliteStatement<[number, number], BlobColumns>;
  private readonly amount: SqliteStatement<[bigint], [number]>;
  private readonly output: SqliteStatement<[number, number], OutputColumns>;
  private readonly imageAt: SqliteStatement<[number], KeyImageColumns>;
  private readonly paymentIdAt: SqliteStatement<[number], PaymentIdColumns>;
  private readonly lookup: HashLookup;

  /** @param directory the filters of the state that the connection reads; without them look-ups take longer */
  constructor(
    private readonly connection: SqliteConnection,
    directory?: RunDirectory,
  ) {
    this.lookup = new HashLookup(connection, () => directory);
    const get = <P extends unknown[], R>(sql: string): SqliteStatement<P, R> => connection.prepare<P, R>(sql).raw(true);
    this.block = get(`SELECT ${FACTS_HALVES}, timestamp_lag, checksum, stamp_checksum FROM blocks WHERE height = ?`);
    this.hashOfBlock = get('SELECT hash FROM blocks WHERE height = ?');
    this.body = get('SELECT height, codec, body, checksum FROM block_bodies WHERE height = ?');
    this.transactionsBetween = get(
      `SELECT id, hash, height, global_indexes, checksum, codec, prefix_checksum, prefix FROM transactions
       WHERE id >= ? AND id < ? ORDER BY id`,
    );
    this.heightOfTransaction = get('SELECT height FROM transactions WHERE id = ?');
    this.hashOfTransaction = get('SELECT hash FROM transactions WHERE id = ?');
    this.signaturesBetween = get(
      'SELECT id, codec, signatures, checksum FROM signatures WHERE id >= ? AND id < ? ORDER BY id',
    );
    this.amount = get('SELECT id FROM amounts WHERE amount = ?');
    this.output = get(
      `SELECT key, height, unlock_time & 4294967295, (unlock_time >> 32) & 4294967295, position, checksum FROM outputs
       WHERE amount_id = ? AND global_index = ?`,
    );
    this.imageAt = get('SELECT id, image, height, checksum FROM key_images WHERE id = ?');
    this.paymentIdAt = get('SELECT payment_id, use, transaction_id, checksum FROM payment_ids WHERE id = ?');
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
    return this.find(HASH_KINDS.block, hash, (height) => this.hashOfBlock.get(height)?.[0]);
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
    return this.find(HASH_KINDS.transaction, hash, (id) => this.hashOfTransaction.get(id)?.[0]);
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

  keyImage(image: Buffer): KeyImageRow | undefined {
    const id = this.find(HASH_KINDS.keyImage, image, (row) => this.imageAt.get(row)?.[1]);
    const row = id === undefined ? undefined : this.imageAt.get(id);
    return row && { id: row[0], height: row[2], sound: keyImageChecksum(row[0], row[1], row[2]) === row[3] };
  }

  paymentId(id: number): PaymentIdRow | undefined {
    const row = this.paymentIdAt.get(id);
    if (row === undefined) return undefined;
    const [paymentId, use, transactionId, checksum] = row;
    return { paymentId, use, transactionId, sound: paymentIdChecksum(id, paymentId, use, transactionId) === checksum };
  }

  /** The row of a use of a payment id. */
  paymentIdRow(paymentId: Buffer, use: number): number | undefined {
    return this.find(HASH_KINDS.paymentId, useHash(paymentId, use), (id) =>
      HASHED_ROWS[HASH_KINDS.paymentId].hashOf(...(this.paymentIdAt.get(id)?.slice(0, 2) ?? [])),
    );
  }

  /** Ids of the blocks off the main chain, as their rows have them. */
  alternativeHashes(): Buffer[] {
    return this.connection
      .prepare<[], [Buffer]>('SELECT hash FROM alternatives NOT INDEXED ORDER BY height, id')
      .raw(true)
      .all()
      .map(([hash]) => hash);
  }

  private find(kind: HashKind, hash: Buffer, hashOf: (id: number) => Buffer | undefined): number | undefined {
    return soundCandidates(this.lookup, kind, hash).find((id) => hashOf(id)?.equals(hash) === true);
  }
}

/** A look-up whose pages are damaged finds nothing; the check of the look-ups tells of them. */
function soundCandidates(lookup: HashLookup, kind: HashKind, hash: Buffer): number[] {
  try {
    return lookup.candidates(kind, hash);
  } catch (error) {
    if (error instanceof CorruptDatabase) return [];
    throw error;
  }
}

function blobRow(
  [key, codec, bytes, checksum]: BlobColumns,
  sum: (key: number, codec: number, bytes: Buffer) => number,
): BlobRow {
  return { codec, bytes, sound: sum(key, codec, bytes) === checksum };
}
