import type { Metrics } from '@wrkz/service-kit';
import { MAX_WORKERS } from './limits';
import { SHARE_OUTCOMES, type ShareOutcome, StratumWorker } from './worker';

/** The name of all workers beyond those that are told apart. */
export const OTHER_WORKERS = 'others';
/** Characters of a rig's name that are kept. */
const RIG_LENGTH = 32;

/** Counts shares and blocks by worker. */
export class StratumWorkers {
  /** By name; whoever came or sent something last stands last. */
  private readonly workers = new Map<string, StratumWorker>();
  private readonly onShare: (worker: string, outcome: ShareOutcome) => void;
  private readonly onBlock: (worker: string) => void;
  private readonly onForgotten: (worker: string) => void;

  /** @param now monotonic milliseconds */
  constructor(
    private readonly now: () => number,
    metrics?: Metrics,
  ) {
    const shares = metrics?.counter('stratum_shares_total', 'Shares of miners over stratum', ['worker', 'outcome']);
    const blocks = metrics?.counter('stratum_blocks_total', 'Blocks found over stratum', ['worker']);
    this.onShare = (worker, outcome) => shares?.inc({ worker, outcome });
    this.onBlock = (worker) => blocks?.inc({ worker });
    this.onForgotten = (worker) => {
      for (const outcome of SHARE_OUTCOMES) shares?.remove({ worker, outcome });
      blocks?.remove({ worker });
    };
  }

  /** The worker of a login, one connection more. @param rig what the miner calls itself, if it does */
  enter(address: string, rig: string): StratumWorker {
    const worker = this.find(workerName(address, rig));
    worker.connections += 1;
    return worker;
  }

  leave(worker: StratumWorker): void {
    worker.connections -= 1;
  }

  countShare(worker: StratumWorker, outcome: ShareOutcome, difficulty: bigint): void {
    worker.count(outcome, difficulty, this.now());
    this.onShare(worker.name, outcome);
  }

  countBlock(worker: StratumWorker): void {
    worker.blocks += 1;
    this.onBlock(worker.name);
  }

  list(): StratumWorker[] {
    return [...this.workers.values()];
  }

  /** The counters of any number of workers stay in bounds: one that is gone gives way, else the new one joins the others. */
  private find(name: string): StratumWorker {
    const known = this.workers.get(name);
    const named = known !== undefined || this.workers.size < MAX_WORKERS || this.forgetOne() ? name : OTHER_WORKERS;
    const worker = known ?? this.workers.get(named) ?? new StratumWorker(named, this.now());
    this.workers.delete(named);
    this.workers.set(named, worker);
    return worker;
  }

  private forgetOne(): boolean {
    for (const [name, { connections }] of this.workers) {
      if (connections > 0 || name === OTHER_WORKERS) continue;
      this.workers.delete(name);
      this.onForgotten(name);
      return true;
    }
    return false;
  }
}

/** The address, and the rig's own name where it gives one; whatever could confuse a log or a label becomes `_`. */
export function workerName(address: string, rig: string): string {
  const clean = rig.slice(0, RIG_LENGTH).replace(/[^A-Za-z0-9._-]/g, '_');
  return clean === '' ? address : `${address}/${clean}`;
}
