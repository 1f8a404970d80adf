import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { IncomingMessage, RequestListener } from 'node:http';
import { errorText } from '../error-text';
import type { Logger } from '../logging/logger';
import type { Metrics } from '../metrics/metrics';
import { apiKey, ApiKeyOptions } from './api-key';
import { bodyLength, readBody } from './body';
import { clientAddress, ClientAddressMode } from './client-address';
import { cors, CorsOptions } from './cors';
import { countRequests, RequestCounters } from './counters';
import { errorHandler, notFound, OnRefusal, RefusalBody } from './error-handler';
import { markRoute } from './matched-route';
import { logAnswers } from './answer-log';
import type { HttpError } from './errors';
import { foreignCallerCheck } from './foreign-callers';
import { type RateCounter, rateCounter, rateLimit, type RateLimitOptions } from './rate-limit';
import { identify } from './request-id';
import type { BoundRoute } from './routes/bind';
import { type UpgradeGuard, upgradeGuard } from './upgrade';

export interface HttpAppOptions {
  readonly logger: Logger;
  /** Words and shape of every refusal. */
  readonly refusalBody: RefusalBody;
  /** Hears of every refusal, e.g. to count it. */
  readonly onRefusal?: OnRefusal;
  readonly clientAddress?: ClientAddressMode;
  readonly cors?: CorsOptions;
  /** Stand on every answer, refusals included. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Names, besides those of this machine, that requests to a loopback listener may be addressed to (`*`: any), whereupon
   * pages of other origins than that of `cors` are refused there too. Left out: nobody is asked.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Asked of the routes whose declaration says so; the same with the limit. */
  readonly apiKey?: ApiKeyOptions;
  readonly rateLimit?: RateLimitOptions;
  /** The largest request body in bytes. */
  readonly bodyLimit: number;
  /** `first`: a body declared too large is refused before the key is asked for; `last` (default): after key and limit. */
  readonly bodyLengthCheck?: 'first' | 'last';
  readonly counters?: RequestCounters;
  readonly metrics?: Metrics | undefined;
  /** How long an answer may be held back on purpose, in seconds, for the buckets of the histogram. */
  readonly longestAnswerSeconds?: number;
  /** Whatever none of them answers is a 404. */
  readonly routes: readonly BoundRoute[];
}

/** Answers requests; what asks for another protocol is asked by the same guards, which count together. */
export interface HttpApp extends RequestListener {
  readonly upgrades: UpgradeGuard;
}

/**
 * The HTTP app every program starts from. A request passes, in this order: counters, id, client address, CORS (which answers
 * OPTIONS), the match with a declared route, Host and Origin, and then what that route declares: API key, rate limit, body,
 * handler. What matches no route is a 404 before anything is asked or counted. Each step is a middleware of its own file.
 */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  const { clientAddress: addressMode = 'connection' } = options;
  const headers = Object.entries(options.headers ?? {});
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');

  app.use(countRequests(options.counters ?? new RequestCounters(), options.metrics, options.longestAnswerSeconds));
  app.use(identify(addressMode !== 'connection'), logAnswers(options.logger));
  app.use((_request, response, next) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  });
  app.use(clientAddress(addressMode));
  if (options.cors) app.use(nameRouteOfOptions(options.routes), cors(options.cors));
  const guards = commonGuards(options);
  const steps = stepsBefore(options, guards);
  for (const route of options.routes) {
    const verb = route.method.toLowerCase() as Lowercase<typeof route.method>;
    app[verb](route.pattern, ...steps(route), route.handler);
  }
  app.use(notFound);
  app.use(errorHandler(options.refusalBody, options.logger, options.onRefusal));
  const { origin } = options.cors ?? {};
  const upgrades = upgradeGuard({
    ...guards,
    clientAddress: addressMode,
    apiKey: options.apiKey ?? { key: undefined },
    origin,
    body: options.refusalBody,
  });
  return Object.assign(answerAll(app, options.logger), { upgrades });
}

interface CommonGuards {
  readonly foreign: (request: IncomingMessage) => HttpError | undefined;
  readonly count: RateCounter;
}

/** What routes and upgrades ask alike. */
function commonGuards({ allowedHosts, cors: crossOrigin, rateLimit: limit }: HttpAppOptions): CommonGuards {
  return {
    foreign:
      allowedHosts === undefined ? () => undefined : foreignCallerCheck({ allowedHosts, origin: crossOrigin?.origin }),
    count: rateCounter(limit ?? { perMinute: 0 }),
  };
}

/** A target whose path no route has. */
const NO_PATH = '*';

/**
 * What express gives up on it would answer with a page of its own, uncounted, and outside production with a stack: a target
 * without a path, such as `http://[`, which is a path that is not there, and an error within the error handler, which only
 * the log is to see.
 */
function answerAll(app: Express, logger: Logger): RequestListener {
  return (request, response) =>
    app(request as Request, response as Response, (error?: unknown) => {
      if (error === undefined && request.url !== NO_PATH) {
        request.url = NO_PATH;
        app(request, response);
      } else {
        logger.error(`a request could not be answered: ${errorText(error)}`);
        request.socket.destroy();
      }
    });
}

/** OPTIONS is answered before anything is matched; the metrics tell it by the declared path all the same. */
function nameRouteOfOptions(routes: readonly BoundRoute[]): RequestHandler {
  return (request, _response, next) => {
    const asked = request.method === 'OPTIONS' && routes.find(({ pattern }) => pattern.test(request.path));
    if (asked) markRoute(request, asked.path);
    next();
  };
}

/** What stands before the handler of a route; the guards of all routes count together. */
function stepsBefore(options: HttpAppOptions, guards: CommonGuards): (route: BoundRoute) => RequestHandler[] {
  const foreign: RequestHandler[] =
    options.allowedHosts === undefined ? [] : [(request, _response, next) => next(guards.foreign(request))];
  const length = options.bodyLengthCheck === 'first' ? [bodyLength(options.bodyLimit)] : [];
  const key = options.apiKey ? [apiKey(options.apiKey)] : [];
  const limit = options.rateLimit ? [rateLimit(guards.count)] : [];
  const body = readBody(options.bodyLimit);
  return ({ path, guards: asked }) => [
    (request, _response, next) => {
      markRoute(request, path);
      next();
    },
    ...foreign,
    ...length,
    ...(asked.key ? key : []),
    ...(asked.limit ? limit : []),
    body,
  ];
}
