import type { IncomingMessage } from 'node:http';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { errorText } from '../error-text';
import type { Logger } from '../logging/logger';
import { clientAddressOf } from './client-address';
import { HttpError, refusal, RefusalCode } from './errors';
import { routeOf } from './matched-route';
import { requestIdOf } from './request-id';
import { FinishedText, sendFinished, sendJson } from './send';

/** A refusal on its way out; the app gives it its words and shape. */
export interface Refusal {
  readonly status: number;
  readonly code: RefusalCode;
  readonly message: string;
}

/** Hears of every refusal, even if the client has left meanwhile: on which declared path it was (undefined: on none), and to whom. */
export type OnRefusal = (refused: Refusal, on: { readonly path: string | undefined; readonly client: string }) => void;

/** The body of a refusal in the app's documented shape; FinishedText is one that is no JSON, undefined an empty body. */
export type RefusalBody = (refused: Refusal, request: IncomingMessage) => unknown;

/** The handler behind all routes: 404. */
export const notFound: RequestHandler = (_request, _response, next) => next(refusal('not_found'));

/**
 * The one place where errors become answers. An HttpError is answered as it says; anything else is logged with its
 * stack and answered with status 500 and its message, never with the stack.
 */
export function errorHandler(body: RefusalBody, logger: Logger, onRefusal?: OnRefusal): ErrorRequestHandler {
  // express knows an error handler by its four parameters
  return async (error: unknown, request, response, _next) => {
    const failure = toHttpError(error);
    if (failure.status >= 500 && failure.code === 'internal') {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      logger.error(`${request.method} ${request.path} failed: ${stack}`, { request: requestIdOf(request) });
    }
    onRefusal?.(failure, { path: routeOf(request), client: clientAddressOf(request) });
    if (response.headersSent || response.destroyed) {
      request.socket.destroy();
      return;
    }
    for (const [name, value] of Object.entries(failure.headers)) response.setHeader(name, value);
    try {
      const answer = failure.body === undefined ? body(failure, request) : failure.body;
      if (answer instanceof FinishedText) await sendFinished(request, response, failure.status, answer);
      else await sendJson(request, response, failure.status, answer);
    } catch (broken) {
      logger.error(`the answer to ${request.method} ${request.path} could not be made: ${errorText(broken)}`, {
        request: requestIdOf(request),
      });
      request.socket.destroy();
    }
  };
}

/** What anything thrown is answered as; what is no HttpError and no fault of the path is `internal`. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  // express refuses malformed paths with an error that carries its status
  const status = (error as { status?: unknown } | null)?.status;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new HttpError(status, status === 404 ? 'not_found' : 'bad_request', errorText(error));
  }
  return refusal('internal', { message: errorText(error) });
}
