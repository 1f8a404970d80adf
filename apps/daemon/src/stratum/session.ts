import type { CoinbaseReceiver } from '@wrkz/consensus';
import type { StratumJob } from './jobs';
import { type ConnectionBudget, MAX_JOBS } from './limits';
import type { StratumWorker } from './workers';

/** How the share difficulty of a connection is set. */
export interface ShareDifficultyRule {
  /** Difficulty of each share; 0: that of the block. With an interval, the start value. */
  readonly fixed: bigint;
  /** Target seconds between two shares of one miner; 0: no adjustment. */
  readonly interval: number;
}

/** Start value of an adjusted difficulty without a fixed one. */
const FIRST = 1_000n;
/** Number of shares, and of intervals without shares, after which the difficulty is adjusted. */
const MIN_SHARES = 8;
const MAX_INTERVALS = 6;
/** Each adjustment is clamped to 1/4x..4x; smaller changes than 1.3x are ignored. */
const MAX_STEP = 4;
const MIN_STEP = 1.3;
/** Fixed-point denominator of the factor. */
const SCALE = 1024;

/** The share difficulty of one connection. */
export class ShareDifficulty {
  private wanted: bigint;
  private shares = 0;
  private since: number;

  /** @param now monotonic milliseconds */
  constructor(
    private readonly rule: ShareDifficultyRule,
    private readonly now: () => number,
  ) {
    this.wanted = rule.fixed === 0n && rule.interval > 0 ? FIRST : rule.fixed;
    this.since = now();
  }

  /** The difficulty of a job. Never above that of the block: a found block must be a valid share. */
  readonly of = (difficulty: bigint): bigint => {
    return this.wanted === 0n || this.wanted > difficulty ? difficulty : this.wanted;
  };

  /** Counts a valid share. */
  count(): void {
    this.shares += 1;
  }

  /** Adjusts the difficulty to the rate of shares. @returns whether it changed, so that a new job is needed */
  adjust(difficulty: bigint): boolean {
    const { interval } = this.rule;
    const seconds = (this.now() - this.since) / 1000;
    if (interval === 0 || (this.shares < MIN_SHARES && seconds < interval * MAX_INTERVALS)) return false;
    // Without a share the rate is unknown; half a share gives an upper bound.
    const rate = Math.max(this.shares, 0.5) / Math.max(seconds, 0.001);
    const factor = Math.min(MAX_STEP, Math.max(1 / MAX_STEP, rate * interval));
    this.shares = 0;
    this.since = this.now();
    if (factor < MIN_STEP && factor > 1 / MIN_STEP) return false;
    const before = this.of(difficulty);
    const scaled = (before * BigInt(Math.round(factor * SCALE))) / BigInt(SCALE);
    this.wanted = scaled < 1n ? 1n : scaled > difficulty ? difficulty : scaled;
    return this.wanted !== before;
  }
}

/** The data of a login. */
export interface StratumLogin {
  readonly receiver: CoinbaseReceiver;
  readonly address: string;
  /** Program and version as reported by the miner. */
  readonly agent: string;
  readonly worker: StratumWorker;
}

export interface SessionDependencies {
  /** Canonical IP address of the miner. */
  readonly host: string;
  readonly budget: ConnectionBudget;
  readonly difficulty: ShareDifficulty;
  /** Aborted when the connection is closed. */
  readonly signal: AbortSignal;
  /** Monotonic milliseconds. */
  readonly since: number;
}

/** The state of one connection. */
export class StratumSession {
  login: StratumLogin | undefined;
  accepted = 0;
  blocks = 0;
  /** In order of creation, newest last. */
  private jobs: StratumJob[] = [];

  constructor(readonly dependencies: SessionDependencies) {}

  /** Starts a new login. Jobs of an earlier login are dropped. */
  begin(login: StratumLogin): void {
    this.login = login;
    this.jobs = [];
  }

  get latestJob(): StratumJob | undefined {
    return this.jobs.at(-1);
  }

  /** A recent job of this connection by its id. */
  job(id: string): StratumJob | undefined {
    return this.jobs.find((job) => job.id === id);
  }

  addJob(job: StratumJob): void {
    this.jobs = [...this.jobs, job].slice(-MAX_JOBS);
  }

  /** Removes a job with too many nonces. */
  removeJob(job: StratumJob): void {
    this.jobs = this.jobs.filter((other) => other !== job);
  }
}
