import type { Metrics } from '@wrkz/service-kit';
import { MAX_WORKERS } from './limits';

/** Outcome of a share. A stale share meets its target, but the tip has changed. */
const SHARE_OUTCOMES = ['accepted', 'stale', 'rejected'] as const;
export type ShareOutcome = (typeof SHARE_OUTCOMES)[number];

/** Window of the hash rate: number of steps, and milliseconds per step. */
const RATE_STEP = 60_000;
const RATE_STEPS = 10;

/** All connections with the same rig name that mine to the same address. */
export class StratumWorker {
  readonly shares: Record<ShareOutcome, number> = { accepted: 0, stale: 0, rejected: 0 };
  blocks = 0;
  connections = 0;
  /** Time of the latest accepted or stale share, monotonic milliseconds. */
  lastShareAt: number | undefined;
  /** Sum of share difficulties per step, the current step last. */
  private work: bigint[] = [0n];
  private readonly since: number;
  private stepAt: number;

  constructor(
    readonly name: string,
    now: number,
  ) {
    this.since = now;
    this.stepAt = now;
  }

  count(outcome: ShareOutcome, difficulty: bigint, now: number): void {
    this.shares[outcome] += 1;
    if (outcome === 'rejected') return;
    this.lastShareAt = now;
    this.advance(now);
    this.work[this.work.length - 1] = (this.work.at(-1) ?? 0n) + difficulty;
  }

  /** Hashes per second, from the shares of the last ten minutes. */
  hashRate(now: number): number {
    this.advance(now);
    const span = Math.min(now - this.since, (this.work.length - 1) * RATE_STEP + (now - this.stepAt));
    // At least one step: a rate from a single early share would be meaningless.
    return Number(this.work.reduce((sum, work) => sum + work, 0n)) / (Math.max(span, RATE_STEP) / 1000);
  }

  private advance(now: number): void {
    const steps = Math.floor((now - this.stepAt) / RATE_STEP);
    if (steps <= 0) return;
    this.stepAt += steps * RATE_STEP;
    this.work.push(...Array.from({ length: Math.min(steps, RATE_STEPS) }, () => 0n));
    this.work = this.work.slice(-RATE_STEPS);
  }
}

/** The name of the row for all workers beyond MAX_WORKERS. */
export const OTHER_WORKERS = 'others';
/** Max characters of a rig name; the rest is truncated. */
const MAX_RIG_LENGTH = 32;

/** Counts shares and blocks by worker. */
export class StratumWorkers {
  /** By name, in LRU order. */
  private readonly workers = new Map<string, StratumWorker>();
  private readonly onShare: (worker: string, outcome: ShareOutcome) => void;
  private readonly onBlock: (worker: string) => void;
  private readonly onRemoved: (worker: string) => void;

  /** @param now monotonic milliseconds */
  constructor(
    private readonly now: () => number,
    metrics?: Metrics,
  ) {
    const shares = metrics?.counter('stratum_shares_total', 'Shares of miners over stratum', ['worker', 'outcome']);
    const blocks = metrics?.counter('stratum_blocks_total', 'Blocks found over stratum', ['worker']);
    this.onShare = (worker, outcome) => shares?.inc({ worker, outcome });
    this.onBlock = (worker) => blocks?.inc({ worker });
    this.onRemoved = (worker) => {
      for (const outcome of SHARE_OUTCOMES) shares?.remove({ worker, outcome });
      blocks?.remove({ worker });
    };
  }

  /** Adds a connection to a worker. @param rig name of the rig, may be empty */
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

  /** Bounds the number of workers: removes one without connections, or counts the new one as `others`. */
  private find(name: string): StratumWorker {
    const known = this.workers.get(name);
    const named = known !== undefined || this.workers.size < MAX_WORKERS || this.removeOne() ? name : OTHER_WORKERS;
    const worker = known ?? this.workers.get(named) ?? new StratumWorker(named, this.now());
    this.workers.delete(named);
    this.workers.set(named, worker);
    return worker;
  }

  private removeOne(): boolean {
    for (const [name, { connections }] of this.workers) {
      if (connections > 0 || name === OTHER_WORKERS) continue;
      this.workers.delete(name);
      this.onRemoved(name);
      return true;
    }
    return false;
  }
}

/** The address and the optional rig name. Characters that are unsafe in a log line or a label are replaced by `_`. */
export function workerName(address: string, rig: string): string {
  const clean = rig.slice(0, MAX_RIG_LENGTH).replace(/[^A-Za-z0-9._-]/g, '_');
  return clean === '' ? address : `${address}/${clean}`;
}
