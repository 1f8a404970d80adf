import { errorText } from '@wrkz/service-kit';
import { UnrecoverableError, WaitingError } from 'bullmq';
import { FAILURES } from '../../jobs/job';
import type { Solution } from '../../jobs/solver';
import type { Outcome, QueueParts } from '../job-queue';
import { fromData, type RedisJob, type RedisJobResult } from './redis-job';
import { CANCELLED, type RedisMarks } from './redis-marks';

const PROGRESS_MS = 1_000;

interface RunningJob {
  readonly id: string;
  readonly abort: AbortController;
  cancelled: boolean;
}

/** The searches of one instance: at most one at a time, of the job that the queue in Redis hands to it. */
export class RedisSearch {
  #running: RunningJob | undefined;
  #stopping = false;

  constructor(
    private readonly parts: QueueParts,
    private readonly marks: RedisMarks,
    private readonly onError: (error: Error) => void,
  ) {}

  /**
   * Solves a job, or gives it back to the queue when this instance stops meanwhile.
   * @throws UnrecoverableError with the reason of a job that has ended without a nonce; WaitingError for one given back
   */
  async run(job: RedisJob, token: string | undefined): Promise<RedisJobResult> {
    const startedAt = Date.now();
    const queueWaitMs = startedAt - job.timestamp;
    const running: RunningJob = { id: String(job.id), abort: new AbortController(), cancelled: false };
    let hashes = 0n;
    const ended = (kind: Outcome['kind']): void =>
      this.parts.onOutcome({ kind, hashes, solveMs: Date.now() - startedAt, queueWaitMs });
    if (queueWaitMs > this.parts.settings.jobTimeoutMs && job.attemptsStarted <= 1) {
      ended('expired');
      throw new UnrecoverableError(FAILURES.expired);
    }
    this.#running = running;
    try {
      const solution = await this.#solve(job, running, (done) => {
        hashes = done;
      });
      hashes = solution.hashes;
      ended('done');
      return { nonce: solution.nonce.toString('hex'), hashes: hashes.toString() };
    } catch (error) {
      if (running.cancelled) {
        ended('cancelled');
        throw new UnrecoverableError(CANCELLED);
      }
      if (this.#stopping) {
        // Another instance takes it up.
        await job.moveToWait(token);
        throw new WaitingError();
      }
      this.parts.logger.error(`a search failed: ${errorText(error)}`);
      ended('failed');
      throw new UnrecoverableError(FAILURES.internal);
    } finally {
      this.#running = undefined;
    }
  }

  /** Ends the search of a job if it runs here. */
  cancel(id: string): void {
    if (this.#running?.id !== id) return;
    this.#running.cancelled = true;
    this.#running.abort.abort();
  }

  /** Ends the running search; its job goes back to the queue. */
  stop(): void {
    this.#stopping = true;
    this.#running?.abort.abort();
  }

  async #solve(job: RedisJob, { id, abort }: RunningJob, onHashes: (hashes: bigint) => void): Promise<Solution> {
    // The job may have been cancelled, or the instance stopped, on the way from the queue to here.
    if (await this.marks.isCancelled(id)) this.cancel(id);
    if (this.#stopping) abort.abort();
    const report = throttle(PROGRESS_MS, (hashes: bigint) => {
      job.updateProgress({ hashes: hashes.toString() }).catch(this.onError);
    });
    return this.parts.solver(fromData(job.data), {
      threads: this.parts.threads,
      signal: abort.signal,
      onProgress: (hashes) => {
        onHashes(hashes);
        report(hashes);
      },
    });
  }
}

/** Lets a call through at most once in `ms`. */
function throttle<T>(ms: number, call: (value: T) => void): (value: T) => void {
  let last = 0;
  return (value) => {
    const now = Date.now();
    if (now - last < ms) return;
    last = now;
    call(value);
  };
}
