import { HttpError, type Refusal } from '@wrkz/service-kit';

/** The counters of /stats for refused requests. */
export type RejectionCounter =
  | 'rejected_invalid'
  | 'rejected_difficulty'
  | 'rejected_queue_full'
  | 'rejected_rate_limited'
  | 'rejected_global_limit';

interface RefusalRow {
  readonly status: number;
  readonly text: string;
  readonly counter?: RejectionCounter;
}

/** Every refusal of a job: status, text, and its counter in /stats. */
export const REFUSALS = {
  notJson: { status: 400, text: 'body is not valid JSON' },
  noPrefix: { status: 400, text: "body must be an object with a hex 'prefix' field" },
  notHex: { status: 400, text: "'prefix' is not valid hex" },
  tooShort: { status: 400, text: 'prefix is too short', counter: 'rejected_invalid' },
  notAPrefix: {
    status: 400,
    text: 'prefix does not deserialize as a transaction prefix',
    counter: 'rejected_invalid',
  },
  notCanonical: { status: 400, text: 'prefix is not canonically serialized', counter: 'rejected_invalid' },
  noInputs: { status: 400, text: 'prefix has no inputs', counter: 'rejected_invalid' },
  noOutputs: { status: 400, text: 'prefix has no outputs', counter: 'rejected_invalid' },
  tooManyOutputs: {
    status: 400,
    text: 'prefix has more outputs than the network allows',
    counter: 'rejected_invalid',
  },
  notKeyInput: {
    status: 400,
    text: 'prefix contains an input that is not a key input',
    counter: 'rejected_invalid',
  },
  ringSize: {
    status: 400,
    text: 'prefix contains an input with an unreasonable ring size',
    counter: 'rejected_invalid',
  },
  inputOverflow: { status: 400, text: 'input amounts overflow', counter: 'rejected_invalid' },
  outputOverflow: { status: 400, text: 'output amounts overflow', counter: 'rejected_invalid' },
  outputsExceedInputs: { status: 400, text: 'outputs exceed inputs', counter: 'rejected_invalid' },
  zeroFee: { status: 400, text: 'zero-fee transactions are not served', counter: 'rejected_invalid' },
  noNonceTag: {
    status: 400,
    text: 'extra must end with the PoW nonce tag followed by 8 nonce bytes',
    counter: 'rejected_invalid',
  },
  nothingNeeded: {
    status: 400,
    text: 'no proof of work is required at that height',
    counter: 'rejected_invalid',
  },
  tooDifficult: { status: 400, text: 'difficulty is above the limit', counter: 'rejected_difficulty' },
  globalLimit: {
    status: 429,
    text: 'the server has reached its jobs-per-minute limit, retry later',
    counter: 'rejected_global_limit',
  },
  queueFull: { status: 503, text: 'queue is full, try again later', counter: 'rejected_queue_full' },
  shuttingDown: { status: 503, text: 'server is shutting down' },
  unknownJob: { status: 404, text: 'unknown or expired job' },
} as const satisfies Record<string, RefusalRow>;

export type RefusalName = keyof typeof REFUSALS;

/** A refusal, thrown in a handler and answered by the error handler. */
export class PowRefusal extends HttpError {
  readonly counter: RejectionCounter | undefined;

  constructor(
    readonly reason: RefusalName,
    details: { text?: string; retryAfterSeconds?: number } = {},
  ) {
    const row: RefusalRow = REFUSALS[reason];
    const headers = details.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(details.retryAfterSeconds) };
    super(row.status, reason, details.text ?? row.text, headers);
    this.counter = row.counter;
  }
}

/** The refusals of the shared HTTP parts, in this service's words. */
const SHARED_TEXTS: Readonly<Record<string, string>> = {
  bad_json: REFUSALS.notJson.text,
  unauthorized: 'missing or incorrect X-API-KEY header',
  rate_limited: 'too many requests from this address, retry later',
};

/** The body of every refusal: `status` error and `error`. Unrouted paths and oversized bodies get no body. */
export function powRefusalBody({ code, message }: Refusal): unknown {
  if (code === 'not_found' || code === 'body_too_large') return undefined;
  return { status: 'error', error: SHARED_TEXTS[code] ?? message };
}
