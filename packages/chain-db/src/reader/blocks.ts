import type { BlockFacts } from '@wrkz/consensus';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { DamagedRow, EmptyDatabase } from '../errors';
import { blockRowChecksum, stampChecksum, type BlockStamp } from '../rows/checksums';
import { FACTS_HALVES, factsOf, type FactsRow } from '../rows/facts';

type BlockRow = readonly [...FactsRow, timestampLag: number, checksum: number];
type StampRow = readonly [height: number, hash: Buffer, timestamp: number, lag: number, generated: number, sum: number];

/** Questions about main-chain blocks that need no bytes. Every row that is given was compared with its checksum. */
export class BlockQueries {
  private readonly tipHeight: SqliteStatement<[], [number]>;
  private readonly factsBetween: SqliteStatement<[number, number], BlockRow>;
  private readonly stampsBetween: SqliteStatement<[number, number], StampRow>;
  private readonly stampAt: SqliteStatement<[number], StampRow>;
  private readonly stampsByHash: SqliteStatement<[Buffer], StampRow>;

  constructor(connection: SqliteConnection) {
    const stamp = 'SELECT height, hash, timestamp, timestamp_lag, generated_transactions, stamp_checksum FROM blocks';
    this.tipHeight = connection.prepare<[], [number]>('SELECT coalesce(max(height), -1) FROM blocks').raw(true);
    this.factsBetween = connection
      .prepare<[number, number], BlockRow>(
        `SELECT ${FACTS_HALVES}, timestamp_lag, checksum FROM blocks WHERE height >= ? AND height < ? ORDER BY height`,
      )
      .raw(true);
    this.stampsBetween = connection
      .prepare<[number, number], StampRow>(`${stamp} WHERE height >= ? AND height < ? ORDER BY height`)
      .raw(true);
    this.stampAt = connection.prepare<[number], StampRow>(`${stamp} WHERE height = ?`).raw(true);
    this.stampsByHash = connection.prepare<[Buffer], StampRow>(`${stamp} WHERE substr(hash, 1, 8) = ?`).raw(true);
  }

  height(): number {
    return this.tipHeight.get()?.[0] ?? -1;
  }

  tip(): BlockFacts {
    const [facts] = this.factsRange(this.height(), Infinity);
    if (facts === undefined) throw new EmptyDatabase();
    return facts;
  }

  facts(height: number): BlockFacts | undefined {
    return this.factsRange(height, height + 1)[0];
  }

  /** @throws DamagedRow for a row that is wrong, and for one that is missing below the tip */
  factsRange(start: number, end: number): BlockFacts[] {
    const from = Math.max(start, 0);
    const rows = this.factsBetween.all(from, end);
    this.expectRows(from, end, rows);
    return rows.map((row) => {
      if (blockRowChecksum(row as unknown as FactsRow, row[13]) !== row[14]) throw new DamagedRow('blocks', row[0]);
      return factsOf(row as unknown as FactsRow);
    });
  }

  /** @throws as {@link factsRange} */
  stamps(start: number, end: number): BlockStamp[] {
    const from = Math.max(start, 0);
    const rows = this.stampsBetween.all(from, end);
    this.expectRows(from, end, rows);
    return rows.map(checkedStamp);
  }

  /** @throws as {@link factsRange} */
  hashes(start: number, end: number): Buffer[] {
    return this.stamps(start, end).map(({ hash }) => hash);
  }

  /** A row whose index entry leads here and whose hash is another is damaged, or the one block in 2^64 that begins alike. */
  heightOf(hash: Buffer): number | undefined {
    for (const row of this.stampsByHash.all(hash.subarray(0, 8))) {
      const stamp = checkedStamp(row);
      if (stamp.hash.equals(hash)) return stamp.height;
    }
    return undefined;
  }

  /** Transactions up to and including this block; 0 below genesis. @throws DamagedRow */
  generatedTransactions(height: number): number {
    return height < 0 ? 0 : this.stamp(height).generatedTransactions;
  }

  /** The highest timestamp up to and including this block. @throws DamagedRow */
  latestTimestamp(height: number): number {
    const { timestamp, timestampLag } = this.stamp(height);
    return timestamp + timestampLag;
  }

  /** The lowest height whose timestamp is `timestamp` or later. */
  firstHeightFrom(timestamp: number): number | undefined {
    let low = 0;
    let high = this.height() + 1;
    const end = high;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.latestTimestamp(middle) >= timestamp) high = middle;
      else low = middle + 1;
    }
    return low === end ? undefined : low;
  }

  private stamp(height: number): BlockStamp {
    const row = this.stampAt.get(height);
    if (row === undefined) throw new DamagedRow('blocks', height, 'is missing');
    return checkedStamp(row);
  }

  /** The rows are those of consecutive heights from `start` on, up to `end` or the tip. */
  private expectRows(
    start: number,
    end: number,
    rows: readonly (readonly [height: number, ...rest: unknown[]])[],
  ): void {
    const wanted = rows.length === end - start ? rows.length : Math.min(end, this.height() + 1) - start;
    for (let i = 0; i < wanted; i++) {
      if (rows[i]?.[0] !== start + i) throw new DamagedRow('blocks', start + i, 'is missing');
    }
  }
}

function checkedStamp([height, hash, timestamp, timestampLag, generatedTransactions, sum]: StampRow): BlockStamp {
  const stamp = { height, hash, timestamp, timestampLag, generatedTransactions };
  if (stampChecksum(stamp) !== sum) throw new DamagedRow('blocks', height);
  return stamp;
}
