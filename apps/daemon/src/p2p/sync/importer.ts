import { WEIGHT_UNDER_WAY, weightOf } from '../../chain/limits';
import { type AddBlockResult, isAccepted } from '../../chain/results';
import type { ChainPort, P2pLogger } from '../ports';
import { reportRejection } from '../report-errors';
import type { ChainPlan, PlanBatch, PlanEntry } from './chain-plan';

/** The chain has two batches at a time: it checks the second while it commits the first. */
const BATCHES_IN_FLIGHT = 2;
/**
 * With so many blocks still planned behind a batch the chain may commit the batch together with the blocks that follow; then
 * it gets as many batches as it commits together.
 */
const FAR_BEHIND = 1000;
const BATCH_BLOCKS = 200;
const BATCH_BYTES = 8 * 1024 * 1024;

export interface ImporterDependencies {
  readonly plan: ChainPlan;
  readonly chain: Pick<ChainPort, 'addBlocks'>;
  readonly logger: P2pLogger;
  /** A batch has left the chain: accepted blocks are no longer in the plan. */
  onProgress(): void;
  /** The chain rejected a block that follows accepted blocks. The block and its successors are in state `received`. */
  onRefused(entry: PlanEntry, result: AddBlockResult): void;
  /** The chain failed; nothing is known about the blocks. */
  onFailure(error: unknown): void;
}

/** Passes the received blocks of the plan to the chain, in order, without waiting for the network. */
export class Importer {
  private batches = 0;
  private weight = 0;

  constructor(private readonly dependencies: ImporterDependencies) {}

  /** Passes received blocks to the chain, up to the limits of batches and weight in flight. */
  run(): void {
    const { plan, logger } = this.dependencies;
    for (;;) {
      const next = plan.nextBatch(BATCH_BLOCKS, BATCH_BYTES);
      const { batch } = next;
      const more = next.behind >= FAR_BEHIND;
      const hasRoom = this.batches < BATCHES_IN_FLIGHT || (more && this.weight < WEIGHT_UNDER_WAY);
      if (batch.length === 0 || !hasRoom) return;
      for (const entry of batch) entry.state = 'importing';
      reportRejection(logger, 'adding blocks', this.add(next, more));
    }
  }

  private async add({ batch, parent }: PlanBatch, more: boolean): Promise<void> {
    const { dependencies } = this;
    const weight = batch.reduce((sum, entry) => sum + weightOf(entry.bytes), 0);
    this.batches += 1;
    this.weight += weight;
    const raws = batch.flatMap((entry) => (entry.raw === undefined ? [] : [entry.raw]));
    const outcome = await dependencies.chain.addBlocks(raws, 'sync', more).catch((error: unknown) => ({ error }));
    this.batches -= 1;
    this.weight -= weight;
    // The plan has dropped the batch.
    if (batch[0]?.state !== 'importing') dependencies.onProgress();
    else if ('error' in outcome) dependencies.onFailure(outcome.error);
    else this.settle(batch, parent, outcome);
  }

  private settle(batch: readonly PlanEntry[], parent: PlanEntry | undefined, results: readonly AddBlockResult[]): void {
    const { dependencies } = this;
    const { plan, logger } = dependencies;
    // The result of a batch that follows a rejected block is void.
    const isVoid = parent !== undefined && parent.state !== 'done';
    const failed = isVoid ? 0 : results.findIndex((result) => !isAccepted(result));
    const count = failed >= 0 ? failed : Math.min(results.length, batch.length);
    plan.done(batch.slice(0, count));
    plan.rewind(batch.slice(count));
    const [entry, result] = [batch[count], results[count]];
    if (entry === undefined || isVoid) {
      dependencies.onProgress();
    } else if (result === undefined) {
      dependencies.onFailure(new Error('the chain stopped in the middle of a batch'));
    } else {
      logger.debug(`block ${entry.key} was refused: ${result.code} ${result.message}`);
      dependencies.onRefused(entry, result);
    }
  }
}
