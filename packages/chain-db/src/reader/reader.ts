import type { BlockFacts, ChainView, OutputFacts } from '@wrkz/consensus';
import { type RawBlock, rawBlockBytes } from '@wrkz/core-types';
import { firstBadPage, type SqliteConnection, type SqliteStatement } from '@wrkz/sqlite';
import { damageWithTable, pageLocation, type PageLocation } from '../block-pages';
import { AlternativeQueries, type AltInfo, type AlternativeBlock } from '../alternatives';
import { HashLookup, type RunDirectory } from '../hash-index/lookup';
import { KeyImageQueries, type SpentKeyImage } from '../key-images';
import { Floors, type FloorHeights } from '../modes/floors';
import { PaymentIdQueries, type PaymentIdUse } from '../payment-ids';
import type { BlockStamp, RulesDigest } from '../block-row';
import { BlockQueries } from './blocks';
import { BodyQueries } from './bodies';
import { OutputQueries, sample, type StoredOutput } from './outputs';
import {
  globalIndexesOf,
  TransactionQueries,
  type GlobalIndexes,
  type IdRange,
  type TransactionScan,
} from './transactions';
import { DatabaseView } from './view';

/** A main-chain transaction and its position; position 0 is the coinbase. */
export interface StoredTransaction {
  readonly height: number;
  readonly position: number;
  readonly bytes: Buffer;
}

/** A decoy candidate. */
export interface RandomOutput {
  readonly index: number;
  readonly key: Buffer;
}

/** Consecutive blocks with hashes and prefixes of their transactions, without bodies: for wallet scans. */
export interface BlockScan extends TransactionScan {
  readonly blocks: readonly BlockStamp[];
  /** Block i has the transactions from offsets[i] (its coinbase) to offsets[i + 1] - 1; one more entry than blocks. */
  readonly offsets: readonly number[];
}

/** Blocks per batch when serialized blocks are assembled. */
const BLOCKS_A_READ = 32;

/** Disk space of a table or index; `payload`: bytes of the rows. */
export interface TableSpace {
  readonly name: string;
  readonly rows: number;
  readonly payload: number;
  readonly bytes: number;
}

/** Size of the file in the state that is read. */
export interface FileSpace {
  /** Bytes. */
  readonly pageSize: number;
  readonly pages: number;
  /** Free pages. */
  readonly emptyPages: number;
}

/** Results of `cached`. Above it, all are dropped. */
const MAX_CACHED = 1_000;

/**
 * Queries of the committed chain. Heights are block indexes; ranges are [start, end) and end at the tip.
 *
 * Each query reads one state of the chain; {@link snapshot} does so for several queries. Readers never wait for the writer and
 * never block it. Calls are synchronous and take some microseconds.
 *
 * A damaged page throws an SQLite error (see `damageIn`), a missing row MissingRow.
 *
 * Below `floors().bodies` there are no bodies, below `floors().records` no transactions: queries by height throw BelowFloor,
 * queries by hash return undefined. Genesis is always complete.
 */
export class ChainReader {
  private readonly blocks: BlockQueries;
  private readonly transactions: TransactionQueries;
  private readonly keyOutputs: OutputQueries;
  private readonly keyImages: KeyImageQueries;
  private readonly paymentIds: PaymentIdQueries;
  private readonly bodies: BodyQueries;
  private readonly branches: AlternativeQueries;
  private readonly floorHeights: Floors;
  private readonly begin: SqliteStatement;
  private readonly commit: SqliteStatement;
  private readonly dataVersion: SqliteStatement<[], number>;
  private readonly commits: Int32Array | undefined;
  private readonly cache = new Map<string, unknown>();
  private cacheMark: number | undefined;

  /**
   * @param from `directory`: the Bloom filters of the writer, if it is on this thread, see HashLookup; `commits`: the counter of
   *   the writer, if it is in this process
   */
  constructor(
    private readonly connection: SqliteConnection,
    from: { readonly directory?: () => RunDirectory | undefined; readonly commits?: Int32Array | undefined } = {},
  ) {
    const { directory, commits } = from;
    this.commits = commits;
    const lookup = new HashLookup(connection, directory);
    this.floorHeights = new Floors(connection);
    this.blocks = new BlockQueries(connection, lookup, this.floorHeights);
    this.transactions = new TransactionQueries(connection, lookup);
    this.keyImages = new KeyImageQueries(connection, lookup);
    this.paymentIds = new PaymentIdQueries(connection, lookup);
    this.keyOutputs = new OutputQueries(connection);
    this.bodies = new BodyQueries(connection, this.floorHeights);
    this.branches = new AlternativeQueries(connection);
    this.begin = connection.prepare('BEGIN');
    this.commit = connection.prepare('COMMIT');
    this.dataVersion = connection.prepare<[], number>('PRAGMA data_version').pluck(true);
  }

  /** Runs `read`, which must be synchronous, in one read transaction. */
  snapshot<T>(read: () => T): T {
    if (this.connection.inTransaction) return read();
    this.begin.run();
    try {
      const result = read();
      if (result instanceof Promise)
        throw new TypeError('a snapshot ends with the call: its reads cannot be asynchronous');
      return result;
    } catch (error) {
      // Converts immediately: the library stores only the last damaged page of a thread.
      throw damageWithTable(this.connection, error) ?? error;
    } finally {
      // SQLite ends the transaction when a page does not fit its checksum.
      if (this.connection.inTransaction) this.commit.run();
    }
  }

  /** Height of the tip; -1: the database is empty. */
  height(): number {
    return this.cached('height', () => this.blocks.height());
  }

  /** @throws EmptyDatabase */
  tip(): BlockFacts {
    return this.cached('tip', () => this.blocks.tip());
  }

  /**
   * The result of a query, computed once per commit. In a snapshot, which begins with its first query of the database, and beside
   * the writer it is computed each time.
   * @param key the name of the query with its parameters
   */
  cached<T>(key: string, read: () => T): T {
    if (!this.connection.readonly || this.connection.inTransaction) return read();
    const mark = this.commitMark();
    if (mark !== this.cacheMark || this.cache.size >= MAX_CACHED) this.cache.clear();
    this.cacheMark = mark;
    if (this.cache.has(key)) return this.cache.get(key) as T;
    const result = read();
    // A query of `read` can have noticed a commit: the result may be older.
    if (this.cacheMark === mark) this.cache.set(key, result);
    return result;
  }

  /** Undefined above the tip. */
  facts(height: number): BlockFacts | undefined {
    return this.blocks.facts(height);
  }

  factsRange(start: number, end: number): BlockFacts[] {
    return this.blocks.factsRange(start, end);
  }

  /** The stored rules digest at the highest height up to `height`. */
  storedRulesDigest(height: number): RulesDigest | undefined {
    return this.blocks.rulesDigest(height);
  }

  /** Block ids, ascending by height. */
  hashes(start: number, end: number): Buffer[] {
    return this.blocks.hashes(start, end);
  }

  hashAt(height: number): Buffer | undefined {
    return this.blocks.hashes(height, height + 1)[0];
  }

  /** Height of a main-chain block. */
  heightOf(hash: Buffer): number | undefined {
    return this.snapshot(() => this.blocks.heightOf(hash));
  }

  /** Whether the block is stored, on any branch. */
  hasBlock(hash: Buffer): boolean {
    return this.heightOf(hash) !== undefined || this.branches.info(hash) !== undefined;
  }

  /** Undefined above the tip. @throws BelowFloor */
  rawBlock(height: number): RawBlock | undefined {
    return this.rawBlocks(height, height + 1)[0];
  }

  /**
   * Serialized blocks, ascending by height.
   *
   * @param maxBytes stops after this size; the first block is always returned
   * @throws BelowFloor, MissingRow
   */
  rawBlocks(start: number, end: number, maxBytes = Infinity): RawBlock[] {
    return this.snapshot(() => {
      const blocks: RawBlock[] = [];
      const stop = Math.min(end, this.height() + 1);
      let bytes = 0;
      for (let from = Math.max(start, 0); from < stop; from += BLOCKS_A_READ) {
        for (const raw of this.readRawBlocks(from, Math.min(from + BLOCKS_A_READ, stop))) {
          bytes += rawBlockBytes(raw);
          if (bytes > maxBytes && blocks.length > 0) return blocks;
          blocks.push(raw);
        }
      }
      return blocks;
    });
  }

  /** Ids and timestamps of blocks, with the cumulative number of transactions. */
  blockStamps(start: number, end: number): BlockStamp[] {
    return this.snapshot(() => this.blocks.stamps(start, end));
  }

  /**
   * Blocks for a wallet scan: ids, timestamps, hash and prefix of each transaction. Reads no bodies, so it works on a pruned
   * node. Takes three statements: request some hundred blocks per call.
   *
   * @throws BelowFloor, MissingRow
   */
  scanBlocks(start: number, end: number): BlockScan {
    return this.snapshot(() => {
      this.requireRecords(start, end);
      const blocks = this.blocks.stamps(start, end);
      const first = blocks.length === 0 ? 0 : this.blocks.generatedTransactions(Math.max(start, 0) - 1);
      const offsets = [0, ...blocks.map(({ generatedTransactions }) => generatedTransactions - first)];
      return { blocks, offsets, ...this.scanTransactions(first, first + (offsets[blocks.length] ?? 0)) };
    });
  }

  /** Hashes and prefixes of the transactions with ids [first, end), see {@link BlockStamp}. */
  scanTransactions(first: number, end: number): TransactionScan {
    return this.snapshot(() => {
      this.requireTransactions(first, end);
      return this.transactions.scan({ first, end });
    });
  }

  /** Height of the first block with this or a later timestamp (Unix seconds); undefined if there is none. */
  firstHeightFrom(timestamp: number): number | undefined {
    return this.snapshot(() => this.blocks.firstHeightFrom(timestamp));
  }

  /** @throws BelowFloor */
  transaction(hash: Buffer): StoredTransaction | undefined {
    return this.snapshot(() => {
      const place = this.transactions.place(hash);
      if (place === undefined) return undefined;
      const { height, id } = place;
      const position = id - this.blocks.generatedTransactions(height - 1);
      const prefix = this.transactions.scan({ first: id, end: id + 1 }).prefixes[0] as Buffer;
      return { height, position, bytes: this.bodies.transaction(id, height, prefix) };
    });
  }

  transactionHeight(hash: Buffer): number | undefined {
    return this.snapshot(() => this.transactions.place(hash)?.height);
  }

  hasTransaction(hash: Buffer): boolean {
    return this.transactionHeight(hash) !== undefined;
  }

  /** Number of main-chain transactions, including coinbases. */
  transactionCount(): number {
    return this.snapshot(() => this.blocks.generatedTransactions(this.height()));
  }

  /** Hashes of a block's transactions, coinbase first; empty above the tip. */
  transactionHashes(height: number): Buffer[] {
    return this.snapshot(() => this.transactions.places(this.ids(height, height + 1)).map(({ hash }) => hash));
  }

  /** Global output indexes of a block's transactions, coinbase first; empty above the tip. */
  globalIndexes(height: number): GlobalIndexes[] {
    return this.globalIndexesRange(height, height + 1);
  }

  /** The same for the blocks of a range, in chain order. */
  globalIndexesRange(start: number, end: number): GlobalIndexes[] {
    return this.snapshot(() => this.transactions.places(this.ids(start, end)).map(globalIndexesOf));
  }

  /** Global output indexes of one transaction, in the order of its outputs. */
  outputIndexes(hash: Buffer): readonly number[] | undefined {
    const place = this.snapshot(() => this.transactions.place(hash));
    return place && globalIndexesOf(place).indexes;
  }

  /** Height of the block that spent the output with this key image. */
  keyImageHeight(keyImage: Buffer): number | undefined {
    return this.snapshot(() => this.keyImages.heightOf(keyImage));
  }

  /** Key images that the blocks of a range spent, in chain order. */
  keyImagesBetween(start: number, end: number): SpentKeyImage[] {
    return this.snapshot(() => this.keyImages.range(start, end));
  }

  /** Number of transactions with this plain payment id (32 bytes). */
  paymentIdUses(paymentId: Buffer): number {
    return this.snapshot(() => this.paymentIds.uses(paymentId));
  }

  /** Hashes of the transactions of uses `start` to `end` - 1 of a payment id, in chain order. */
  transactionsByPaymentId(paymentId: Buffer, start: number, end: number): Buffer[] {
    return this.snapshot(() =>
      this.paymentIds
        .transactionIds(paymentId, start, end)
        .flatMap((id) => this.transactions.places({ first: id, end: id + 1 }))
        .map(({ hash }) => hash),
    );
  }

  /** Plain payment ids of the blocks of a range, in chain order. */
  paymentIdsBetween(start: number, end: number): PaymentIdUse[] {
    return this.snapshot(() => {
      const { first, end: past } = this.ids(start, end);
      return this.paymentIds.range(first, past);
    });
  }

  /** The output of this amount (atomic units) with this global index. */
  output(amount: bigint, index: number): StoredOutput | undefined {
    return this.keyOutputs.output(amount, index);
  }

  /** All amounts of outputs, ascending. */
  amounts(): bigint[] {
    return this.keyOutputs.amounts();
  }

  /** Outputs of an amount with global indexes `start` to `end` - 1. @throws MissingRow */
  outputsBetween(amount: bigint, start: number, end: number): StoredOutput[] {
    return this.snapshot(() => this.keyOutputs.range(amount, start, end));
  }

  /** Outputs of an amount from global index `start` on, in blocks up to `height`. @throws MissingRow */
  outputsUpTo(amount: bigint, start: number, height: number): StoredOutput[] {
    return this.keyOutputs.upTo(amount, start, height);
  }

  /** Number of outputs of an amount in blocks up to `atHeight`; default: all. */
  outputCount(amount: bigint, atHeight?: number): number {
    return this.keyOutputs.count(amount, atHeight);
  }

  /**
   * Decoys: up to `count` distinct outputs of an amount from blocks up to `maxHeight` that `isUnlocked` accepts, uniformly
   * distributed and in random order (docs/protocol/storage.md#decoys).
   */
  randomOutputs(
    amount: bigint,
    count: number,
    rule: { readonly maxHeight: number; readonly isUnlocked: (output: OutputFacts) => boolean },
  ): RandomOutput[] {
    return this.snapshot(() =>
      sample(this.outputCount(amount, rule.maxHeight), count, (index) => {
        const output = this.keyOutputs.output(amount, index);
        return output !== undefined && rule.isUnlocked(output) ? { index, key: output.key } : undefined;
      }),
    );
  }

  /** The main chain up to `height`, for the consensus rules. @throws RangeError above the tip */
  viewAt(height: number): ChainView {
    if (height < 0 || height > this.height()) throw new RangeError(`no block ${height} to view the chain from`);
    return new DatabaseView(this, height);
  }

  /** Alternative blocks, ascending by height. */
  alternatives(): AltInfo[] {
    return this.branches.all();
  }

  alternativeInfo(hash: Buffer): AltInfo | undefined {
    return this.branches.info(hash);
  }

  /** An alternative block with its bytes. @throws MissingRow */
  alternative(hash: Buffer): AlternativeBlock | undefined {
    return this.snapshot(() => this.branches.block(hash));
  }

  alternativeCount(): number {
    return this.branches.count();
  }

  /** Heights from which bodies and records are stored. A full node has 0, 0 and undefined. */
  floors(): FloorHeights {
    return this.floorHeights.heights();
  }

  /** Rows and bytes of each table and index, largest first. Reads the whole database: minutes for a long chain. */
  space(): TableSpace[] {
    return this.connection
      .prepare<[], TableSpace>(
        // Rows of a table are in leaf pages; of an index or a table without row ids in all pages.
        `SELECT name, sum(iif(pagetype = 'leaf' OR name NOT IN (SELECT name FROM pragma_table_list WHERE wr = 0), ncell, 0))
         AS rows, sum(payload) AS payload, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC`,
      )
      .all();
  }

  /** Bytes that pruning of the blocks [start, end) would delete: bodies and signatures. */
  prunableBytes(start: number, end: number): number {
    const total = (height: number): number => this.blockStamps(height, height + 1)[0]?.generatedTransactions ?? 0;
    return end <= start ? 0 : this.bodies.bytes([start, end], [total(start - 1), total(end - 1)]);
  }

  /** Changes with each commit of another connection or process. Takes some microseconds without the writer's counter. */
  commitMark(): number {
    return this.commits === undefined ? (this.dataVersion.get() ?? 0) : Atomics.load(this.commits, 0);
  }

  /** Changes when the schema changes, and after a VACUUM. */
  schemaMark(): number {
    return Number(this.connection.pragma('schema_version', { simple: true }));
  }

  /** Pages of the file; takes some microseconds. */
  fileSpace(): FileSpace {
    const pragma = (name: string): number => Number(this.connection.pragma(name, { simple: true }));
    return this.snapshot(() => ({
      pageSize: pragma('page_size'),
      pages: pragma('page_count'),
      emptyPages: pragma('freelist_count'),
    }));
  }

  /** The first of the pages [first, first + count) that does not match its checksum. */
  firstBadPage(first: number, count: number): number | undefined {
    return firstBadPage(this.connection, first, count);
  }

  /** Table and heights of a page; undefined for a free page, or if damage prevents it. */
  pageLocation(page: number): PageLocation | undefined {
    return pageLocation(this.connection, page);
  }

  close(): void {
    this.connection.close();
  }

  /** Facts of blocks that must exist. */
  private readRawBlocks(start: number, end: number): RawBlock[] {
    const { offsets, ...scan } = this.scanBlocks(start, end);
    const first = (scan.blocks[0]?.generatedTransactions ?? 0) - (offsets[1] ?? 0);
    const ranges = scan.blocks.map((_, i) => ({
      first: first + (offsets[i] as number),
      end: first + (offsets[i + 1] as number),
    }));
    return this.bodies.rawBlocks(start, ranges, scan);
  }

  /** @throws BelowFloor if the transactions of a block are not stored */
  private requireRecords(start: number, end: number): void {
    if (this.floorHeights.lite !== undefined) {
      this.floorHeights.requireRecords(start, Math.min(end, this.height() + 1));
    }
  }

  /** The same by transaction ids. */
  private requireTransactions(first: number, end: number): void {
    const { lite } = this.floorHeights;
    if (lite === undefined || end <= first || (first === 0 && end === 1)) return;
    const below = Math.min(lite - 1, this.height());
    if (Math.max(first, 1) < this.blocks.generatedTransactions(below)) throw this.floorHeights.below(below);
  }

  private ids(start: number, end: number): IdRange {
    this.requireRecords(start, end);
    const stop = Math.min(end, this.height() + 1);
    const from = Math.min(Math.max(start, 0), stop);
    return { first: this.blocks.generatedTransactions(from - 1), end: this.blocks.generatedTransactions(stop - 1) };
  }
}
