import { blockFacts, nextDifficulty } from '@wrkz/consensus';
import { lowerBound, type Network, type NetworkName, networkOf, type RawBlock } from '@wrkz/core-types';
import { EventLoopYielder, makeFolders } from '@wrkz/service-kit/base';
import { SqliteConnection, SqliteFileError } from '@wrkz/sqlite';
import { rmSync } from 'node:fs';
import { joinBlock } from '../block-bytes';
import { databaseFile } from '../connection';
import { damageIn } from '../failures';
import { ChainDbError, CorruptDatabase, NeedsWholeChain } from '../errors';
import { openChainDb, type ChainDb } from '../open';
import { Floors } from '../modes/floors';
import { FactsWindow } from '../verify/work-check';
import { StoredRows } from '../verify/stored-rows';
import type { StorableBlock } from '../writer/append';
import { type FetchBlocks, fetchByIds, type WantedBlock, type WholeBlock, wholeBlock } from './fetch';

/** Blocks per commit of the new database. */
const BATCH = 200;
/** More blocks than the longest difficulty window. */
const WINDOW = 3_000;
/** Milliseconds of work between two yields to the event loop. */
const SLICE_MS = 20;
const HASH_BYTES = 32;

export interface RebuildOptions {
  /** The folder of the damaged database, which is opened for reading only. */
  readonly directory: string;
  /** The folder of the new database. Continues the database of an interrupted rebuild. */
  readonly target: string;
  readonly network: NetworkName;
  /** Called only for blocks that cannot be read from the damaged database. */
  readonly fetch: FetchBlocks;
  readonly onProgress: (height: number, tip: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface RebuildReport {
  /** Heights of blocks that no peer sent. The new database ends below the lowest of them. */
  readonly missing: readonly number[];
  readonly fetched: number;
  /** Height of the new database. */
  readonly height: number;
  /** Number of highest blocks whose ids cannot be read: the next synchronisation downloads them. */
  readonly dropped: number;
}

/**
 * Builds a new database from the readable blocks of a damaged one. A block that cannot be read is fetched from peers by its id.
 * All other tables are computed from the blocks. Blocks off the main chain are left out.
 *
 * @throws NeedsWholeChain for a pruned or lite database, whose tables cannot be computed from its blocks; CorruptDatabase if
 *   the file cannot be read at all; the signal's reason
 */
export async function rebuildChain(options: RebuildOptions): Promise<RebuildReport> {
  const connection = new SqliteConnection(databaseFile(options.directory), { readonly: true, fileMustExist: true });
  try {
    const source = new DamagedChain(connection, { block: networkOf(options.network).genesis.block, transactions: [] });
    source.requireWholeChain();
    makeFolders(options.target);
    const db = openTarget(options, source);
    try {
      return await new Rebuild(options, source, db).run();
    } finally {
      db.close();
    }
  } finally {
    connection.close();
  }
}

/** The readable blocks of a damaged database. Only the tables with the bytes of blocks are needed. */
class DamagedChain {
  private readonly rows: StoredRows;
  /** The next block after the last read one, and its first transaction id. */
  private nextBlock = { height: 0, firstId: 0 };

  constructor(
    private readonly connection: SqliteConnection,
    private readonly genesis: RawBlock,
  ) {
    this.rows = new StoredRows(connection);
  }

  /** @throws NeedsWholeChain */
  requireWholeChain(): void {
    const floors = orUndefined(() => new Floors(this.connection).heights());
    const lowestBody = this.number('SELECT min(height) FROM block_bodies WHERE height > 0') ?? 1;
    const isReduced = floors === undefined ? lowestBody > 1 : floors.bodies > 0;
    if (isReduced) throw new NeedsWholeChain(floors?.lite === undefined ? 'pruned' : 'lite');
  }

  /** The highest height in the tables of blocks and of bodies. @throws CorruptDatabase */
  top(): number {
    const heights = ['blocks', 'block_bodies'].flatMap(
      (table) => this.number(`SELECT coalesce(max(height), -1) FROM ${table}`) ?? [],
    );
    if (heights.length === 0) {
      throw new CorruptDatabase('neither the table of blocks nor the table of bodies can be read');
    }
    return Math.max(...heights);
  }

  /** The id of a block. */
  id(height: number): Buffer | undefined {
    const hash = orUndefined(() => this.rows.block(height))?.facts.hash;
    return hash?.length === HASH_BYTES ? hash : undefined;
  }

  /** The block, if its bytes can be read and match its id. */
  block(height: number): WholeBlock | undefined {
    const raw = height === 0 ? this.genesis : orUndefined(() => this.raw(height));
    const whole = raw && wholeBlock(raw);
    const id = this.id(height);
    return whole === undefined || id?.equals(whole.block.hash) === false ? undefined : whole;
  }

  private raw(height: number): RawBlock | undefined {
    const body = this.rows.body(height);
    const first = this.nextBlock.height === height ? this.nextBlock.firstId : this.firstTransaction(height);
    const transactions = this.rows.transactionsOf(height, first);
    const [coinbase, ...others] = transactions;
    if (body === undefined || coinbase === undefined) return undefined;
    const end = first + transactions.length;
    const signatures = this.rows.signatures(first, end);
    this.nextBlock = { height: height + 1, firstId: end };
    return {
      block: joinBlock(
        body,
        coinbase.prefix,
        others.map(({ hash }) => hash),
      ),
      transactions: others.map(({ id, prefix }) => Buffer.concat([prefix, signatures.get(id) ?? Buffer.alloc(0)])),
    };
  }

  /** The lowest id of a transaction of this block. Heights never decrease with the id. */
  private firstTransaction(height: number): number {
    const end = (this.number('SELECT max(id) FROM transactions') ?? -1) + 1;
    return lowerBound(0, end, (id) => (this.number(`SELECT height FROM transactions WHERE id = ${id}`) ?? -1) < height);
  }

  private number(sql: string): number | undefined {
    return orUndefined(() => this.connection.prepare<[], [number | null]>(sql).raw(true).get()?.[0]) ?? undefined;
  }
}

class Rebuild {
  private readonly network: Network;
  private readonly window = new FactsWindow();
  private readonly yielder = new EventLoopYielder(SLICE_MS);
  private pending: StorableBlock[] = [];
  private tip: StorableBlock['facts'] | undefined;
  private fetched = 0;

  constructor(
    private readonly options: RebuildOptions,
    private readonly source: DamagedChain,
    private readonly db: ChainDb,
  ) {
    this.network = networkOf(options.network);
    const height = db.reader.height();
    for (const facts of db.reader.factsRange(Math.max(0, height - WINDOW), height + 1)) this.extend(facts);
  }

  async run(): Promise<RebuildReport> {
    const { onProgress, signal } = this.options;
    const top = this.source.top();
    let missing: number[] = [];
    let end = top + 1;
    while (this.next < end && missing.length === 0) {
      const block = this.continuing(this.source.block(this.next));
      if (block !== undefined) this.put(block);
      else ({ missing, end } = await this.fillGap(top));
      onProgress(this.next - 1, top);
      await this.yielder.yieldIfDue(signal);
    }
    this.flush();
    const dropped = missing.length > 0 ? 0 : top + 1 - end;
    return { missing, fetched: this.fetched, height: this.next - 1, dropped };
  }

  private get next(): number {
    return (this.tip?.height ?? -1) + 1;
  }

  /** Fetches the blocks from the next height up to the next readable block, and appends the received ones. */
  private async fillGap(top: number): Promise<{ missing: number[]; end: number }> {
    const { source, next } = this;
    let above = next;
    while (above <= top && source.block(above) === undefined) {
      above++;
      await this.yielder.yieldIfDue(this.options.signal);
    }
    const blocks = await this.fetchGap(next, above);
    let end = above;
    // The ids of these blocks are unknown: no row has them, and no block above refers to them.
    if (above > top) while (end > next && !blocks.has(end - 1) && source.id(end - 1) === undefined) end--;
    for (let height = next; height < end; height++) {
      const block = this.continuing(blocks.get(height));
      if (block === undefined) break;
      this.put(block);
    }
    const missing = Array.from({ length: end - this.next }, (_, i) => this.next + i).filter((one) => !blocks.has(one));
    if (missing.length === 0 && this.next < end)
      throw new CorruptDatabase(`block ${this.next} does not continue the chain`);
    return { missing, end: above > top ? end : top + 1 };
  }

  /** The blocks [start, end) by their ids: from their rows, or from the parent hash of the block above. */
  private async fetchGap(start: number, end: number): Promise<Map<number, WholeBlock>> {
    const blocks = new Map<number, WholeBlock>();
    for (;;) {
      const wanted: WantedBlock[] = [];
      for (let height = end - 1; height >= start; height--) {
        if (blocks.has(height)) continue;
        const above = blocks.get(height + 1) ?? (height + 1 === end ? this.source.block(end) : undefined);
        const id = above?.block.block.previousHash ?? this.source.id(height);
        if (id !== undefined) wanted.push({ height, id });
      }
      const got = await fetchByIds(wanted, this.options.fetch);
      this.options.signal?.throwIfAborted();
      if (got.size === 0) return blocks;
      this.fetched += got.size;
      for (const [height, block] of got) blocks.set(height, block);
    }
  }

  /** The block if its parent is the tip; block 0 must be genesis. */
  private continuing(block: WholeBlock | undefined): WholeBlock | undefined {
    const isNext =
      this.tip === undefined
        ? block?.block.hash.equals(this.network.genesis.hash)
        : block?.block.block.previousHash.equals(this.tip.hash);
    return isNext === true ? block : undefined;
  }

  private put(whole: WholeBlock): void {
    const { tip, network } = this;
    const difficulty = tip === undefined ? 1n : nextDifficulty(network, tip.height, this.window);
    const facts = blockFacts(whole.block, whole.transactions, tip, difficulty);
    this.pending.push({ ...whole, facts });
    this.extend(facts);
    if (this.pending.length >= BATCH) this.flush();
  }

  private extend(facts: StorableBlock['facts']): void {
    this.window.push(facts);
    this.tip = facts;
  }

  private flush(): void {
    if (this.pending.length > 0) this.db.writer?.restore(this.pending);
    this.pending = [];
  }
}

/** Continues the database of an earlier rebuild if its tip is on the damaged chain. */
function openTarget({ target, network }: RebuildOptions, source: DamagedChain): ChainDb {
  const begun = begunDatabase(target, network);
  if (begun !== undefined) {
    const height = begun.reader.height();
    const id = height < 0 ? undefined : source.id(height);
    if (id === undefined || begun.reader.tip().hash.equals(id)) return begun;
    begun.close();
  }
  rmSync(target, { recursive: true, force: true });
  makeFolders(target);
  return openChainDb({ directory: target, network });
}

function begunDatabase(directory: string, network: NetworkName): ChainDb | undefined {
  try {
    return openChainDb({ directory, network });
  } catch (error) {
    const isUnusable =
      error instanceof ChainDbError || error instanceof SqliteFileError || damageIn(error) !== undefined;
    if (isUnusable) return undefined;
    throw error;
  }
}

/** The result of a read; undefined if damage prevents it. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (damageIn(error) === undefined) throw error;
    return undefined;
  }
}
