import type { Metrics, MinuteCounter, RequestCounters } from '@wrkz/service-kit';
import type { PowHelperConfig } from './config';
import type { JobQueue } from './queue/job-queue';
import type { Stats } from './stats';

/** What the routes work with. */
export interface PowContext extends Pick<PowHelperConfig, 'network' | 'options' | 'threads'> {
  readonly queue: JobQueue;
  readonly stats: Stats;
  /** Requests and answers of this instance, refused ones included. */
  readonly requests: RequestCounters;
  /** Undefined unless `--enable-metrics` is set. */
  readonly metrics: Metrics | undefined;
  /** Counts the jobs of all clients against `--max-jobs-per-minute`. */
  readonly jobCounter: MinuteCounter;
  /** Unix seconds. */
  readonly startedAt: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  isStopping(): boolean;
  /** Whether jobs can be taken now; asks a shared queue. */
  isReady(): Promise<boolean>;
}
