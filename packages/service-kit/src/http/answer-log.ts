import type { RequestHandler } from 'express';
import type { Logger } from '../logging/logger';
import { clientAddressOf } from './client-address';
import { routeOf } from './matched-route';
import { requestIdOf } from './request-id';

/**
 * Writes a line for every answer at level debug: id, client, declared path (never the requested one), status (499: the
 * caller left before it was out) and milliseconds.
 */
export function logAnswers(logger: Logger): RequestHandler {
  return (request, response, next) => {
    if (!logger.enabled('debug')) return next();
    const start = performance.now();
    response.once('close', () =>
      logger.debug('answered', {
        request: requestIdOf(request),
        client: clientAddressOf(request),
        method: request.method,
        route: routeOf(request) ?? 'none',
        status: response.writableFinished ? response.statusCode : 499,
        ms: Math.round(performance.now() - start),
      }),
    );
    next();
  };
}
