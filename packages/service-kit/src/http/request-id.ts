import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';

/** Under this name every answer tells the id of its request; a trusted proxy may give one under it. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

const ID = Symbol('request id');
interface Marked {
  [ID]?: string;
}

/** What a proxy may call a request: it goes into log lines and headers, so nothing but plain signs, and few. */
const TAKEN_OVER = /^[\w.:-]{1,64}$/;

/**
 * The id of a request, made when it is first asked for: random, or what the proxy calls it.
 * @param ofProxy whether what the caller sends under the header's name counts
 */
export function requestIdOf(request: IncomingMessage, ofProxy = false): string {
  return ((request as Marked)[ID] ??= (ofProxy ? givenId(request) : undefined) ?? newRequestId());
}

/** An id for an answer to what never became a request. */
export const newRequestId = (): string => randomUUID();

/** Puts the id on the answer. It belongs before everything that may answer. */
export function identify(ofProxy: boolean): RequestHandler {
  return (request, response, next) => {
    response.setHeader(REQUEST_ID_HEADER, requestIdOf(request, ofProxy));
    next();
  };
}

function givenId({ headers }: IncomingMessage): string | undefined {
  const given = headers['x-request-id'];
  return typeof given === 'string' && TAKEN_OVER.test(given) ? given : undefined;
}
