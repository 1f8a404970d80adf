import { FAILURES, isFinal, type JobRecord, type JobSpec } from '../../jobs/job';
import type { Solution } from '../../jobs/solver';
import type { Cancellation, QueueDepth, QueueSettings } from '../job-queue';
import { COMMAND_MS, type RedisLink } from './redis-link';
import { fieldsOf, recordOf, shapeOf, specArguments, specOf, type RawJob } from './redis-records';
import { BEAT, CANCEL, COMPLETE, COUNT, DEPTH, FAIL, GIVE_BACK, READ, SUBMIT, TAKE } from './scripts';

/** A job goes to another instance when its own has not renewed the lock for so long, in milliseconds. */
export const LOCK_MS = 6_000;
/** How many instances a job may outlive before it counts as what ended them. */
const MOST_LOSSES = 3;
/** What Redis has not begun to carry out within this time is not to be carried out: its caller has been refused. */
const DEADLINE_MS = COMMAND_MS;

/** A job handed to this instance. `token` tells this hand-over from any other of the same job. */
export interface TakenJob {
  readonly id: string;
  readonly token: string;
  readonly spec: JobSpec;
  /** Milliseconds from the submission until now. */
  readonly waitedMs: number;
}

/** What a sign of life brought back. */
export interface Beat {
  readonly held: '' | 'cancelled' | 'held' | 'lost';
  /** How long each job that was given up had waited, in milliseconds. */
  readonly givenUp: readonly number[];
  /** Those of the jobs asked about that have ended. */
  readonly ended: readonly string[];
  readonly waiting: number;
  /** How long each queued job that expired had waited, in milliseconds. */
  readonly expired: readonly number[];
}

/** The steps of the shared queue with their types. All but `beat` are refused at once while Redis is away. */
export class RedisStore {
  /** The clock of Redis less the monotonic one here, in milliseconds. */
  private clockShift: number | undefined;

  constructor(
    private readonly link: RedisLink,
    private readonly settings: QueueSettings,
  ) {}

  /** `made` is how long the job had waited that made room, if one had to. */
  async submit(id: string, spec: JobSpec): Promise<{ readonly accepted: boolean; readonly made: number | undefined }> {
    const { capacity, patienceMs, resultTtlMs } = this.settings;
    const [, outcome, made] = await this.run(
      SUBMIT,
      this.deadline(),
      capacity,
      patienceMs,
      resultTtlMs,
      FAILURES.expired,
      id,
      ...specArguments(spec),
    );
    return { accepted: outcome === 'ok', made: typeof made === 'number' ? made : undefined };
  }

  /** The job whose turn it is, and how long those had waited that were dropped on the way. */
  async take(token: string): Promise<{ readonly job: TakenJob | undefined; readonly expired: readonly number[] }> {
    const { patienceMs, jobTimeoutMs, resultTtlMs } = this.settings;
    const args = [this.deadline(), token, LOCK_MS, patienceMs, jobTimeoutMs, resultTtlMs, FAILURES.expired];
    const [now, expired, id, raw] = await this.run(TAKE, ...args);
    if (typeof id !== 'string') return { job: undefined, expired: expired as number[] };
    const fields = fieldsOf(raw as RawJob);
    const waitedMs = Math.max(0, Number(now) - Number(fields['submittedAt']));
    return { job: { id, token, spec: specOf(fields), waitedMs }, expired: expired as number[] };
  }

  /** Shows that this instance lives, also to find out whether Redis does. */
  async beat(
    running: { readonly id: string; readonly token: string; readonly hashes: bigint } | undefined,
    waitedFor: readonly string[],
  ): Promise<Beat> {
    const { token = '', id = '', hashes = 0n } = running ?? {};
    const sentAt = performance.now();
    const { jobTimeoutMs, resultTtlMs } = this.settings;
    const [now, held, givenUp, ended, waiting, expired] = await this.link.probe(
      BEAT,
      ...[token, id, hashes.toString(), LOCK_MS, MOST_LOSSES, resultTtlMs, FAILURES.internal],
      ...[jobTimeoutMs, FAILURES.expired],
      ...waitedFor,
    );
    this.clockShift = Number(now) - sentAt;
    return {
      held: held as Beat['held'],
      givenUp: givenUp as number[],
      ended: ended as string[],
      waiting: Number(waiting),
      expired: expired as number[],
    };
  }

  /** Stores a result; false when the job had already ended or is gone. */
  async complete(id: string, { nonce, hashes }: Solution): Promise<boolean> {
    const args = [id, nonce.toString('hex'), hashes.toString(), this.settings.resultTtlMs];
    return (await this.run(COMPLETE, ...args))[1] === 1;
  }

  async fail({ id, token }: TakenJob, error: string): Promise<void> {
    await this.run(FAIL, id, token, error, this.settings.resultTtlMs);
  }

  async giveBack({ id, token }: Pick<TakenJob, 'id' | 'token'>): Promise<void> {
    await this.run(GIVE_BACK, id, token);
  }

  /** `before` is the job as it was cancelled. */
  async cancel(id: string): Promise<(Cancellation & { readonly before: JobRecord }) | undefined> {
    const [now, raw] = await this.run(CANCEL, id, this.settings.resultTtlMs);
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

  /** Counts one event of the present minute, over all instances. */
  async count(name: string): Promise<number> {
    return Number((await this.run(COUNT, name))[1]);
  }

  /** Only signs of life set the clock: a late one asks for nothing that could be too late. */
  private deadline(): number {
    return this.clockShift === undefined ? 0 : Math.round(performance.now() + this.clockShift + DEADLINE_MS);
  }

  private run(script: string, ...args: readonly (number | string)[]): Promise<unknown[]> {
    return this.link.run(script, ...args);
  }
}
