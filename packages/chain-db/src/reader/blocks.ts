import type { BlockFacts } from '@wrkz/consensus';
import { lowerBound } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase, DamagedRow, EmptyDatabase } from '../errors';
import { findRow, type HashSource } from '../rows/hashed-rows';
import { HASH_KINDS } from '../hash-index/schema';
import { Floors } from '../modes/floors';
import { blockRowChecksum, stampChecksum, type BlockStamp } from '../rows/checksums';
import { FACTS_HALVES, factsOf, type FactsRow } from '../rows/facts';

type BlockRow = readonly [...FactsRow, timestampLag: number, checksum: number];
type StampRow = readonly [height: number, hash: Buffer, timestamp: number, lag: number, generated: number, sum: number];

/** Questions about main-chain blocks that need no bytes. Every row that is given was compared with its checksum. */
export class BlockQueries {
  private readonly ends: SqliteStatement<[], [height: number, generated: number, transactions: number]>;
  private readonly factsAt: SqliteStatement<[number], BlockRow>;
  private readonly factsBetween: SqliteStatement<[number, number], BlockRow>;
  private readonly stampsBetween: SqliteStatement<[number, number], StampRow>;
  private readonly stampAt: SqliteStatement<[number], StampRow>;

  /** @param source the look-up of a reader, or the writer's, which knows what is not written yet */
  constructor(
    connection: SqliteConnection,
    private readonly source: HashSource,
    private readonly floors = new Floors(connection),
  ) {
    const stamp = 'SELECT height, hash, timestamp, timestamp_lag, generated_transactions, stamp_checksum FROM blocks';
    this.ends = connection
      .prepare<[], [number, number, number]>(
        `SELECT height, generated_transactions, (SELECT coalesce(max(id), -1) + 1 FROM transactions)
         FROM blocks ORDER BY height DESC LIMIT 1`,
      )
      .raw(true);
    const facts = `SELECT ${FACTS_HALVES}, timestamp_lag, checksum FROM blocks`;
    this.factsAt = connection.prepare<[number], BlockRow>(`${facts} WHERE height = ?`).raw(true);
    this.factsBetween = connection
      .prepare<[number, number], BlockRow>(`${facts} WHERE height >= ? AND height < ? ORDER BY height`)
      .raw(true);
    this.stampsBetween = connection
      .prepare<[number, number], StampRow>(`${stamp} WHERE height >= ? AND height < ? ORDER BY height`)
      .raw(true);
    this.stampAt = connection.prepare<[number], StampRow>(`${stamp} WHERE height = ?`).raw(true);
  }

  /**
   * A page that lost its last rows would make a lower tip, and nothing above would seem to be missing: so the transactions,
   * where there are any, must end at the same block.
   *
   * @throws CorruptDatabase
   */
  height(): number {
    const ends = this.ends.get();
    if (ends === undefined) return -1;
    const [height, generated, transactions] = ends;
    const wanted = this.floors.transactionsUpTo(height, generated);
    if (transactions !== wanted && transactions !== 0) {
      throw new CorruptDatabase(`${transactions} transactions are stored, up to block ${height} there are ${wanted}`);
    }
    return height;
  }

  tip(): BlockFacts {
    const facts = this.facts(this.height());
    if (facts === undefined) throw new EmptyDatabase();
    return facts;
  }

  /** @throws as {@link factsRange} */
  facts(height: number): BlockFacts | undefined {
    const row = this.factsAt.get(height);
    if (row !== undefined) return checkedFacts(row);
    if (height >= 0 && height < this.height()) throw new DamagedRow('blocks', height, 'is missing');
    return undefined;
  }

  /** @throws DamagedRow for a row that is wrong, and for one that is missing below the tip */
  factsRange(start: number, end: number): BlockFacts[] {
    const from = Math.max(start, 0);
    const rows = this.factsBetween.all(from, end);
    this.expectRows(from, end, rows);
    return rows.map(checkedFacts);
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

  /** The caller holds the transaction. @throws CorruptDatabase, where the look-up or the row is damaged */
  heightOf(hash: Buffer): number | undefined {
    return findRow(this.source, HASH_KINDS.block, hash, (height) => this.stamp(height).hash);
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
    const end = this.height() + 1;
    const first = lowerBound(0, end, (height) => this.latestTimestamp(height) < timestamp);
    return first === end ? undefined : first;
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

function checkedFacts(row: BlockRow): BlockFacts {
  const columns = row as unknown as FactsRow;
  if (blockRowChecksum(columns, row[13]) !== row[14]) throw new DamagedRow('blocks', row[0]);
  return factsOf(columns);
}

function checkedStamp([height, hash, timestamp, timestampLag, generatedTransactions, sum]: StampRow): BlockStamp {
  const stamp = { height, hash, timestamp, timestampLag, generatedTransactions };
  if (stampChecksum(stamp) !== sum) throw new DamagedRow('blocks', height);
  return stamp;
}
