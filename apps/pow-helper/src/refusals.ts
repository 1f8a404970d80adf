import { errorMessage, powHelperApi } from '@wrkz/api';
import { HttpError, type Refusal } from '@wrkz/service-kit';

const { powErrors } = powHelperApi;

/** Counters of refused requests in /stats. */
export type RejectionCounter =
  | 'rejected_invalid'
  | 'rejected_difficulty'
  | 'rejected_queue_full'
  | 'rejected_rate_limited'
  | 'rejected_global_limit';

export type RefusalName = keyof typeof powErrors;

/** The errors of an invalid prefix, in the order of the checks. */
export const PREFIX_ERRORS = [
  'tooShort',
  'notAPrefix',
  'notCanonical',
  'noInputs',
  'noOutputs',
  'tooManyOutputs',
  'notKeyInput',
  'ringSize',
  'inputOverflow',
  'outputOverflow',
  'outputsExceedInputs',
  'zeroFee',
  'noNonceTag',
  'nothingNeeded',
] as const satisfies readonly RefusalName[];

/** Counters by code. Other codes are not counted. */
const COUNTERS: Readonly<Record<string, RejectionCounter>> = {
  ...Object.fromEntries(PREFIX_ERRORS.map((name) => [name, 'rejected_invalid' as const])),
  tooDifficult: 'rejected_difficulty',
  queueFull: 'rejected_queue_full',
  globalLimit: 'rejected_global_limit',
  rate_limited: 'rejected_rate_limited',
} satisfies Partial<Record<RefusalName | 'rate_limited', RejectionCounter>>;

export function rejectionCounter({ code }: Pick<Refusal, 'code'>): RejectionCounter | undefined {
  return Object.hasOwn(COUNTERS, code) ? COUNTERS[code] : undefined;
}

/** A refused request. Its code is the name in `powErrors`. */
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

/** Texts for refusals of the HTTP framework. */
const SHARED_TEXTS: Readonly<Record<string, string>> = {
  unauthorized: powErrors.unauthorized.text,
  rate_limited: powErrors.rateLimited.text,
};

/** Body of a refusal: `status` and `error`. Unknown paths and oversized requests have no body. */
export function powRefusalBody({ code, message }: Refusal): unknown {
  if (code === 'not_found' || code === 'body_too_large') return undefined;
  return { status: 'error', error: SHARED_TEXTS[code] ?? message };
}
