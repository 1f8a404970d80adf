import express, { Express, Request } from 'express';
import type { IncomingMessage } from 'node:http';
import type { Logger } from '../logging/logger';
import type { Metrics } from '../metrics/metrics';
import { apiKey, ApiKeyOptions } from './api-key';
import { bodyLength, readBody } from './body';
import { clientAddress, ClientAddressMode } from './client-address';
import { cors, CorsOptions } from './cors';
import { countRequests, RequestCounters } from './counters';
import { errorEdge, notFound, RefusalBody } from './error-edge';
import { rateLimit, RateLimitOptions } from './rate-limit';

export interface HttpAppOptions {
  readonly logger: Logger;
  /** Words and shape of every refusal. */
  readonly refusalBody: RefusalBody;
  readonly clientAddress?: ClientAddressMode;
  readonly cors?: CorsOptions;
  readonly apiKey?: ApiKeyOptions;
  readonly rateLimit?: RateLimitOptions;
  /** The largest request body in bytes. */
  readonly bodyLimit: number;
  /** `first`: a body declared too large is refused before the key is asked for; `last` (default): after key and limit. */
  readonly bodyLengthCheck?: 'first' | 'last';
  /** Requests free of key and limit, e.g. /health, and paths that do not exist. */
  readonly open?: (request: IncomingMessage & { path: string }) => boolean;
  readonly counters?: RequestCounters;
  readonly metrics?: Metrics | undefined;
  /** Adds the routes; whatever they do not answer is a 404. */
  readonly routes: (app: Express) => void;
}

/**
 * The HTTP app every program starts from. A request passes, in this order: counters, client address, CORS (which answers
 * OPTIONS), API key, rate limit, body, routes, 404, error edge. Each step is a middleware of its own file.
 */
export function createHttpApp(options: HttpAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);

  app.use(countRequests(options.counters ?? new RequestCounters(), options.metrics));
  app.use((_request, response, next) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    next();
  });
  app.use(clientAddress(options.clientAddress ?? 'connection'));
  if (options.cors) app.use(cors(options.cors));
  if (options.bodyLengthCheck === 'first') app.use(bodyLength(options.bodyLimit));
  if (options.apiKey) app.use(apiKey({ ...options.apiKey, exempt: either(options.open, options.apiKey.exempt) }));
  if (options.rateLimit)
    app.use(rateLimit({ ...options.rateLimit, exempt: either(options.open, options.rateLimit.exempt) }));
  app.use(readBody(options.bodyLimit));
  options.routes(app);
  app.use(notFound);
  app.use(errorEdge(options.refusalBody, options.logger));
  return app;
}

function either(
  open: HttpAppOptions['open'],
  exempt: ((request: IncomingMessage) => boolean) | undefined,
): (request: IncomingMessage) => boolean {
  return (request) => (open?.(request as Request) ?? false) || (exempt?.(request) ?? false);
}
