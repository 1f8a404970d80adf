import { z } from 'zod';
import { type ApiError, sharedErrors } from './errors';
import { decimal, integer } from './scalars';

/** A query parameter that may be repeated. The first value is used. */
export function first<S extends z.ZodType>(schema: S) {
  return z.preprocess((value: unknown) => (Array.isArray(value) ? (value[0] as unknown) : value), schema);
}

/** An integer in decimal digits. */
export function integerParameter({ min, max, defaultValue }: { min: number; max: number; defaultValue: number }) {
  const numbers = z.preprocess(
    (text: unknown) => (isIntegerText(text) ? Number(text) : text),
    z.int().min(min).max(max),
  );
  return first(numbers).default(defaultValue).meta({ type: 'integer', minimum: min, maximum: max });
}

/** Whether a value is an integer of any size in decimal digits. */
export function isIntegerText(value: unknown): value is string {
  return typeof value === 'string' && /^[+-]?\d+$/.test(value);
}

/** Categories of proposals. */
export const PROPOSAL_CATEGORIES = ['wallets', 'marketing', 'core', 'misc', 'design'] as const;

/** Names of the statuses 0 to 4. A query may have status 5, but no proposal has it. */
export const PROPOSAL_STATUSES = ['disabled', 'proposal', 'funding', 'wip', 'completed'] as const;

/** Max status of a query. */
export const MAX_STATUS = 5;

/** A proposal. Fields are in alphabetical order. */
export const proposalRecord = z.object({
  addr_donation: z.string().meta({ description: 'Address for donations' }),
  category: z.enum(PROPOSAL_CATEGORIES),
  content_markdown: z.string().meta({ description: 'Text, Markdown' }),
  date_posted: z.string().meta({ description: 'Formatted, UTC: Jan 30 2021 06:11:15' }),
  date_posted_epoch: z.string().meta({ description: 'Unix seconds, decimal digits' }),
  funded_pct: decimal.meta({ description: 'Received share of the target, percent with two decimals' }),
  funds_target: decimal.meta({ description: 'Whole coins' }),
  headline: z.string(),
  id: integer,
  status: integer,
  user: z.string().meta({ description: 'Author' }),
});

/** Max proposals in a response. */
export const MAX_LISTED = 100;
/** Max offset. */
export const MAX_OFFSET = 2 ** 31 - 1;

/** Query of GET /api/1/proposals. Of a repeated parameter the first value is used. An empty `cat` is no filter. */
export const listQuery = z.object({
  status: integerParameter({ min: 0, max: MAX_STATUS, defaultValue: 1 }),
  cat: first(z.string()).optional().meta({ type: 'string', description: 'Category. Default: all' }),
  limit: integerParameter({ min: 0, max: MAX_LISTED, defaultValue: 20 }),
  offset: integerParameter({ min: 0, max: MAX_OFFSET, defaultValue: 0 }),
});

/** Response of GET /api/1/proposals, newest first. Without the total number. */
export const listResponse = z.object({ data: z.array(proposalRecord) });

/** Query of GET /api/1/qr. */
export const qrQuery = z.object({
  address: z.string().optional().meta({ description: 'Standard or integrated address: 98, 120 or 186 characters' }),
});

/** Docstring of the QR route, sent with its errors. */
const qrDocstring = z.object({
  help: z.string(),
  params: z.record(z.string(), z.object({ help: z.string(), required: z.boolean(), type: z.string() })),
  return: z.null(),
});

/** Body of an error below /api/: message and docstring of the route. */
export const proposalErrorBody = z.object({ data: z.string(), docstring: qrDocstring.nullable() });

/** The docstring of GET /api/1/qr. */
export const QR_DOCSTRING: z.output<typeof qrDocstring> = {
  help: 'Generate a QR image. Subject to IP throttling.',
  params: { address: { help: 'valid receiving address', required: true, type: 'str' } },
  return: null,
};

/** All errors of the proposal listing. HTML pages show the same texts. */
export const proposalErrors = {
  wrongType: {
    status: 400,
    text: "wrong type for argument '{name}', should be of type '<class 'int'>'",
    when: 'A number in the query is invalid.',
  },
  outOfRange: {
    status: 400,
    text: "argument '{name}' must lie between {lowest} and {highest}",
    when: 'A number in the query is out of range.',
  },
  unknownCategory: {
    status: 400,
    text: 'unknown category, should be one of: {categories}',
    when: 'cat is not a category.',
  },
  noAddress: { status: 400, text: "argument 'address' is required", when: 'address is missing or empty.' },
  repeatedAddress: {
    status: 400,
    text: "argument 'address' must be given once",
    when: 'address is repeated.',
  },
  addressLength: {
    status: 400,
    text: 'faulty address length, should be: 98, 120 or 186',
    when: 'The length is not that of a standard or integrated address.',
  },
  badAddress: {
    status: 400,
    text: '{reason}',
    when: 'Prefix, characters, checksum or keys of the address are invalid.',
  },
  badAmount: {
    status: 400,
    text: "argument 'amount' is not an amount of coins with at most two decimals",
    when: 'amount is not a positive number of coins, or has more than two decimals.',
  },
  notFound: { status: 404, text: 'there is no such proposal', when: 'No proposal has this id.' },
  noSuchPage: { status: 404, text: 'there is no such page', when: 'The filter or page number does not exist.' },
  methodNotAllowed: {
    status: 405,
    text: 'Only GET and HEAD are answered here',
    when: 'The method is not GET or HEAD.',
  },
  rateLimited: sharedErrors.rateLimited,
  qrThrottled: {
    status: 429,
    text: 'Wait a bit before generating a new QR',
    when: 'The client address requested too many new images in this minute. Retry-After has the seconds until the next minute.',
  },
  encodedBody: sharedErrors.encodedBody,
  bodyTooLarge: { status: 413, text: 'The request body is too large', when: 'The body is larger than 1024 bytes.' },
  internal: { status: 500, text: 'Internal error', when: 'Internal error.' },
} as const satisfies Record<string, ApiError>;
