import type { powHelperApi } from '@wrkz/api';
import type { Metrics } from '@wrkz/service-kit';
import type { z } from 'zod';
import type { Outcome } from './queue/job-queue';
import type { RejectionCounter } from './refusals';

type SubmissionCounter = 'received' | 'accepted' | RejectionCounter;

const SOLVE_SECONDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120];

/** Counters of this instance since its start. */
export class Stats {
  readonly submissions: Record<SubmissionCounter, number> = {
    received: 0,
    accepted: 0,
    rejected_invalid: 0,
    rejected_difficulty: 0,
    rejected_queue_full: 0,
    rejected_rate_limited: 0,
    rejected_global_limit: 0,
  };
  readonly outcomes: Record<'completed' | 'failed' | 'cancelled' | 'expired', number> = {
    completed: 0,
    failed: 0,
    cancelled: 0,
    expired: 0,
  };
  hashes = 0n;
  busyMs = 0;
  private solveMs = 0;
  private solveMsMax = 0;
  private queueWaitMs = 0;
  private readonly observe: (outcome: Outcome) => void;
  private readonly observeSubmission: (name: SubmissionCounter) => void;

  constructor(metrics: Metrics | undefined) {
    const jobs = metrics?.counter('jobs_total', 'Ended jobs by outcome', ['outcome']);
    const hashes = metrics?.counter('hashes_total', 'Hashes computed for ended jobs');
    const solve = metrics?.histogram('solve_seconds', 'Hashing time of solved jobs', [], SOLVE_SECONDS);
    const submissions = metrics?.counter('submissions_total', 'Submissions by result', ['result']);
    metrics?.gauge('hashrate', 'Hashes per second of busy time since the start', [], (gauge) =>
      gauge.set(this.hashrate),
    );
    this.observe = (outcome) => {
      jobs?.inc({ outcome: outcome.kind });
      hashes?.inc(Number(outcome.hashes));
      if (outcome.kind === 'done') solve?.observe(outcome.solveMs / 1000);
    };
    this.observeSubmission = (result) => submissions?.inc({ result });
  }

  count(name: SubmissionCounter): void {
    this.submissions[name]++;
    this.observeSubmission(name);
  }

  add(outcome: Outcome): void {
    this.observe(outcome);
    this.hashes += outcome.hashes;
    this.busyMs += outcome.solveMs;
    this.outcomes[outcome.kind === 'done' ? 'completed' : outcome.kind]++;
    if (outcome.kind !== 'done') return;
    this.solveMs += outcome.solveMs;
    this.solveMsMax = Math.max(this.solveMsMax, outcome.solveMs);
    this.queueWaitMs += outcome.queueWaitMs;
  }

  /** Hashes per second of busy time, 0 before the first job. */
  get hashrate(): number {
    return this.busyMs === 0 ? 0 : Number(this.hashes) / (this.busyMs / 1000);
  }

  /** The field `work` of /stats: totals and averages of ended jobs. */
  work(): z.output<typeof powHelperApi.statsResponse>['work'] {
    const average = (sum: number): number =>
      this.outcomes.completed === 0 ? 0 : Math.round(sum / this.outcomes.completed);
    return {
      hashes: this.hashes,
      busy_ms: this.busyMs,
      hashrate: this.hashrate,
      solve_ms_avg: average(this.solveMs),
      solve_ms_max: this.solveMsMax,
      queue_wait_ms_avg: average(this.queueWaitMs),
    };
  }
}
