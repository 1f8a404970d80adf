import express, { type ErrorRequestHandler } from 'express';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { errorText } from '../error-text';
import type { Logger } from '../log/logger';
import type { Metrics } from '../metrics';
import { clientAddress, type ClientAddressMode, clientAddressOf } from './client-address';
import { HttpError, refusal, type RefusalCode } from './errors';
import { apiKeyCheck, type ApiKeyOptions, cors, type CorsOptions, foreignRequestCheck } from './guards';
import { observer, RequestCounters } from './observe';
import { rateLimiter, type RateLimitOptions } from './rate-limit';
import { assertBodyLength, type Exchange, markRoute, requestPath, readBody } from './request';
import { REQUEST_ID_HEADER, requestIdOf, routeOf } from './request';
import type { BoundRoute } from './routes/bind';
import { FinishedText, sendJson, sendText } from './send';
import { type UpgradeGuard, upgradeGuard } from './upgrade';

/** An error before it is sent. */
export interface Refusal {
  readonly status: number;
  readonly code: RefusalCode;
  readonly message: string;
}

/** Called for every error, even if the client has disconnected. `path`: the declared path, undefined without a route. */
export type OnRefusal = (refused: Refusal, on: { readonly path: string | undefined; readonly client: string }) => void;

/** Creates the body of an error in the format of the service. A FinishedText is not JSON; undefined is an empty body. */
export type RefusalBody = (refused: Refusal, request: IncomingMessage) => unknown;

export interface HttpAppOptions {
  readonly logger: Logger;
  readonly refusalBody: RefusalBody;
  readonly onRefusal?: OnRefusal;
  readonly clientAddress?: ClientAddressMode;
  readonly cors?: CorsOptions;
  /** Headers of every response, errors included. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Enables the check of Host and Origin on loopback listeners: the host names that are allowed besides this machine's. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** For routes that declare the guard `key`. */
  readonly apiKey?: ApiKeyOptions;
  /** For routes that declare the guard `limit`. */
  readonly rateLimit?: RateLimitOptions;
  /** Max bytes of a request body. */
  readonly bodyLimit: number;
  /** `first`: the declared length of the body is checked before the key; `last` (default): after key and rate limit. */
  readonly bodyLengthCheck?: 'first' | 'last';
  readonly counters?: RequestCounters;
  readonly metrics?: Metrics | undefined;
  /** Max seconds of a long poll, for the buckets of the histogram. */
  readonly longestResponseSeconds?: number;
  readonly routes: readonly BoundRoute[];
}

/** Handles requests. The guards count upgrades and requests together. */
export interface HttpApp extends RequestListener {
  readonly upgrades: UpgradeGuard;
}

/** Runs the guards and the handler of a route. Never rejects. */
type Respond = (exchange: Exchange) => Promise<void>;
type Fail = (error: unknown, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * The HTTP app of every service. Each request passes: counters, id, client address, CORS (which responds to OPTIONS), route, Host
 * and Origin, API key, rate limit, body, handler. A request without a route is a 404 before any check.
 *
 * Exact paths are looked up in a table, which costs a third of Express's time (bench/http.bench.ts). Express matches everything
 * else: patterns, queries, HEAD, other methods, absolute targets.
 */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  const { clientAddress: mode = 'connection', counters = new RequestCounters(), routes } = options;
  const resolveClient = clientAddress(mode);
  const headers = Object.entries({
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...options.headers,
  });
  const observe = observer({ ...options, counters });
  const preflight = options.cors && cors(options.cors);
  const fail = errorResponder(options);
  const guards = makeGuards(options);
  const served = routes.map((route) => ({ ...route, respond: responderOf(route, guards.of(route), fail) }));
  const table = exactRoutes(served);
  const router = expressRouter(served, fail);

  const identify = (request: IncomingMessage): void => {
    resolveClient(request);
    requestIdOf(request, mode !== 'connection');
  };

  const listener: RequestListener = (request, response) => {
    observe(request, response);
    identify(request);
    response.setHeader(REQUEST_ID_HEADER, requestIdOf(request));
    for (const [name, value] of headers) response.setHeader(name, value);
    if (request.url?.includes('%') === true) request.url = decodedTarget(request.url);
    if (!hasOneHost(request)) return void fail(refusal('bad_request'), request, response);
    if (request.method === 'OPTIONS' && preflight !== undefined) {
      // For the metrics: a preflight reaches no route.
      const matched = routes.find(({ pattern }) => pattern.test(requestPath(request)));
      if (matched !== undefined) markRoute(request, matched.path);
    }
    if (preflight?.(request, response) === true) return;
    const route = table.get(`${request.method} ${request.url}`);
    if (route === undefined) router(request, response);
    else void route.respond({ request, response, params: {}, query: {} });
  };
  const upgrades = upgradeGuard({
    ...guards,
    identify,
    origin: options.cors?.origin,
    describe: (error, request) => withBody(toHttpError(error), request, options.refusalBody),
  });
  return Object.assign(listener, { upgrades });
}

interface ServedRoute extends BoundRoute {
  readonly respond: Respond;
}

type Guard = (exchange: Exchange) => Promise<void> | undefined;

function makeGuards(options: HttpAppOptions) {
  const { allowedHosts, bodyLimit, bodyLengthCheck } = options;
  const foreign =
    allowedHosts === undefined
      ? (): undefined => undefined
      : foreignRequestCheck({ allowedHosts, origin: options.cors?.origin });
  const key = apiKeyCheck(options.apiKey ?? { key: undefined });
  const limit = rateLimiter(options.rateLimit ?? { perMinute: 0 });
  const all: Record<'foreign' | 'length' | 'key' | 'limit' | 'body', Guard> = {
    foreign: ({ request }) => throwIfAny(foreign(request)),
    length: ({ request }) => void assertBodyLength(request, bodyLimit),
    key: async ({ request }) => throwIfAny(await key(request)),
    limit: ({ request, response }) => limit(request, response),
    body: ({ request }) => readBody(request, bodyLimit),
  };
  const isKeyed = options.apiKey?.judge !== undefined || (options.apiKey?.key ?? '') !== '';
  const isLimited = (options.rateLimit?.perMinute ?? 0) > 0;
  /** The guards of a route, in the order of the checks. */
  const of = ({ guards }: BoundRoute): Guard[] => [
    ...(allowedHosts === undefined ? [] : [all.foreign]),
    ...(bodyLengthCheck === 'first' ? [all.length] : []),
    ...(guards.key && isKeyed ? [all.key] : []),
    ...(guards.limit && isLimited ? [all.limit] : []),
    all.body,
  ];
  return { foreign, key, limit, of };
}

function throwIfAny(error: HttpError | undefined): undefined {
  if (error !== undefined) throw error;
}

function responderOf({ path, handler }: BoundRoute, guards: readonly Guard[], fail: Fail): Respond {
  return async (exchange) => {
    const { request, response } = exchange;
    try {
      markRoute(request, path);
      for (const guard of guards) {
        const pending = guard(exchange);
        if (pending !== undefined) await pending;
      }
      await handler(exchange);
    } catch (error) {
      await fail(error, request, response);
    }
  };
}

/** Routes by method and path, without those that an earlier route may also match. */
function exactRoutes(routes: readonly ServedRoute[]): ReadonlyMap<string, ServedRoute> {
  const table = new Map<string, ServedRoute>();
  for (const route of routes) {
    if (route.path.includes('{')) continue;
    for (const method of route.method === 'ALL' ? ['GET', 'POST'] : [route.method]) {
      const isMatch = (one: BoundRoute): boolean =>
        (one.method === method || one.method === 'ALL') && one.pattern.test(route.path);
      if (routes.find(isMatch) === route) table.set(`${method} ${route.path}`, route);
    }
  }
  return table;
}

function expressRouter(routes: readonly ServedRoute[], fail: Fail): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  for (const route of routes) {
    const verb = route.method.toLowerCase() as Lowercase<typeof route.method>;
    app[verb](route.pattern, (request, response) =>
      route.respond({ request, response, params: request.params, query: request.query }),
    );
  }
  app.use((request, response) => fail(refusal('not_found'), request, response));
  // Express detects an error handler by its four parameters.
  const onError: ErrorRequestHandler = (error, request, response, _next) => fail(error, request, response);
  app.use(onError);
  return (request, response) => {
    const { url = '' } = request;
    // Express's parser writes a deprecation warning to standard error for a target such as `http://a:b/`.
    if (!url.startsWith('/') && !URL.canParse(url)) return void fail(refusal('not_found'), request, response);
    // Express calls this callback for a target without a path.
    app(request as express.Request, response as express.Response, (error?: unknown) => {
      void fail(error ?? refusal('not_found'), request, response);
    });
  };
}

/** The target with its path decoded; unchanged if it is malformed, or if decoding would change its structure. */
function decodedTarget(target: string): string {
  const end = target.indexOf('?');
  const path = end < 0 ? target : target.slice(0, end);
  try {
    const decoded = decodeURIComponent(path);
    return /[%?#\s]/.test(decoded) ? target : decoded + target.slice(path.length);
  } catch {
    return target;
  }
}

/**
 * Whether a request has a single Host header, or none before HTTP/1.1: a proxy and this server could use different ones
 * (RFC 9112, 3.2). Equal headers are accepted, because C++ wallets send each header twice when they repeat a request.
 */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const hosts = new Set<string | undefined>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === 'host') hosts.add(rawHeaders[i + 1]);
  }
  return hosts.size === 1 || (hosts.size === 0 && httpVersion !== '1.1');
}

/** Sends errors. An HttpError is sent as it is; any other error is logged with its stack and sent as 500 with its message. */
function errorResponder({ refusalBody, logger, onRefusal }: HttpAppOptions): Fail {
  return async (error, request, response) => {
    const failure = toHttpError(error);
    const place = `${request.method} ${requestPath(request)}`;
    if (failure.code === 'internal') {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      logger.error(`${place} failed: ${stack}`, { request: requestIdOf(request) });
    }
    try {
      onRefusal?.(failure, { path: routeOf(request), client: clientAddressOf(request) });
      if (response.headersSent || response.destroyed) return void request.socket.destroy();
      for (const [name, value] of Object.entries(failure.headers)) response.setHeader(name, value);
      const { status, body } = withBody(failure, request, refusalBody);
      if (body instanceof FinishedText) await sendText(request, response, status, body);
      else await sendJson(request, response, status, body);
    } catch (broken) {
      logger.error(`${place}: the error response could not be made: ${errorText(broken)}`, {
        request: requestIdOf(request),
      });
      request.socket.destroy();
    }
  };
}

function withBody(failure: HttpError, request: IncomingMessage, refusalBody: RefusalBody): HttpError {
  const { status, code, message, headers, body } = failure;
  return new HttpError(status, code, message, headers, body === undefined ? refusalBody(failure, request) : body);
}

function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  // Express refuses a malformed path with an error that has a status.
  const status = (error as { status?: unknown } | null)?.status;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new HttpError(status, status === 404 ? 'not_found' : 'bad_request', errorText(error));
  }
  return refusal('internal', { message: errorText(error) });
}
