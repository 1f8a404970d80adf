import type { JobPhase, JobRecord, JobSpec } from '../../jobs/job';
import { FAILURES } from '../../jobs/job';

/** A job's data as a script replies it: names and values in turn. */
export type RawJob = readonly string[];

export type JobFields = Readonly<Record<string, string | undefined>>;

export function fieldsOf(raw: RawJob): JobFields {
  const fields: Record<string, string> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) fields[raw[i]!] = raw[i + 1]!;
  return fields;
}

/** What a job is stored with: names and values in turn. */
export function specArguments({ prefix, inputs, outputs, difficulty }: JobSpec): (number | string)[] {
  return ['prefix', prefix.toString('hex'), 'inputs', inputs, 'outputs', outputs, 'difficulty', difficulty.toString()];
}

export function specOf(fields: JobFields): JobSpec {
  return { ...shapeOf(fields), prefix: Buffer.from(fields['prefix'] ?? '', 'hex') };
}

/** The part of a job that says what it costs. */
export function shapeOf(fields: JobFields): Omit<JobSpec, 'prefix'> {
  return {
    inputs: Number(fields['inputs']),
    outputs: Number(fields['outputs']),
    difficulty: BigInt(fields['difficulty'] ?? 0),
  };
}

/** The job as every queue describes it, at the time `now` of Redis; undefined when there is none. */
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
      // Only something else that writes into this Redis could have stored one without the other.
      if (nonce === undefined || !/^[0-9a-f]{16}$/.test(nonce)) return { state: 'failed', error: FAILURES.internal };
      return { state, nonce: Buffer.from(nonce, 'hex') };
    default:
      return { state: 'failed', error: error ?? FAILURES.internal };
  }
}
