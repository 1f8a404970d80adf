import { decodeTransactionPrefix, type RawBlock } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { joinBlock } from '../block-parts';
import { decodeBlob } from '../codec';
import { BelowFloor, DamagedRow } from '../errors';
import { readMeta } from '../meta';
import { bodyChecksum, signaturesChecksum } from '../rows/checksums';
import type { IdRange, TransactionScan } from './transactions';

type BlobRow = readonly [key: number, codec: number, blob: Buffer, checksum: number];
type BlobsBetween = SqliteStatement<[number, number], BlobRow>;

/** What a pruned node drops: bodies and signatures, put together with the rest to bytes as serialized. */
export class BodyQueries {
  private readonly bodies: BlobsBetween;
  private readonly signatures: BlobsBetween;

  constructor(private readonly connection: SqliteConnection) {
    this.bodies = connection
      .prepare<[number, number], BlobRow>(
        'SELECT height, codec, body, checksum FROM block_bodies WHERE height >= ? AND height < ? ORDER BY height',
      )
      .raw(true);
    this.signatures = connection
      .prepare<[number, number], BlobRow>(
        'SELECT id, codec, signatures, checksum FROM signatures WHERE id >= ? AND id < ? ORDER BY id',
      )
      .raw(true);
  }

  /** The lowest height from which on every body and signature is kept. */
  floor(): number {
    const floor = readMeta(this.connection, 'body_floor');
    if (floor === undefined) throw new DamagedRow('meta', 'body_floor', 'is missing');
    return Number(floor);
  }

  /**
   * Blocks from `start` on: `ranges[i]` is where the transactions of block start + i lie, `scan` has them all.
   *
   * @throws BelowFloor where bodies are no longer kept, DamagedRow
   */
  rawBlocks(start: number, ranges: readonly IdRange[], scan: TransactionScan): RawBlock[] {
    const bodies = this.bodies.all(start, start + ranges.length);
    const first = ranges[0]?.first ?? 0;
    const signatures = this.signaturesOf(first, ranges[ranges.length - 1]?.end ?? 0);
    return ranges.map((range, i) => {
      const height = start + i;
      const body = bodies[i];
      if (body?.[0] !== height) throw this.missing('block_bodies', height, height);
      const [from, end] = [range.first - first, range.end - first];
      const hashes = scan.hashes.slice(from + 1, end);
      return {
        block: joinBlock(checkedBlob('block_bodies', body, bodyChecksum), scan.prefixes[from] as Buffer, hashes),
        transactions: hashes.map((_, k) => {
          const id = range.first + 1 + k;
          const prefix = scan.prefixes[from + 1 + k] as Buffer;
          const bytes = signatures.get(id);
          return bytes === undefined ? this.unsigned(id, height, prefix) : Buffer.concat([prefix, bytes]);
        }),
      };
    });
  }

  /** One transaction as serialized. @throws as {@link rawBlocks} */
  transaction(id: number, height: number, prefix: Buffer): Buffer {
    const signatures = this.signaturesOf(id, id + 1).get(id);
    return signatures === undefined ? this.unsigned(id, height, prefix) : Buffer.concat([prefix, signatures]);
  }

  private signaturesOf(first: number, end: number): Map<number, Buffer> {
    return new Map(
      this.signatures.all(first, end).map((row) => [row[0], checkedBlob('signatures', row, signaturesChecksum)]),
    );
  }

  /** A transaction without a row of signatures: one that spends nothing by rings, or one whose row is gone. */
  private unsigned(id: number, height: number, prefix: Buffer): Buffer {
    if (needsSignatures(prefix)) throw this.missing('signatures', id, height);
    return prefix;
  }

  private missing(table: string, row: number, height: number): Error {
    const floor = this.floor();
    return height < floor ? new BelowFloor(height, floor) : new DamagedRow(table, row, 'is missing');
  }
}

function needsSignatures(prefix: Buffer): boolean {
  return decodeTransactionPrefix(prefix).inputs.some((input) => input.type === 'key' && input.keyOffsets.length > 0);
}

function checkedBlob(
  table: string,
  [key, codec, blob, checksum]: BlobRow,
  sum: (key: number, codec: number, blob: Buffer) => number,
): Buffer {
  if (sum(key, codec, blob) !== checksum) throw new DamagedRow(table, key);
  return decodeBlob(codec, blob, `row ${key} of ${table}`);
}
