import { decodeTransactionPrefix, type RawBlock } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { decodeBlob, joinBlock } from '../block-bytes';
import { MissingRow } from '../errors';
import { Floors } from '../modes/floors';
import type { IdRange, TransactionScan } from './transactions';

type BlobRow = readonly [key: number, codec: number, blob: Buffer];
type BlobsBetween = SqliteStatement<[number, number], BlobRow>;

/** Reads bodies and signatures, which a pruned node deletes, and assembles serialized blocks and transactions. */
export class BodyQueries {
  private readonly bodies: BlobsBetween;
  private readonly signatures: BlobsBetween;
  private readonly sizes: SqliteStatement<number[], [number]>;

  constructor(
    connection: SqliteConnection,
    private readonly floors = new Floors(connection),
  ) {
    this.bodies = connection
      .prepare<[number, number], BlobRow>(
        'SELECT height, codec, body FROM block_bodies WHERE height >= ? AND height < ? ORDER BY height',
      )
      .raw(true);
    this.signatures = connection
      .prepare<[number, number], BlobRow>(
        'SELECT id, codec, signatures FROM signatures WHERE id >= ? AND id < ? ORDER BY id',
      )
      .raw(true);
    this.sizes = connection
      .prepare<number[], [number]>(
        `SELECT (SELECT coalesce(sum(length(body)), 0) FROM block_bodies WHERE height >= ? AND height < ?) +
          (SELECT coalesce(sum(length(signatures)), 0) FROM signatures WHERE id >= ? AND id < ?)`,
      )
      .raw(true);
  }

  /** Stored bytes of the bodies and signatures of ranges of blocks and transactions, without the end. */
  bytes(heights: readonly [number, number], ids: readonly [number, number]): number {
    return this.sizes.get(...heights, ...ids)?.[0] ?? 0;
  }

  /**
   * Serialized blocks from `start` on: `ranges[i]` has the transaction ids of block start + i, `scan` all transactions.
   *
   * @throws BelowFloor if the bodies were pruned, MissingRow
   */
  rawBlocks(start: number, ranges: readonly IdRange[], scan: TransactionScan): RawBlock[] {
    const bodies = this.bodies.all(start, start + ranges.length);
    const first = ranges[0]?.first ?? 0;
    const signatures = this.signatures.all(first, ranges[ranges.length - 1]?.end ?? 0);
    let next = 0;
    return ranges.map((range, i) => {
      const height = start + i;
      const body = bodies[i];
      if (body?.[0] !== height) throw this.missing('block_bodies', height, height);
      const [from, end] = [range.first - first, range.end - first];
      const hashes = scan.hashes.slice(from + 1, end);
      const block = joinBlock(blobOf('block_bodies', body), scan.prefixes[from] as Buffer, hashes);
      const transactions = new Array<Buffer>(hashes.length);
      for (let k = 0; k < hashes.length; k++) {
        const id = range.first + 1 + k;
        const row = signatures[next]?.[0] === id ? signatures[next++] : undefined;
        transactions[k] = this.joined(id, height, scan.prefixes[from + 1 + k] as Buffer, row);
      }
      return { block, transactions };
    });
  }

  /** A serialized transaction. @throws as {@link rawBlocks} */
  transaction(id: number, height: number, prefix: Buffer): Buffer {
    return this.joined(id, height, prefix, this.signatures.get(id, id + 1));
  }

  private joined(id: number, height: number, prefix: Buffer, row: BlobRow | undefined): Buffer {
    if (row === undefined) return this.unsigned(id, height, prefix);
    const signatures = blobOf('signatures', row);
    return Buffer.concat([prefix, signatures], prefix.length + signatures.length);
  }

  /** A transaction without a row of signatures: it has no key inputs, or the row is missing. */
  private unsigned(id: number, height: number, prefix: Buffer): Buffer {
    if (needsSignatures(prefix)) throw this.missing('signatures', id, height);
    return prefix;
  }

  private missing(table: string, row: number, height: number): Error {
    return this.floors.hasBody(height) ? new MissingRow(table, row) : this.floors.below(height);
  }
}

function needsSignatures(prefix: Buffer): boolean {
  return decodeTransactionPrefix(prefix).inputs.some((input) => input.type === 'key' && input.keyOffsets.length > 0);
}

function blobOf(table: string, [key, codec, blob]: BlobRow): Buffer {
  return decodeBlob(codec, blob, table, key);
}
