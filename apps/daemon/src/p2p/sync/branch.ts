import { WEIGHT_UNDER_WAY, weightOf } from '../../chain/limits';
import { type AddBlockResult, isAccepted } from '../../chain/results';
import type { ChainPort, P2pLogger } from '../ports';
import { reportRejection } from '../report-errors';
import { DownloadPlan, type PlanEntry } from './download-plan';

/** Two batches are with the chain at a time: while one is committed the next is already being checked. */
const BATCHES_IN_FLIGHT = 2;
/**
 * With so many blocks still planned behind a batch the chain may commit it together with those that follow; then it gets as
 * many batches as it commits together.
 */
const FAR_BEHIND = 1000;
const BATCH_BLOCKS = 200;
const BATCH_BYTES = 8 * 1024 * 1024;

export interface ImporterEvents {
  /** Blocks of the plan's head are on the chain (or stored beside it). */
  onProgress(entries: readonly PlanEntry[]): void;
  /** The chain refused a block. It is the plan's head now; nothing is in flight that could change the chain. */
  onRefused(entry: PlanEntry, result: AddBlockResult): void;
  /** The chain could not do its work; nothing is known of the blocks. */
  onFailure(error: unknown): void;
}

/** Hands the received blocks of the plan to the chain, in order, without ever waiting for the network in between. */
export class Importer {
  private inFlight = 0;
  private blocksInFlight = 0;
  private weightInFlight = 0;
  /** Counts refusals and resets: results of batches handed over before are void. */
  private generation = 0;

  constructor(
    private readonly plan: DownloadPlan,
    private readonly chain: Pick<ChainPort, 'addBlocks'>,
    private readonly logger: P2pLogger,
    private readonly events: ImporterEvents,
  ) {}

  get isBusy(): boolean {
    return this.inFlight > 0;
  }

  /** Hands over what is ready. */
  run(): void {
    while (this.inFlight < BATCHES_IN_FLIGHT || (this.weightInFlight < WEIGHT_UNDER_WAY && this.isFarBehind)) {
      const batch = this.plan.ready(BATCH_BLOCKS, BATCH_BYTES);
      if (batch.length === 0) return;
      this.inFlight += 1;
      this.blocksInFlight += batch.length;
      reportRejection(this.logger, 'adding blocks', this.add(batch, this.generation, this.isFarBehind));
    }
  }

  /** Many blocks are planned that the chain has not got yet. */
  private get isFarBehind(): boolean {
    return this.plan.length - this.blocksInFlight >= FAR_BEHIND;
  }

  /** The plan was changed below the batches in flight: their results are void. */
  reset(): void {
    this.generation += 1;
  }

  private async add(batch: readonly PlanEntry[], generation: number, more: boolean): Promise<void> {
    const weight = batch.reduce((sum, entry) => sum + weightOf(entry.bytes), 0);
    this.weightInFlight += weight;
    const raws = batch.flatMap((entry) => (entry.raw === undefined ? [] : [entry.raw]));
    let results: readonly AddBlockResult[];
    try {
      results = await this.chain.addBlocks(raws, 'sync', more);
    } catch (error) {
      this.landed(batch, weight);
      if (generation !== this.generation) {
        this.events.onProgress([]);
        return;
      }
      this.reset();
      this.events.onFailure(error);
      return;
    }
    this.landed(batch, weight);
    if (generation === this.generation) this.settle(batch, results);
    // Void results of an old batch still end an import.
    else this.events.onProgress([]);
  }

  private landed(batch: readonly PlanEntry[], weight: number): void {
    this.inFlight -= 1;
    this.blocksInFlight -= batch.length;
    this.weightInFlight -= weight;
  }

  private settle(batch: readonly PlanEntry[], results: readonly AddBlockResult[]): void {
    const failed = results.findIndex((result) => !isAccepted(result));
    const count = failed >= 0 ? failed : Math.min(results.length, batch.length);
    this.plan.done(count);
    const [entry, result] = [batch[count], results[count]];
    if (entry === undefined) {
      this.events.onProgress(batch);
      return;
    }
    this.reset();
    this.plan.rewindImport();
    if (result === undefined) {
      this.events.onFailure(new Error('the chain stopped in the middle of a batch'));
      return;
    }
    this.logger.debug(`block ${entry.key} was refused: ${result.code} ${result.message}`);
    this.events.onRefused(entry, result);
  }
}

export interface BranchEvents {
  onProgress(): void;
  onRefused(branch: Branch, entry: PlanEntry, result: AddBlockResult): void;
  onFailure(error: unknown): void;
}

/**
 * One chain that peers announce, with its own plan and its own way to our chain: whoever holds up one branch holds up no
 * other.
 */
export class Branch {
  readonly plan = new DownloadPlan();
  readonly importer: Importer;

  constructor(chain: Pick<ChainPort, 'addBlocks'>, logger: P2pLogger, events: BranchEvents) {
    this.importer = new Importer(this.plan, chain, logger, {
      onProgress: () => events.onProgress(),
      onRefused: (entry, result) => events.onRefused(this, entry, result),
      onFailure: (error) => events.onFailure(error),
    });
  }

  /** Nothing is left to fetch or to add. */
  get isDone(): boolean {
    return this.plan.length === 0 && !this.importer.isBusy;
  }

  /** Drops everything; what becomes of blocks that are being added changes nothing here any more. */
  clear(): void {
    this.importer.reset();
    this.plan.clear();
  }
}
