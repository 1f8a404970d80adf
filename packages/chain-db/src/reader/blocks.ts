import type { BlockFacts } from '@wrkz/consensus';
import { lowerBound } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase, MissingRow, EmptyDatabase } from '../errors';
import { findRow, type HashSource } from '../hashed-rows';
import { HASH_KINDS } from '../hash-index/schema';
import { Floors } from '../modes/floors';
import { type BlockStamp, type RulesDigest, FACTS_HALVES, factsOf, type FactsRow } from '../block-row';

type StampRow = readonly [height: number, hash: Buffer, timestamp: number, lag: number, generated: number];

/** Queries of main-chain blocks, without bodies. */
export class BlockQueries {
  private readonly ends: SqliteStatement<[], [height: number, generated: number, transactions: number]>;
  private readonly factsAt: SqliteStatement<[number], FactsRow>;
  private readonly factsBetween: SqliteStatement<[number, number], FactsRow>;
  private readonly stampsBetween: SqliteStatement<[number, number], StampRow>;
  private readonly digestUpTo: SqliteStatement<[number], [height: number, digest: Buffer]>;
  private readonly stampAt: SqliteStatement<[number], StampRow>;

  /** @param source the lookup of a reader or of the writer */
  constructor(
    connection: SqliteConnection,
    private readonly source: HashSource,
    private readonly floors = new Floors(connection),
  ) {
    const stamp = 'SELECT height, hash, timestamp, timestamp_lag, generated_transactions FROM blocks';
    this.ends = connection
      .prepare<[], [number, number, number]>(
        `SELECT height, generated_transactions, (SELECT coalesce(max(id), -1) + 1 FROM transactions)
         FROM blocks ORDER BY height DESC LIMIT 1`,
      )
      .raw(true);
    const facts = `SELECT ${FACTS_HALVES} FROM blocks`;
    this.factsAt = connection.prepare<[number], FactsRow>(`${facts} WHERE height = ?`).raw(true);
    this.factsBetween = connection
      .prepare<[number, number], FactsRow>(`${facts} WHERE height >= ? AND height < ? ORDER BY height`)
      .raw(true);
    this.stampsBetween = connection
      .prepare<[number, number], StampRow>(`${stamp} WHERE height >= ? AND height < ? ORDER BY height`)
      .raw(true);
    this.digestUpTo = connection
      .prepare<[number], [number, Buffer]>(
        'SELECT height, digest FROM rules_digests WHERE height <= ? ORDER BY height DESC LIMIT 1',
      )
      .raw(true);
    this.stampAt = connection.prepare<[number], StampRow>(`${stamp} WHERE height = ?`).raw(true);
  }

  /**
   * If a page lost its last rows, the tip would be lower without a visible gap. So the number of transactions must match the tip.
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
    if (row !== undefined) return factsOf(row);
    if (height >= 0 && height < this.height()) throw new MissingRow('blocks', height);
    return undefined;
  }

  /** The stored digest at the highest height up to `height`. */
  rulesDigest(height: number): RulesDigest | undefined {
    const row = this.digestUpTo.get(height);
    return row && { height: row[0], digest: row[1] };
  }

  /** @throws MissingRow for an invalid row, or a missing one below the tip */
  factsRange(start: number, end: number): BlockFacts[] {
    const from = Math.max(start, 0);
    const rows = this.factsBetween.all(from, end);
    this.expectRows(from, end, rows);
    return rows.map(factsOf);
  }

  /** @throws as {@link factsRange} */
  stamps(start: number, end: number): BlockStamp[] {
    const from = Math.max(start, 0);
    const rows = this.stampsBetween.all(from, end);
    this.expectRows(from, end, rows);
    return rows.map(stampOf);
  }

  /** @throws as {@link factsRange} */
  hashes(start: number, end: number): Buffer[] {
    return this.stamps(start, end).map(({ hash }) => hash);
  }

  /** The caller holds the transaction. @throws CorruptDatabase if the index or the row is damaged */
  heightOf(hash: Buffer): number | undefined {
    return findRow(this.source, HASH_KINDS.block, hash, (height) => this.stamp(height).hash);
  }

  /** Cumulative number of transactions; 0 below genesis. @throws MissingRow */
  generatedTransactions(height: number): number {
    return height < 0 ? 0 : this.stamp(height).generatedTransactions;
  }

  /** Max timestamp up to this block. @throws MissingRow */
  latestTimestamp(height: number): number {
    const { timestamp, timestampLag } = this.stamp(height);
    return timestamp + timestampLag;
  }

  /** Height of the first block with this or a later timestamp. */
  firstHeightFrom(timestamp: number): number | undefined {
    const end = this.height() + 1;
    const first = lowerBound(0, end, (height) => this.latestTimestamp(height) < timestamp);
    return first === end ? undefined : first;
  }

  private stamp(height: number): BlockStamp {
    const row = this.stampAt.get(height);
    if (row === undefined) throw new MissingRow('blocks', height);
    return stampOf(row);
  }

  /** Checks that the rows have consecutive heights from `start` to `end` or the tip. */
  private expectRows(
    start: number,
    end: number,
    rows: readonly (readonly [height: number, ...rest: unknown[]])[],
  ): void {
    const wanted = rows.length === end - start ? rows.length : Math.min(end, this.height() + 1) - start;
    for (let i = 0; i < wanted; i++) {
      if (rows[i]?.[0] !== start + i) throw new MissingRow('blocks', start + i);
    }
  }
}

function stampOf([height, hash, timestamp, timestampLag, generatedTransactions]: StampRow): BlockStamp {
  return { height, hash, timestamp, timestampLag, generatedTransactions };
}
