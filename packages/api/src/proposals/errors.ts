import { z } from 'zod';
import type { ApiError } from '../errors';

/** What the QR route says of itself in its errors. */
const qrDocstring = z.object({
  help: z.string(),
  params: z.record(z.string(), z.object({ help: z.string(), required: z.boolean(), type: z.string() })),
  return: z.null(),
});

/** The body of every error below /api/: the message, and what the route says of itself, if it does. */
export const proposalErrorBody = z.object({ data: z.string(), docstring: qrDocstring.nullable() });

/** The docstring of GET /api/1/qr. */
export const QR_DOCSTRING: z.output<typeof qrDocstring> = {
  help: 'Generate a QR image. Subject to IP throttling.',
  params: { address: { help: 'valid receiving address', required: true, type: 'str' } },
  return: null,
};

/** Every error of the proposal listing. Pages for people give them as pages. */
export const proposalErrors = {
  wrongType: {
    status: 400,
    text: "wrong type for argument '{name}', should be of type '<class 'int'>'",
    when: 'A number of the query is none.',
  },
  outOfRange: {
    status: 400,
    text: "argument '{name}' must lie between {lowest} and {highest}",
    when: 'A number of the query is beyond its bounds.',
  },
  unknownCategory: {
    status: 400,
    text: 'unknown category, should be one of: {categories}',
    when: 'cat is none of the categories.',
  },
  noAddress: { status: 400, text: "argument 'address' is required", when: 'There is no address, or an empty one.' },
  addressLength: {
    status: 400,
    text: 'faulty address length, should be: 98, 120 or 186',
    when: 'The address is neither as long as a plain one nor as an integrated one.',
  },
  badAddress: { status: 400, text: '{reason}', when: 'Prefix, characters, checksum or keys of the address are wrong.' },
  badAmount: {
    status: 400,
    text: "argument 'amount' is not an amount of coins with at most two decimals",
    when: 'The amount is no positive number of coins, or has more than two decimals.',
  },
  notFound: { status: 404, text: 'there is no such proposal', when: 'No proposal has that number.' },
  noSuchPage: { status: 404, text: 'there is no such page', when: 'A filter or a page of the list does not exist.' },
  methodNotAllowed: { status: 405, text: 'Only GET and HEAD are answered here', when: 'The method is another one.' },
  rateLimited: {
    status: 429,
    text: 'too many requests from this address, retry later',
    when: 'The address has used up its requests of this minute; Retry-After has the seconds to the next.',
  },
  qrThrottled: {
    status: 429,
    text: 'Wait a bit before generating a new QR',
    when: 'The address has asked for too many new images this minute; Retry-After has the seconds to the next.',
  },
  encodedBody: {
    status: 415,
    text: 'Encoded request bodies are not accepted',
    when: 'The body has a content encoding.',
  },
  bodyTooLarge: { status: 413, text: 'The request body is too large', when: 'The request has a body over 1024 bytes.' },
  internal: { status: 500, text: 'Internal error', when: 'The service failed inside.' },
} as const satisfies Record<string, ApiError>;
