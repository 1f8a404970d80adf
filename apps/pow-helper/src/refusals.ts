import { errorMessage, powHelperApi } from '@wrkz/api';
import { HttpError, type Refusal } from '@wrkz/service-kit';

const { powErrors } = powHelperApi;

/** The counters of /stats for refused requests. */
export type RejectionCounter =
  | 'rejected_invalid'
  | 'rejected_difficulty'
  | 'rejected_queue_full'
  | 'rejected_rate_limited'
  | 'rejected_global_limit';

export type RefusalName = keyof typeof powErrors;

/** By the code of a refusal: its counter. What is not named here is not counted. */
const COUNTERS: Readonly<Record<string, RejectionCounter>> = {
  tooShort: 'rejected_invalid',
  notAPrefix: 'rejected_invalid',
  notCanonical: 'rejected_invalid',
  noInputs: 'rejected_invalid',
  noOutputs: 'rejected_invalid',
  tooManyOutputs: 'rejected_invalid',
  notKeyInput: 'rejected_invalid',
  ringSize: 'rejected_invalid',
  inputOverflow: 'rejected_invalid',
  outputOverflow: 'rejected_invalid',
  outputsExceedInputs: 'rejected_invalid',
  zeroFee: 'rejected_invalid',
  noNonceTag: 'rejected_invalid',
  nothingNeeded: 'rejected_invalid',
  tooDifficult: 'rejected_difficulty',
  queueFull: 'rejected_queue_full',
  globalLimit: 'rejected_global_limit',
  rate_limited: 'rejected_rate_limited',
} satisfies Partial<Record<RefusalName | 'rate_limited', RejectionCounter>>;

/** The counter of /stats that a refusal belongs to, if any. */
export function rejectionCounter({ code }: Pick<Refusal, 'code'>): RejectionCounter | undefined {
  return Object.hasOwn(COUNTERS, code) ? COUNTERS[code] : undefined;
}

/** A refusal, thrown in a handler and answered by the error handler. Its code is its name in `powErrors`. */
export class PowRefusal extends HttpError {
  constructor(
    readonly reason: RefusalName,
    details: { readonly values?: Readonly<Record<string, string>>; readonly retryAfterSeconds?: number } = {},
  ) {
    const row = powErrors[reason];
    const headers = details.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(details.retryAfterSeconds) };
    super(row.status, reason, errorMessage(row, details.values), headers);
  }
}

/** The refusals of the shared HTTP parts, in this service's words. */
const SHARED_TEXTS: Readonly<Record<string, string>> = {
  unauthorized: powErrors.unauthorized.text,
  rate_limited: powErrors.rateLimited.text,
};

/** The body of every refusal: `status` error and `error`. Unrouted paths and oversized bodies get no body. */
export function powRefusalBody({ code, message }: Refusal): unknown {
  if (code === 'not_found' || code === 'body_too_large') return undefined;
  return { status: 'error', error: SHARED_TEXTS[code] ?? message };
}
