import type { BlockFacts } from '@wrkz/consensus';
import { decodeTransactionPrefix, type RawBlock } from '@wrkz/core-types';
import type { SqliteConnection } from '@wrkz/sqlite';
import { joinBlock } from '../block-parts';
import { decodeBlob } from '../codec';
import { stampChecksum } from '../rows/checksums';
import { StoredRows, type BlobRow, type TransactionRow } from '../verify/stored-rows';
import type { StorableTransaction } from '../writer/append';
import { type WholeBlock, wholeBlock } from './block-bytes';
import { orNothing } from './tolerant';

type Stamp = [hash: Buffer, timestamp: number, lag: number, transactions: number, checksum: number];

/** Blocks whose own rows cannot tell how many transactions they have, in a row: a search further down is given up. */
const STEPS_DOWN = 5_000;

/**
 * The main chain of a damaged database, block by block, as far as it is whole: every row is compared with its checksum,
 * and the ids are computed again from the bytes. What cannot be read is undefined, and the rest is still there.
 */
export class OldChain {
  private readonly rows: StoredRows;
  private lastEnd: { readonly height: number; readonly end: number } | undefined;

  /** @param records height from which on there are transactions, besides genesis */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly records: number,
  ) {
    this.rows = new StoredRows(connection);
  }

  /** The facts of a block whose row is whole. */
  facts(height: number): BlockFacts | undefined {
    const row = orNothing(() => this.rows.blockAt(height));
    return row?.sound === true && row.facts.hash.length === 32 ? row.facts : undefined;
  }

  /** The id of a block: a part of its row has a checksum of its own. */
  idAt(height: number): Buffer | undefined {
    return this.facts(height)?.hash ?? this.stamp(height)?.[0];
  }

  /** The height of the highest block that anything whole tells of; -1 for none. */
  top(): number {
    const blocks = this.highest('blocks', (height) => this.idAt(height) !== undefined);
    const bodies = this.highest('block_bodies', (height) => this.rows.blockBody(height)?.sound === true);
    return Math.max(blocks, bodies);
  }

  /** A block of which all bytes are there. */
  whole(height: number): WholeBlock | undefined {
    const raw = orNothing(() => this.raw(height));
    const whole = raw && wholeBlock(raw);
    const id = this.idAt(height);
    return whole === undefined || (id !== undefined && !id.equals(whole.block.hash)) ? undefined : whole;
  }

  /** The transactions of a block without their signatures, coinbase first, if they are all whole. */
  prefixes(height: number): StorableTransaction[] | undefined {
    return orNothing(() => {
      const rows = this.transactions(height);
      return rows?.map(({ id, hash, codec, bytes }) => {
        const prefix = decodeBlob(codec, bytes, 'transactions', id);
        return { hash, prefixBytes: prefix, bytes: prefix, transaction: decodeTransactionPrefix(prefix) };
      });
    });
  }

  private raw(height: number): RawBlock | undefined {
    const body = this.rows.blockBody(height);
    const rows = body?.sound === true ? this.transactions(height) : undefined;
    const [coinbase, ...others] = rows ?? [];
    if (body === undefined || coinbase === undefined) return undefined;
    const signatures = this.rows.signatures(coinbase.id, coinbase.id + 1 + others.length);
    if ([...signatures.values()].some(({ sound }) => !sound)) return undefined;
    const prefix = decodeBlob(coinbase.codec, coinbase.bytes, 'transactions', coinbase.id);
    const hashes = others.map(({ hash }) => hash);
    return {
      block: joinBlock(decodeBlob(body.codec, body.bytes, 'block_bodies', height), prefix, hashes),
      transactions: others.map((row) => bytesOf(row, signatures.get(row.id))),
    };
  }

  /** The rows of a block's transactions; undefined unless all are there and whole. */
  private transactions(height: number): TransactionRow[] | undefined {
    const [first, end] = [this.endOf(height - 1), this.endOf(height)];
    if (end <= first) return undefined;
    const rows = this.rows.transactions(first, end);
    const isFit = rows.every((row, i) => row.sound && row.id === first + i && row.height === height);
    return isFit && rows.length === end - first ? rows : undefined;
  }

  /** How many transactions there are up to a block: as its row says, or counted from the next one below that says it. */
  private endOf(height: number): number {
    if (height < 0) return 0;
    if (this.lastEnd?.height === height) return this.lastEnd.end;
    let below = height;
    let end: number | undefined;
    for (; below >= 0 && height - below < STEPS_DOWN; below--) {
      if (this.lastEnd?.height === below) end = this.lastEnd.end;
      else if (below === this.records - 1) end = this.firstRecord();
      if (end !== undefined) break;
      end = this.facts(below)?.generatedTransactions ?? this.stamp(below)?.[3];
      if (end !== undefined) break;
    }
    end ??= 0;
    for (let next = below + 1; next <= height; next++) end += this.rows.transactionsOf(next, end);
    this.lastEnd = { height, end };
    return end;
  }

  /** Transactions below the height of a lite node: those above begin with the next id. */
  private firstRecord(): number | undefined {
    const lowest = 'SELECT min(id) FROM transactions WHERE id > 0';
    return orNothing(() => this.connection.prepare<[], [number | null]>(lowest).raw(true).get()?.[0]) ?? undefined;
  }

  private stamp(height: number): Stamp | undefined {
    return orNothing(() => {
      const row = this.connection
        .prepare<[number], Stamp>(
          'SELECT hash, timestamp, timestamp_lag, generated_transactions, stamp_checksum FROM blocks WHERE height = ?',
        )
        .raw(true)
        .get(height);
      if (row === undefined) return undefined;
      const [hash, timestamp, timestampLag, generatedTransactions, sum] = row;
      const stamp = { height, hash, timestamp, timestampLag, generatedTransactions };
      return hash.length === 32 && stampChecksum(stamp) === sum ? row : undefined;
    });
  }

  /** The highest key of a table whose row is whole, found from above. */
  private highest(table: string, isWhole: (height: number) => boolean | undefined): number {
    const below = orNothing(() =>
      this.connection.prepare<[number], [number | null]>(`SELECT max(height) FROM ${table} WHERE height < ?`).raw(true),
    );
    let bound = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const height = orNothing(() => below?.get(bound)?.[0]);
      // What keeps the highest row from being read may stand beside lower ones: they are looked for by doubling.
      if (height === undefined) return this.highestByKey(isWhole);
      if (height === null || height < 0) return -1;
      if (orNothing(() => isWhole(height)) === true) return height;
      bound = height;
    }
  }

  private highestByKey(isWhole: (height: number) => boolean | undefined): number {
    const GAP = 10_000;
    let found = -1;
    for (let height = 0; height <= found + GAP; height++) {
      if (orNothing(() => isWhole(height)) === true) found = height;
    }
    return found;
  }
}

function bytesOf(row: TransactionRow, signatures: BlobRow | undefined): Buffer {
  const prefix = decodeBlob(row.codec, row.bytes, 'transactions', row.id);
  return signatures === undefined
    ? prefix
    : Buffer.concat([prefix, decodeBlob(signatures.codec, signatures.bytes, 'signatures', row.id)]);
}
