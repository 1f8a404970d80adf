import type { BlockFacts, ChainView, OutputFacts } from '@wrkz/consensus';
import { type RawBlock, rawBlockBytes } from '@wrkz/core-types';
import { firstBadPage, type SqliteConnection, type SqliteStatement } from '@wrkz/sqlite';
import { damageWithTable, pageLocation, type PageLocation } from '../block-pages';
import { AlternativeQueries, type AltInfo, type AlternativeBlock } from '../alternatives';
import { HashLookup, type RunDirectory } from '../hash-index/lookup';
import { KeyImageQueries, type SpentKeyImage } from '../key-images';
import { Floors, type FloorHeights } from '../modes/floors';
import { PaymentIdQueries, type PaymentIdUse } from '../payment-ids';
import type { BlockStamp } from '../block-row';
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

/** A main-chain transaction with its place: `position` 0 is the coinbase. */
export interface StoredTransaction {
  readonly height: number;
  readonly position: number;
  readonly bytes: Buffer;
}

/** An output that may serve as a decoy. */
export interface RandomOutput {
  readonly index: number;
  readonly key: Buffer;
}

/** Blocks in a row, with the hashes and prefixes of their transactions: what a wallet needs, without bodies. */
export interface BlockScan extends TransactionScan {
  readonly blocks: readonly BlockStamp[];
  /** Block i has the transactions from offsets[i] (its coinbase) up to offsets[i + 1]; one more entry than blocks. */
  readonly offsets: readonly number[];
}

/** Blocks read in one go while putting whole ones together. */
const BLOCKS_A_READ = 32;

/** What a table or an index takes on the disk; `payload` are the bytes of its rows alone. */
export interface TableSpace {
  readonly name: string;
  readonly rows: number;
  readonly payload: number;
  readonly bytes: number;
}

/** What the file takes, as the state that is read has it. */
export interface FileSpace {
  /** Bytes. */
  readonly pageSize: number;
  readonly pages: number;
  /** Pages that hold nothing. */
  readonly emptyPages: number;
}

/**
 * Every question about the committed chain. Heights are block indexes; ranges are [start, end) and are cut at the tip.
 *
 * Each answer comes from one state of the chain; several answers do so inside {@link snapshot}. Readers see only what is
 * committed, never wait for the writer and never make it wait. Calls are synchronous and cost some microseconds each.
 *
 * Every page that is read is compared with its checksum: a damaged page throws an SQLite error (see `damageIn`), a row that is
 * missing where one must be throws MissingRow.
 *
 * Below `floors().bodies` there are no bytes, below `floors().records` no transactions: what would return them throws
 * BelowFloor there, and what is looked up by a hash is unknown. Genesis is always whole.
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

  /** @param directory the writer's filters, where it works on this thread; see HashLookup */
  constructor(
    private readonly connection: SqliteConnection,
    directory?: () => RunDirectory | undefined,
  ) {
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
  }

  /** Runs `read` within one read transaction: all its answers belong to the same state. It must not be asynchronous. */
  snapshot<T>(read: () => T): T {
    if (this.connection.inTransaction) return read();
    this.begin.run();
    try {
      const result = read();
      if (result instanceof Promise)
        throw new TypeError('a snapshot ends with the call: its reads cannot be asynchronous');
      return result;
    } catch (error) {
      // Interpreted at once: SQLite keeps only the last damaged page of a thread.
      throw damageWithTable(this.connection, error) ?? error;
    } finally {
      // A page that does not fit its checksum ends the transaction.
      if (this.connection.inTransaction) this.commit.run();
    }
  }

  /** Height of the tip, -1 while the database is empty. */
  height(): number {
    return this.blocks.height();
  }

  /** @throws EmptyDatabase */
  tip(): BlockFacts {
    return this.blocks.tip();
  }

  /** undefined above the tip. */
  facts(height: number): BlockFacts | undefined {
    return this.blocks.facts(height);
  }

  factsRange(start: number, end: number): BlockFacts[] {
    return this.blocks.factsRange(start, end);
  }

  /** Block ids, lowest first. */
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

  /** Whether the block is known on any branch. */
  hasBlock(hash: Buffer): boolean {
    return this.heightOf(hash) !== undefined || this.branches.info(hash) !== undefined;
  }

  /** undefined above the tip. @throws BelowFloor */
  rawBlock(height: number): RawBlock | undefined {
    return this.rawBlocks(height, height + 1)[0];
  }

  /**
   * Blocks as serialized, lowest first.
   *
   * @param maxBytes stop once this many bytes are gathered; the first block is given in any case
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

  /** Ids and times of blocks, and how many transactions there are up to each: the cheapest walk over the chain. */
  blockStamps(start: number, end: number): BlockStamp[] {
    return this.snapshot(() => this.blocks.stamps(start, end));
  }

  /**
   * What a wallet's rescan needs of the blocks of a range: ids, times, and each transaction's hash and prefix (outputs with
   * amounts and keys, key images, the transaction's public key, payment ids). Nothing is hashed and no body is read, so it
   * works below the floor of a pruned node. Three statements a range: ask for some hundred blocks at once.
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

  /** Hashes and prefixes of the transactions with ids [first, end): see {@link BlockStamp} for which those of a block are. */
  scanTransactions(first: number, end: number): TransactionScan {
    return this.snapshot(() => {
      this.requireTransactions(first, end);
      return this.transactions.scan({ first, end });
    });
  }

  /** The lowest height whose timestamp (Unix seconds) is `timestamp` or later; undefined when the chain ends before it. */
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

  /** Transactions of the main chain, coinbases included. */
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

  /** How many transactions of the chain carry this plain payment id (32 bytes). */
  paymentIdUses(paymentId: Buffer): number {
    return this.snapshot(() => this.paymentIds.uses(paymentId));
  }

  /** Hashes of the transactions that make the uses `start` to `end` - 1 of this payment id, in chain order. */
  transactionsByPaymentId(paymentId: Buffer, start: number, end: number): Buffer[] {
    return this.snapshot(() =>
      this.paymentIds
        .transactionIds(paymentId, start, end)
        .flatMap((id) => this.transactions.places({ first: id, end: id + 1 }))
        .map(({ hash }) => hash),
    );
  }

  /** Plain payment ids that transactions of the blocks of a range carry, in chain order. */
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

  /** Several outputs of one amount, in the order asked. */
  outputs(amount: bigint, indexes: readonly number[]): (StoredOutput | undefined)[] {
    return this.snapshot(() => indexes.map((index) => this.keyOutputs.output(amount, index)));
  }

  /** Every amount of which there is an output, ascending. */
  amounts(): bigint[] {
    return this.keyOutputs.amounts();
  }

  /** The outputs of one amount with the global indexes `start` to `end` - 1. @throws MissingRow where one is missing */
  outputsBetween(amount: bigint, start: number, end: number): StoredOutput[] {
    return this.snapshot(() => this.keyOutputs.range(amount, start, end));
  }

  /** How many outputs of this amount the chain holds, or held when `atHeight` was its tip. */
  outputCount(amount: bigint, atHeight?: number): number {
    return this.keyOutputs.count(amount, atHeight);
  }

  /**
   * Decoys: up to `count` distinct outputs of an amount from blocks up to `maxHeight` that `isUnlocked` accepts, uniform
   * over all of them and in random order (docs/protocol/storage.md#decoys). Fewer where fewer exist.
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

  /** The main chain as it stands at `height`, for the rules. @throws RangeError above the tip */
  viewAt(height: number): ChainView {
    if (height < 0 || height > this.height()) throw new RangeError(`no block ${height} to view the chain from`);
    return new DatabaseView(this, height);
  }

  /** The blocks kept off the main chain, lowest first. */
  alternatives(): AltInfo[] {
    return this.branches.all();
  }

  alternativeInfo(hash: Buffer): AltInfo | undefined {
    return this.branches.info(hash);
  }

  /** With bytes. @throws MissingRow */
  alternative(hash: Buffer): AlternativeBlock | undefined {
    return this.snapshot(() => this.branches.block(hash));
  }

  alternativeCount(): number {
    return this.branches.count();
  }

  /** From which heights on things are kept; genesis is always whole. A full node has 0, 0 and undefined. */
  floors(): FloorHeights {
    return this.floorHeights.heights();
  }

  /** Rows and bytes of every table and index, largest first. It reads the whole database: minutes on a long chain. */
  space(): TableSpace[] {
    return this.connection
      .prepare<[], TableSpace>(
        // In a tree of rows only leaves hold them; in one of keys (an index, a table without row ids) every page does.
        `SELECT name, sum(iif(pagetype = 'leaf' OR name NOT IN (SELECT name FROM pragma_table_list WHERE wr = 0), ncell, 0))
         AS rows, sum(payload) AS payload, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC`,
      )
      .all();
  }

  /** Bytes of the bodies and signatures of blocks [start, end): what a pruning of them would delete. */
  prunableBytes(start: number, end: number): number {
    const total = (height: number): number => this.blockStamps(height, height + 1)[0]?.generatedTransactions ?? 0;
    return end <= start ? 0 : this.bodies.bytes([start, end], [total(start - 1), total(end - 1)]);
  }

  /** A number that is another one after a commit of another connection, of this process or any other; costs a microsecond. */
  commitMark(): number {
    return Number(this.connection.pragma('data_version', { simple: true }));
  }

  /** A number that is another one after tables were made or changed, and after a VACUUM. */
  schemaMark(): number {
    return Number(this.connection.pragma('schema_version', { simple: true }));
  }

  /** The file's pages; costs some microseconds. */
  fileSpace(): FileSpace {
    const pragma = (name: string): number => Number(this.connection.pragma(name, { simple: true }));
    return this.snapshot(() => ({
      pageSize: pragma('page_size'),
      pages: pragma('page_count'),
      emptyPages: pragma('freelist_count'),
    }));
  }

  /** The lowest of the pages [first, first + count) of the file that does not fit its checksum. */
  firstBadPage(first: number, count: number): number | undefined {
    return firstBadPage(this.connection, first, count);
  }

  /** The table and heights of a page of the file; undefined for a free page and where damage hides it. */
  pageLocation(page: number): PageLocation | undefined {
    return pageLocation(this.connection, page);
  }

  close(): void {
    this.connection.close();
  }

  /** Blocks that are known to be there. */
  private readRawBlocks(start: number, end: number): RawBlock[] {
    const { offsets, ...scan } = this.scanBlocks(start, end);
    const first = (scan.blocks[0]?.generatedTransactions ?? 0) - (offsets[1] ?? 0);
    const ranges = scan.blocks.map((_, i) => ({
      first: first + (offsets[i] as number),
      end: first + (offsets[i + 1] as number),
    }));
    return this.bodies.rawBlocks(start, ranges, scan);
  }

  /** @throws BelowFloor where one of the blocks has no transactions stored */
  private requireRecords(start: number, end: number): void {
    if (this.floorHeights.lite !== undefined) {
      this.floorHeights.requireRecords(start, Math.min(end, this.height() + 1));
    }
  }

  /** The same by ids. */
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
