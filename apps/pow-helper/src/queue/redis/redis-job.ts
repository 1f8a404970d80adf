import type { Job } from 'bullmq';
import type { JobRecord, JobSpec, JobState } from '../../jobs/job';
import { CANCELLED } from './redis-marks';

/** A job's data in Redis: JSON, hence hex and decimal texts. */
export interface RedisJobData {
  readonly prefix: string;
  readonly inputs: number;
  readonly outputs: number;
  readonly difficulty: string;
}

export interface RedisJobResult {
  readonly nonce: string;
  readonly hashes: string;
}

export type RedisJob = Job<RedisJobData, RedisJobResult>;

export function toData(spec: JobSpec): RedisJobData {
  return {
    prefix: spec.prefix.toString('hex'),
    inputs: spec.inputs,
    outputs: spec.outputs,
    difficulty: spec.difficulty.toString(),
  };
}

export function fromData({ prefix, inputs, outputs, difficulty }: RedisJobData): JobSpec {
  return { prefix: Buffer.from(prefix, 'hex'), inputs, outputs, difficulty: BigInt(difficulty) };
}

/** The job as every queue describes it; undefined when Redis no longer has it. */
export async function readRecord(job: RedisJob): Promise<JobRecord | undefined> {
  const state = stateOf(await job.getState(), job.failedReason);
  if (state === undefined) return undefined;
  const progress = job.progress as { hashes?: string } | number | string;
  const hashes = job.returnvalue?.hashes ?? (typeof progress === 'object' ? progress.hashes : undefined) ?? '0';
  return {
    id: String(job.id),
    state,
    difficulty: BigInt(job.data.difficulty),
    inputs: job.data.inputs,
    outputs: job.data.outputs,
    hashes: BigInt(hashes),
    submittedAt: job.timestamp,
    finishedAt: job.finishedOn,
    nonce: state === 'done' && job.returnvalue ? Buffer.from(job.returnvalue.nonce, 'hex') : undefined,
    error: job.failedReason,
  };
}

function stateOf(state: string, failedReason: string | undefined): JobState | undefined {
  switch (state) {
    case 'active':
      return 'running';
    case 'completed':
      return 'done';
    case 'failed':
      return failedReason === CANCELLED ? 'cancelled' : 'failed';
    case 'unknown':
      return undefined;
    default:
      return 'queued';
  }
}
