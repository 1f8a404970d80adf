import { z } from 'zod';
import type { ApiError } from '../errors';

/** The body of every error that has one. */
export const powErrorBody = z.object({ status: z.literal('error'), error: z.string() });

/** Every error of the helper. */
export const powErrors = {
  badJson: { status: 400, text: 'body is not valid JSON', when: 'The body is not JSON in UTF-8.' },
  noPrefix: {
    status: 400,
    text: "body must be an object with a hex 'prefix' field",
    when: 'The body is no object, or its prefix is no text.',
  },
  notHex: {
    status: 400,
    text: "'prefix' is not valid hex",
    when: 'The prefix holds other characters, or an odd number.',
  },
  tooShort: { status: 400, text: 'prefix is too short', when: 'The prefix has fewer than 9 bytes.' },
  notAPrefix: {
    status: 400,
    text: 'prefix does not deserialize as a transaction prefix',
    when: 'The prefix cannot be decoded, or has bytes behind its end.',
  },
  notCanonical: {
    status: 400,
    text: 'prefix is not canonically serialized',
    when: 'The decoded prefix is written with other bytes.',
  },
  noInputs: { status: 400, text: 'prefix has no inputs', when: 'There is no input.' },
  noOutputs: { status: 400, text: 'prefix has no outputs', when: 'There is no output.' },
  tooManyOutputs: {
    status: 400,
    text: 'prefix has more outputs than the network allows',
    when: 'There are more than 90 outputs.',
  },
  notKeyInput: {
    status: 400,
    text: 'prefix contains an input that is not a key input',
    when: 'An input is that of a coinbase.',
  },
  ringSize: {
    status: 400,
    text: 'prefix contains an input with an unreasonable ring size',
    when: 'A ring has no member or more than 128.',
  },
  inputOverflow: { status: 400, text: 'input amounts overflow', when: 'The inputs sum up to 2^64 or more.' },
  outputOverflow: { status: 400, text: 'output amounts overflow', when: 'The outputs sum up to 2^64 or more.' },
  outputsExceedInputs: { status: 400, text: 'outputs exceed inputs', when: 'More is received than paid.' },
  zeroFee: { status: 400, text: 'zero-fee transactions are not served', when: 'The fee is 0.' },
  noNonceTag: {
    status: 400,
    text: 'extra must end with the PoW nonce tag followed by 8 nonce bytes',
    when: 'The extra does not end with the byte 04 and 8 more.',
  },
  nothingNeeded: {
    status: 400,
    text: 'no proof of work is required at that height',
    when: 'The height lies before transactions needed a proof of work.',
  },
  tooDifficult: {
    status: 400,
    text: "difficulty {difficulty} is above this server's limit of {limit}",
    when: 'The job is harder than the operator allows.',
  },
  unauthorized: {
    status: 401,
    text: 'missing or incorrect X-API-KEY header',
    when: 'The operator has set a key, and the request does not carry it.',
  },
  unknownJob: {
    status: 404,
    text: 'unknown or expired job',
    when: 'The job was never submitted, or its result is forgotten.',
  },
  bodyTooLarge: { status: 413, text: '', when: 'The body is larger than 524288 bytes.' },
  encodedBody: {
    status: 415,
    text: 'Encoded request bodies are not accepted',
    when: 'The body has a content encoding.',
  },
  rateLimited: {
    status: 429,
    text: 'too many requests from this address, retry later',
    when: 'The address has used up its requests of this minute; Retry-After has the seconds to the next.',
  },
  globalLimit: {
    status: 429,
    text: 'the server has reached its jobs-per-minute limit, retry later',
    when: 'All clients together have used up the jobs of this minute; Retry-After has the seconds to the next.',
  },
  queueFull: {
    status: 503,
    text: 'queue is full, try again later',
    when: 'No further job may wait; Retry-After is 1.',
  },
  queueAway: {
    status: 503,
    text: 'the queue is away, retry later',
    when: 'The shared queue cannot be reached; Retry-After is 2.',
  },
  internal: { status: 500, text: '{message}', when: 'The helper failed inside.' },
  shuttingDown: { status: 503, text: 'server is shutting down', when: 'The helper is about to end.' },
} as const satisfies Record<string, ApiError>;
