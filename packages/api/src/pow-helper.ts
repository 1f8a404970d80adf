import { z } from 'zod';
import { type ApiError, sharedErrors } from './errors';
import { decimal, hex, integer, uint64 } from './scalars';

/** State of a job. */
export const jobState = z.enum(['queued', 'running', 'done', 'failed', 'cancelled']);
/** Status for clients: queued and running jobs are pending. */
export const jobStatus = z.enum(['pending', 'done', 'error', 'cancelled']);

const jobId = z.string().regex(/^[0-9a-f]{32}$/);

/** Response of POST /pow and GET /pow/{id}. */
export const jobResponse = z.object({
  difficulty: uint64,
  /** Milliseconds since the submission, or from submission to the end of the job. */
  elapsed_ms: integer,
  /** Reason of a failed job. */
  error: z.string().optional(),
  /** Hashes computed so far. */
  hashes: uint64,
  inputs: integer,
  job_id: jobId,
  /** Nonce of a finished job: the 8 bytes that replace the last 8 bytes of the prefix. */
  nonce: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  outputs: integer,
  /** Number of queued jobs, while this job is queued. */
  queue_length: integer.optional(),
  state: jobState,
  status: jobStatus,
});

/** The parameter of /pow/{id}. Other formats are unknown paths. */
export const jobParams = z.object({ id: jobId });

/** `wait_ms`: max milliseconds to wait for the end of the job. An invalid number counts as 0. */
export const waitQuery = z.object({ wait_ms: z.string().regex(/^\d+$/).optional().catch(undefined) });

const MAX_INTEGER = BigInt(Number.MAX_SAFE_INTEGER);

/** An unsigned integer of any size, clamped to 2^53 - 1. Any other value is ignored. */
const unsignedOrIgnored = z
  .codec(z.bigint().min(0n), z.int(), {
    decode: (value) => Number(value < MAX_INTEGER ? value : MAX_INTEGER),
    encode: BigInt,
  })
  .optional()
  .catch(undefined);

/** The body of POST /pow. */
export const submission = z.object({
  /** The serialized prefix. It ends with the nonce tag and 8 bytes. */
  prefix: hex,
  /** Milliseconds. Overrides `wait_ms` of the query. */
  wait_ms: unsignedOrIgnored,
  /** Block index whose rule sets the difficulty. Default: the newest rule. */
  height: unsignedOrIgnored,
});

/** DELETE /pow/{id}: a queued or running job is cancelled; a finished job is returned. */
export const cancelResponse = z.union([
  jobResponse,
  z.object({ job_id: jobParams.shape.id, status: z.literal('cancelled') }),
]);

/** GET /. */
export const rootResponse = z.object({
  endpoints: z.array(z.string()),
  name: z.literal('wrkz-txpow-server'),
  version: z.string(),
});

/** GET /health. */
export const healthResponse = z.object({
  /** Max queued jobs. */
  capacity: integer,
  /** Queued jobs. */
  queue: integer,
  status: z.literal('OK'),
  /** Hashing threads. */
  threads: integer,
});

/** The running job, without its id. */
const activeJob = z.object({
  difficulty: uint64,
  hashes: uint64,
  inputs: integer,
  outputs: integer,
  running_ms: integer,
});

/** GET /stats: counters of this instance since its start. */
export const statsResponse = z.object({
  active: activeJob.nullable(),
  http: z.object({ requests: integer, unauthorized: integer }),
  jobs: z.object({
    received: integer,
    accepted: integer,
    rejected_invalid: integer,
    rejected_difficulty: integer,
    rejected_queue_full: integer,
    rejected_rate_limited: integer,
    rejected_global_limit: integer,
    completed: integer,
    failed: integer,
    cancelled: integer,
    expired: integer,
  }),
  limits: z.object({ max_difficulty: integer, max_wait_ms: integer }),
  queue: z.object({ capacity: integer, tracked_jobs: integer, waiting: integer }),
  /** Unix seconds. */
  started_at: integer,
  threads: integer,
  uptime_seconds: integer,
  version: z.string(),
  work: z.object({
    hashes: uint64,
    busy_ms: integer,
    /** Hashes per second of busy time. */
    hashrate: decimal,
    solve_ms_avg: integer,
    solve_ms_max: integer,
    queue_wait_ms_avg: integer,
  }),
});

/** Body of an error. */
export const powErrorBody = z.object({ status: z.literal('error'), error: z.string() });

/** All errors of the helper. */
export const powErrors = {
  badJson: { status: 400, text: 'body is not valid JSON', when: 'The body is not JSON in UTF-8, or repeats a name.' },
  noPrefix: {
    status: 400,
    text: "body must be an object with a hex 'prefix' field",
    when: 'The body is not an object, or prefix is not a string.',
  },
  notHex: {
    status: 400,
    text: "'prefix' is not valid hex",
    when: 'prefix has an odd length, or other characters than hex digits.',
  },
  tooShort: { status: 400, text: 'prefix is too short', when: 'The prefix has fewer than 9 bytes.' },
  notAPrefix: {
    status: 400,
    text: 'prefix does not deserialize as a transaction prefix',
    when: 'The prefix cannot be decoded, or has trailing bytes.',
  },
  notCanonical: {
    status: 400,
    text: 'prefix is not canonically serialized',
    when: 'The decoded prefix serializes to other bytes.',
  },
  noInputs: { status: 400, text: 'prefix has no inputs', when: 'The prefix has no input.' },
  noOutputs: { status: 400, text: 'prefix has no outputs', when: 'The prefix has no output.' },
  tooManyOutputs: {
    status: 400,
    text: 'prefix has more outputs than the network allows',
    when: 'The prefix has more than 90 outputs.',
  },
  notKeyInput: {
    status: 400,
    text: 'prefix contains an input that is not a key input',
    when: 'An input is a coinbase input.',
  },
  ringSize: {
    status: 400,
    text: 'prefix contains an input with an unreasonable ring size',
    when: 'A ring has no output, or more than 128.',
  },
  inputOverflow: { status: 400, text: 'input amounts overflow', when: 'The sum of the inputs is 2^64 or more.' },
  outputOverflow: { status: 400, text: 'output amounts overflow', when: 'The sum of the outputs is 2^64 or more.' },
  outputsExceedInputs: { status: 400, text: 'outputs exceed inputs', when: 'The outputs are larger than the inputs.' },
  zeroFee: { status: 400, text: 'zero-fee transactions are not served', when: 'The fee is 0.' },
  noNonceTag: {
    status: 400,
    text: 'extra must end with the PoW nonce tag followed by 8 nonce bytes',
    when: 'extra does not end with the byte 04 and 8 bytes.',
  },
  nothingNeeded: {
    status: 400,
    text: 'no proof of work is required at that height',
    when: 'At this height transactions need no proof of work.',
  },
  tooDifficult: {
    status: 400,
    text: "difficulty {difficulty} is above this server's limit of {limit}",
    when: 'The difficulty of the job exceeds --max-difficulty.',
  },
  unauthorized: {
    status: 401,
    text: 'missing or incorrect X-API-KEY header',
    when: '--api-key is set, and the X-API-KEY header is missing or wrong.',
  },
  unknownJob: {
    status: 404,
    text: 'unknown or expired job',
    when: 'The job does not exist, or its result has expired.',
  },
  bodyTooLarge: { status: 413, text: '', when: 'The body is larger than 524288 bytes.' },
  encodedBody: sharedErrors.encodedBody,
  rateLimited: sharedErrors.rateLimited,
  globalLimit: {
    status: 429,
    text: 'the server has reached its jobs-per-minute limit, retry later',
    when: 'All clients together exceeded --max-jobs-per-minute in this minute. Retry-After has the seconds until the next minute.',
  },
  queueFull: {
    status: 503,
    text: 'queue is full, try again later',
    when: 'The queue is full. Retry-After is 1.',
  },
  queueAway: {
    status: 503,
    text: 'the queue is away, retry later',
    when: 'Redis cannot be reached. Retry-After is 2.',
  },
  internal: { status: 500, text: '{message}', when: 'Internal error.' },
  shuttingDown: { status: 503, text: 'server is shutting down', when: 'The helper is stopping.' },
} as const satisfies Record<string, ApiError>;
