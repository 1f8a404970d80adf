import type { BlockFacts, ChainView, OutputFacts } from '@wrkz/consensus';
import { type RawBlock, rawBlockBytes } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { AlternativeQueries, type AltInfo, type AlternativeBlock } from './alternatives';
import { BlockQueries, type IdRange } from './blocks';
import { checkRawBlock } from './check-raw-block';
import { Confirmation } from './confirmation';
import { sample } from './decoys';
import { OutputQueries, type StoredOutput } from './outputs';
import { TransactionQueries, type GlobalIndexes } from './transactions';
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

/** What a table or an index takes on the disk. `rows` counts inner entries of its tree, too. */
export interface TableSpace {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Every question about the committed chain. Heights are block indexes; ranges are [start, end) and are cut at the tip.
 *
 * Each answer comes from one state of the chain; several answers do so inside {@link snapshot}. Readers see only what is
 * committed, never wait for the writer and never make it wait. Calls are synchronous and cost some microseconds each.
 *
 * Bodies may one day not be kept below `floors().bodies`: what returns bytes throws BelowFloor there. A row that must be
 * there and is not throws CorruptDatabase.
 */
export class ChainReader {
  private readonly blocks: BlockQueries;
  private readonly transactions: TransactionQueries;
  private readonly keyOutputs: OutputQueries;
  private readonly branches: AlternativeQueries;
  private readonly confirmation: Confirmation;
  private readonly begin: SqliteStatement;
  private readonly commit: SqliteStatement;

  constructor(private readonly connection: SqliteConnection) {
    this.blocks = new BlockQueries(connection);
    this.transactions = new TransactionQueries(connection);
    this.keyOutputs = new OutputQueries(connection);
    this.branches = new AlternativeQueries(connection);
    this.confirmation = new Confirmation(this);
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
    } finally {
      this.commit.run();
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
    return this.blocks.heightOf(hash);
  }

  /** Whether the block is known on any branch. */
  hasBlock(hash: Buffer): boolean {
    return this.heightOf(hash) !== undefined || this.branches.info(hash) !== undefined;
  }

  /** undefined above the tip. @throws BelowFloor */
  rawBlock(height: number): RawBlock | undefined {
    return this.rawBlocks(height, height + 1)[0];
  }

  /** The same, hashed again before it is given: for what leaves this node. @throws CorruptDatabase, BelowFloor */
  checkedRawBlock(height: number): RawBlock | undefined {
    return this.snapshot(() => {
      const hash = this.hashAt(height);
      const raw = this.rawBlock(height);
      if (hash === undefined || raw === undefined) return undefined;
      return checkRawBlock(`block ${height}`, hash, () => raw);
    });
  }

  /**
   * Blocks as serialized, lowest first.
   *
   * @param maxBytes stop once this many bytes are gathered; the first block is given in any case
   * @throws BelowFloor
   */
  rawBlocks(start: number, end: number, maxBytes = Infinity): RawBlock[] {
    return this.snapshot(() => {
      const blocks: RawBlock[] = [];
      const from = Math.max(start, 0);
      const stop = Math.min(end, this.height() + 1);
      let bytes = 0;
      let first = from < stop ? this.blocks.generatedTransactions(from - 1) : 0;
      for (let height = from; height < stop; height++) {
        const past = this.blocks.generatedTransactions(height);
        const raw = this.blocks.rawBlock(height, { first, end: past });
        bytes += rawBlockBytes(raw);
        if (bytes > maxBytes && blocks.length > 0) break;
        blocks.push(raw);
        first = past;
      }
      return blocks;
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
      return { height, position, bytes: this.blocks.transactionBytes(height, id) };
    });
  }

  transactionHeight(hash: Buffer): number | undefined {
    return this.transactions.place(hash)?.height;
  }

  hasTransaction(hash: Buffer): boolean {
    return this.transactions.place(hash) !== undefined;
  }

  /** Transactions of the main chain, coinbases included. */
  transactionCount(): number {
    return this.snapshot(() => this.blocks.generatedTransactions(this.height()));
  }

  /** Hashes of a block's transactions, coinbase first; empty above the tip. */
  transactionHashes(height: number): Buffer[] {
    return this.snapshot(() => this.transactions.hashes(this.ids(height, height + 1)));
  }

  /** Global output indexes of a block's transactions, coinbase first; empty above the tip. */
  globalIndexes(height: number): GlobalIndexes[] {
    return this.globalIndexesRange(height, height + 1);
  }

  /** The same for the blocks of a range, in chain order. */
  globalIndexesRange(start: number, end: number): GlobalIndexes[] {
    return this.snapshot(() => this.transactions.globalIndexes(this.ids(start, end)));
  }

  /** Global output indexes of one transaction, in the order of its outputs. */
  outputIndexes(hash: Buffer): readonly number[] | undefined {
    return this.snapshot(() => {
      const id = this.transactions.place(hash)?.id;
      return id === undefined ? undefined : this.transactions.globalIndexes({ first: id, end: id + 1 })[0]?.indexes;
    });
  }

  /** Height of the block that spent the output with this key image. */
  keyImageHeight(keyImage: Buffer): number | undefined {
    return this.transactions.keyImageHeight(keyImage);
  }

  /**
   * Whether a transaction of the block really spends the image, by the block's bytes.
   * @throws CorruptDatabase, BelowFloor
   */
  spends(height: number, keyImage: Buffer): boolean {
    return this.confirmation.spends(height, keyImage);
  }

  /** The output of this amount (atomic units) with this global index. */
  output(amount: bigint, index: number): StoredOutput | undefined {
    return this.keyOutputs.output(amount, index);
  }

  /** Several outputs of one amount, in the order asked. */
  outputs(amount: bigint, indexes: readonly number[]): (StoredOutput | undefined)[] {
    return this.snapshot(() => indexes.map((index) => this.keyOutputs.output(amount, index)));
  }

  /** How many outputs of this amount the chain holds, or held when `atHeight` was its tip. */
  outputCount(amount: bigint, atHeight?: number): number {
    if (atHeight === undefined) return this.keyOutputs.count(amount);
    return this.snapshot(() => {
      const past = atHeight >= this.height();
      return this.keyOutputs.count(amount, past ? undefined : this.blocks.generatedTransactions(atHeight));
    });
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
    return new DatabaseView(this, height, this.confirmation);
  }

  /** The blocks kept off the main chain, lowest first. */
  alternatives(): AltInfo[] {
    return this.branches.all();
  }

  alternativeInfo(hash: Buffer): AltInfo | undefined {
    return this.branches.info(hash);
  }

  /** With bytes, hashed again. @throws CorruptDatabase */
  alternative(hash: Buffer): AlternativeBlock | undefined {
    return this.snapshot(() => this.branches.block(hash));
  }

  alternativeCount(): number {
    return this.branches.count();
  }

  /** `bodies`: the lowest height from which on all bodies are kept; 0 on a full node. */
  floors(): { readonly bodies: number } {
    return { bodies: this.blocks.bodyFloor() };
  }

  /** Rows and bytes of every table and index, largest first. It reads the whole database: minutes on a long chain. */
  space(): TableSpace[] {
    return this.connection
      .prepare<[], TableSpace>(
        `SELECT name, sum(ncell) AS rows, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC`,
      )
      .all();
  }

  close(): void {
    this.connection.close();
  }

  private ids(start: number, end: number): IdRange {
    const stop = Math.min(end, this.height() + 1);
    const from = Math.min(Math.max(start, 0), stop);
    return { first: this.blocks.generatedTransactions(from - 1), end: this.blocks.generatedTransactions(stop - 1) };
  }
}
