import type { AddBlockResult } from '../../chain/results';
import type { ChainPort, P2pLogger } from '../ports';
import { Importer } from './importer';
import { DownloadPlan, type PlanEntry } from './plan';

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
