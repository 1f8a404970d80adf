import { FAILURES, isFinal, type JobPhase, type JobRecord, type JobSpec, type Solution } from '../../job';
import type { Cancellation, QueueDepth, QueueOptions } from '../job-queue';
import { COMMAND_TIMEOUT_MS, type RedisLink } from './redis-link';
import { CANCEL, COMPLETE, COUNT, DEPTH, FAIL, HEARTBEAT, READ, RETURN_JOB, SUBMIT, TAKE } from './scripts';

/** Lock timeout: without a renewal, another instance takes the job. */
export const LOCK_MS = 6_000;
/** Number of dead instances after which a job fails, because it may be the cause. */
const MAX_LOSSES = 3;
/** A script that starts later must do nothing, because its caller has already received an error. */
const DEADLINE_MS = COMMAND_TIMEOUT_MS;

/** A job assigned to this instance. `token` identifies this assignment. */
export interface TakenJob {
  readonly id: string;
  readonly token: string;
  readonly spec: JobSpec;
  /** Milliseconds from the submission until now. */
  readonly waitedMs: number;
}

export interface Heartbeat {
  readonly held: '' | 'cancelled' | 'held' | 'lost';
  /** Queue times of jobs that failed after too many losses, in milliseconds. */
  readonly givenUp: readonly number[];
  /** Polled jobs that have ended. */
  readonly ended: readonly string[];
  readonly waiting: number;
  /** Queue times of expired jobs, in milliseconds. */
  readonly expired: readonly number[];
}

/** Typed calls of the scripts. While Redis is unreachable, all except `heartbeat` are rejected immediately. */
export class RedisStore {
  /** Clock of Redis minus the local monotonic clock, in milliseconds. */
  private clockOffset: number | undefined;

  constructor(
    private readonly link: RedisLink,
    private readonly options: QueueOptions,
  ) {}

  /** Adds a job. `droppedAfterMs`: queue time of the dropped job, if any. */
  async submit(
    id: string,
    spec: JobSpec,
  ): Promise<{ readonly accepted: boolean; readonly droppedAfterMs: number | undefined }> {
    const { capacity, pollTimeoutMs, resultTtlMs } = this.options;
    const [, outcome, dropped] = await this.run(
      SUBMIT,
      this.deadline(),
      capacity,
      pollTimeoutMs,
      resultTtlMs,
      FAILURES.expired,
      id,
      ...specArguments(spec),
    );
    return { accepted: outcome === 'ok', droppedAfterMs: typeof dropped === 'number' ? dropped : undefined };
  }

  /** Takes the next job. `expired`: queue times of expired jobs. */
  async take(token: string): Promise<{ readonly job: TakenJob | undefined; readonly expired: readonly number[] }> {
    const { pollTimeoutMs, jobTimeoutMs, resultTtlMs } = this.options;
    const args = [this.deadline(), token, LOCK_MS, pollTimeoutMs, jobTimeoutMs, resultTtlMs, FAILURES.expired];
    const [now, expired, id, raw] = await this.run(TAKE, ...args);
    if (typeof id !== 'string') return { job: undefined, expired: expired as number[] };
    const fields = fieldsOf(raw as RawJob);
    const waitedMs = Math.max(0, Number(now) - Number(fields['submittedAt']));
    return { job: { id, token, spec: specOf(fields), waitedMs }, expired: expired as number[] };
  }

  /** Also called during an outage, to detect its end. */
  async heartbeat(
    running: { readonly id: string; readonly token: string; readonly hashes: bigint } | undefined,
    polled: readonly string[],
  ): Promise<Heartbeat> {
    const { token = '', id = '', hashes = 0n } = running ?? {};
    const sentAt = performance.now();
    const { jobTimeoutMs, resultTtlMs } = this.options;
    const [now, held, givenUp, ended, waiting, expired] = await this.link.probe(
      HEARTBEAT,
      ...[token, id, hashes.toString(), LOCK_MS, MAX_LOSSES, resultTtlMs, FAILURES.internal],
      ...[jobTimeoutMs, FAILURES.expired],
      ...polled,
    );
    this.clockOffset = Number(now) - sentAt;
    return {
      held: held as Heartbeat['held'],
      givenUp: givenUp as number[],
      ended: ended as string[],
      waiting: Number(waiting),
      expired: expired as number[],
    };
  }

  /** Stores a result. @returns false if the job has ended or does not exist */
  async complete(id: string, { nonce, hashes }: Solution): Promise<boolean> {
    const args = [id, nonce.toString('hex'), hashes.toString(), this.options.resultTtlMs];
    return (await this.run(COMPLETE, ...args))[1] === 1;
  }

  async fail({ id, token }: TakenJob, error: string): Promise<void> {
    await this.run(FAIL, id, token, error, this.options.resultTtlMs);
  }

  /** Returns a job to its place in the queue. */
  async returnJob({ id, token }: Pick<TakenJob, 'id' | 'token'>): Promise<void> {
    await this.run(RETURN_JOB, id, token);
  }

  /** Cancels a job. `before`: the job before the cancellation. */
  async cancel(id: string): Promise<(Cancellation & { readonly before: JobRecord }) | undefined> {
    const [now, raw] = await this.run(CANCEL, id, this.options.resultTtlMs);
    const job = recordOf(id, fieldsOf(raw as RawJob), Number(now));
    if (job === undefined) return undefined;
    return isFinal(job) ? { cancelled: false, job, before: job } : { cancelled: true, before: job };
  }

  async read(id: string): Promise<JobRecord | undefined> {
    const [now, raw] = await this.run(READ, id);
    return recordOf(id, fieldsOf(raw as RawJob), Number(now));
  }

  async depth(): Promise<QueueDepth> {
    const [now, waiting, tracked, raw] = await this.run(DEPTH);
    const fields = fieldsOf(raw as RawJob);
    const active =
      fields['startedAt'] === undefined
        ? undefined
        : {
            ...shapeOf(fields),
            hashes: BigInt(fields['hashes'] ?? 0),
            runningMs: Math.max(0, Number(now) - Number(fields['startedAt'])),
          };
    return { waiting: Number(waiting), tracked: Number(tracked), active };
  }

  /** Counts an event of the current minute, over all instances. */
  async count(name: string): Promise<number> {
    return Number((await this.run(COUNT, name))[1]);
  }

  /** Deadline in Redis time. Only heartbeats, which have no deadline, set the clock offset. */
  private deadline(): number {
    return this.clockOffset === undefined ? 0 : Math.round(performance.now() + this.clockOffset + DEADLINE_MS);
  }

  private run(script: string, ...args: readonly (number | string)[]): Promise<unknown[]> {
    return this.link.run(script, ...args);
  }
}

/** A hash as a script returns it: alternating names and values. */
export type RawJob = readonly string[];

export type JobFields = Readonly<Record<string, string | undefined>>;

function fieldsOf(raw: RawJob): JobFields {
  const fields: Record<string, string> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) fields[raw[i]!] = raw[i + 1]!;
  return fields;
}

/** Alternating names and values of a new job. */
function specArguments({ prefix, inputs, outputs, difficulty }: JobSpec): (number | string)[] {
  return ['prefix', prefix.toString('hex'), 'inputs', inputs, 'outputs', outputs, 'difficulty', difficulty.toString()];
}

function specOf(fields: JobFields): JobSpec {
  return { ...shapeOf(fields), prefix: Buffer.from(fields['prefix'] ?? '', 'hex') };
}

function shapeOf(fields: JobFields): Omit<JobSpec, 'prefix'> {
  return {
    inputs: Number(fields['inputs']),
    outputs: Number(fields['outputs']),
    difficulty: BigInt(fields['difficulty'] ?? 0),
  };
}

/** @param now time of Redis @returns undefined if there is no job */
export function recordOf(id: string, fields: JobFields, now: number): JobRecord | undefined {
  if (fields['state'] === undefined || fields['submittedAt'] === undefined) return undefined;
  return {
    ...phaseOf(fields),
    ...shapeOf(fields),
    id,
    hashes: BigInt(fields['hashes'] ?? 0),
    elapsedMs: Math.max(0, Number(fields['finishedAt'] ?? now) - Number(fields['submittedAt'])),
  };
}

function phaseOf({ state, nonce, error }: JobFields): JobPhase {
  switch (state) {
    case 'queued':
    case 'running':
    case 'cancelled':
      return { state };
    case 'done':
      // Only another program that writes to this Redis can cause this.
      if (nonce === undefined || !/^[0-9a-f]{16}$/.test(nonce)) return { state: 'failed', error: FAILURES.internal };
      return { state, nonce: Buffer.from(nonce, 'hex') };
    default:
      return { state: 'failed', error: error ?? FAILURES.internal };
  }
}
