import { decodeRawBlock, type RawBlock } from '@wrkz/core-types';
import { errorText } from '@wrkz/service-kit';
import { weightOf, WEIGHT_UNDER_WAY } from '../chain/limits';
import { type AddBlockResult, isAccepted } from '../chain/results';
import { type ChainService, ChainStopped } from '../chain/service';
import { DumpError, type DumpReader } from './format';

/** Limits of one batch: blocks that are passed to the engine in one call. */
const BATCH_BLOCKS = 200;
const BATCH_BYTES = 128 * 1024;
/** Initial limit of the weight in flight. It grows during the import, because the engine commits larger groups later. */
const INITIAL_WEIGHT = 6 * BATCH_BYTES;

export interface ImportOptions {
  /** Positioned at the start of the file. The import closes it. */
  readonly dump: DumpReader;
  readonly chain: ChainService;
  /**
   * Stops reading. Blocks in flight are still added, unless the caller stops the engine too. A later import continues from there.
   */
  readonly signal?: AbortSignal;
  /** Counts of blocks; the total is extrapolated from the bytes read. */
  readonly onProgress?: (height: number, total: number) => void;
}

export interface ImportReport {
  /** Index of the block at the tip. */
  readonly height: number;
  /** Blocks that this import added. */
  readonly blocks: number;
  readonly transactions: number;
  readonly stopped: boolean;
}

/** The chain rejected a block of the dump. The blocks below it are stored. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
}

/**
 * Adds the blocks of a dump to the chain, with the same checks as blocks from a peer. Records up to the tip are skipped, so an
 * interrupted import continues where it stopped.
 * @throws DumpError, ImportRefused
 */
export async function importDump({ dump, chain, signal, onProgress }: ImportOptions): Promise<ImportReport> {
  try {
    const before = chain.tip();
    const pipeline = new ImportPipeline(chain, (count) => {
      const total = Math.round((count * dump.size) / Math.max(1, dump.position));
      onProgress?.(count, Math.max(count, total));
    });
    try {
      await readInto(pipeline, dump, before.height + 1, signal);
    } catch (error) {
      if (!(error instanceof ChainStopped && signal?.aborted === true)) throw error;
    }
    const after = chain.tip();
    const blocks = after.height - before.height;
    const transactions = after.generatedTransactions - before.generatedTransactions - blocks;
    return { height: after.height, blocks, transactions, stopped: signal?.aborted === true };
  } finally {
    await dump.close();
  }
}

async function readInto(
  pipeline: ImportPipeline,
  dump: DumpReader,
  start: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  let expected = start;
  let previous: number | undefined;
  try {
    while (signal?.aborted !== true) {
      const record = await dump.next(expected);
      if (record === undefined) break;
      if (previous !== undefined && record.height !== previous + 1) {
        throw new DumpError(`block ${String(record.height)} follows block ${String(previous)}`, dump.position);
      }
      previous = record.height;
      if (record.body === undefined) continue;
      if (record.height !== expected) {
        const heights = `the dump starts at block ${String(record.height)}, the chain ends at block`;
        throw new ImportRefused(`${heights} ${String(expected - 1)}`);
      }
      await pipeline.add(record.height, decodeBody(record.body, record.height, dump.position), record.body.length);
      expected += 1;
    }
  } catch (error) {
    // Do not add the remaining blocks: without their parent they would fail with another error than the first.
    if (error instanceof ImportRefused) throw error;
    // The blocks below the damage are valid and are stored before the error is reported.
    await pipeline.finish();
    throw error;
  }
  await pipeline.finish();
}

interface Batch {
  readonly first: number;
  readonly blocks: RawBlock[];
  bytes: number;
  /** Memory of the blocks in the engine. */
  weight: number;
}

/** Passes batches to the engine and limits the weight in flight. */
class ImportPipeline {
  private readonly inFlight: { readonly batch: Batch; readonly results: Promise<AddBlockResult[]> }[] = [];
  private weightInFlight = 0;
  private weightDone = 0;
  /** A full batch is held until another block follows: the call for the last batch must not announce more blocks. */
  private held: Batch | undefined;
  private current: Batch | undefined;

  constructor(
    private readonly chain: ChainService,
    private readonly onProgress: (count: number) => void,
  ) {}

  /** @throws ImportRefused for a block that was added before */
  async add(height: number, block: RawBlock, bytes: number): Promise<void> {
    this.current ??= { first: height, blocks: [], bytes: 0, weight: 0 };
    this.current.blocks.push(block);
    this.current.bytes += bytes;
    this.current.weight += weightOf(bytes);
    if (this.current.blocks.length < BATCH_BLOCKS && this.current.bytes < BATCH_BYTES) return;
    const { held } = this;
    this.held = this.current;
    this.current = undefined;
    await this.send(held, true);
  }

  /** Resolves when all blocks are stored. @throws ImportRefused */
  async finish(): Promise<void> {
    await this.send(this.held, this.current !== undefined);
    await this.send(this.current, false);
    this.held = this.current = undefined;
    while (this.inFlight.length > 0) await this.awaitOldest();
  }

  private async send(batch: Batch | undefined, more: boolean): Promise<void> {
    if (batch === undefined) return;
    const results = this.chain.addBlocks(batch.blocks, 'import', more);
    // Avoids an unhandled rejection; awaitOldest() awaits the promise later.
    results.catch(() => undefined);
    this.inFlight.push({ batch, results });
    this.weightInFlight += batch.weight;
    while (this.weightInFlight >= Math.min(WEIGHT_UNDER_WAY, INITIAL_WEIGHT + 2 * this.weightDone)) {
      await this.awaitOldest();
    }
  }

  private async awaitOldest(): Promise<void> {
    const oldest = this.inFlight.shift();
    if (oldest === undefined) return;
    const { batch } = oldest;
    const results = await oldest.results;
    this.weightInFlight -= batch.weight;
    this.weightDone += batch.weight;
    const refused = results.findIndex((result) => !isAccepted(result));
    const result = results[refused];
    if (result !== undefined) {
      const block = `block ${String(batch.first + refused)} of the dump`;
      throw new ImportRefused(`${block} is refused: ${result.message} (${result.code})`);
    }
    this.onProgress(batch.first + batch.blocks.length);
  }
}

function decodeBody(body: Buffer, height: number, position: number): RawBlock {
  try {
    return decodeRawBlock(body);
  } catch (error) {
    throw new DumpError(`block ${String(height)} cannot be read: ${errorText(error)}`, position);
  }
}
