import type { CoinbaseReceiver } from '@wrkz/consensus';
import type { ConnectionBudget } from './budget';
import type { StratumJob } from './job';
import { KEPT_JOBS } from './limits';
import type { ShareDifficulty } from './share-difficulty';
import type { StratumWorker } from './worker';

/** What a login said. */
export interface StratumLogin {
  readonly receiver: CoinbaseReceiver;
  readonly address: string;
  /** Program and version, in the miner's own words. */
  readonly agent: string;
  readonly worker: StratumWorker;
}

export interface SessionParts {
  /** The other side's IP address in its one spelling. */
  readonly host: string;
  readonly budget: ConnectionBudget;
  readonly difficulty: ShareDifficulty;
  /** Fires when the connection has ended. */
  readonly signal: AbortSignal;
  /** Monotonic milliseconds. */
  readonly since: number;
}

/** What the server knows of one connection. */
export class StratumSession {
  login: StratumLogin | undefined;
  accepted = 0;
  blocks = 0;
  /** The newest last. */
  private jobs: StratumJob[] = [];

  constructor(readonly parts: SessionParts) {}

  /** A login begins anew: shares of earlier jobs count for whoever was logged in then. */
  begin(login: StratumLogin): void {
    this.login = login;
    this.jobs = [];
  }

  get latestJob(): StratumJob | undefined {
    return this.jobs.at(-1);
  }

  /** One of the last jobs of this connection. */
  job(id: string): StratumJob | undefined {
    return this.jobs.find((job) => job.id === id);
  }

  keepJob(job: StratumJob): void {
    this.jobs = [...this.jobs, job].slice(-KEPT_JOBS);
  }

  /** Takes out a job for which too many nonces have come. */
  retire(job: StratumJob): void {
    this.jobs = this.jobs.filter((other) => other !== job);
  }
}
