import { proposalsApi } from '@wrkz/api';
import { PAGE_HEADERS } from '@wrkz/pages';
import {
  bindRoutes,
  type BoundRoute,
  createHttpApp,
  type HttpError,
  type HttpServer,
  listenerAddresses,
  type Logger,
  type PreflightResponse,
  startHttpServer,
} from '@wrkz/service-kit';
import type { ProposalsConfig } from './config';
import { errorBody, ProposalsError } from './errors';
import { proposalsRoutes } from './routes';
import { FUNDING_AGE_HEADER, type ProposalsContext } from './routes/declare';

/** Max size of a request body. No route has one. */
const BODY_LIMIT = 1024;
const METHODS = 'GET, HEAD, OPTIONS';

/**
 * @param port of both listeners; 0 selects a free port
 * @throws Error with a message for the operator if the first address cannot be bound
 */
export function startProposalsServer(
  { options, trustedProxies }: ProposalsConfig,
  context: ProposalsContext,
  logger: Logger,
  port: number,
): Promise<HttpServer> {
  return startHttpServer({
    app: createHttpApp({
      logger,
      refusalBody: errorBody(context.site),
      clientAddress: trustedProxies.length === 0 ? 'connection' : { trustedProxies },
      cors: { origin: '*', under: '/api/', exposed: [FUNDING_AGE_HEADER, 'ETag', 'Retry-After'], preflight },
      headers: PAGE_HEADERS,
      rateLimit: { perMinute: options['rate-limit'], now: context.now },
      bodyLimit: BODY_LIMIT,
      counters: context.requests,
      metrics: context.metrics,
      routes: boundRoutes(context),
    }),
    listen: listenerAddresses(options, port),
    logger,
    limits: { uncapped: trustedProxies },
  });
}

/** The routes, and an error for all other methods of their paths. */
function boundRoutes(context: ProposalsContext): BoundRoute[] {
  const bound = bindRoutes(proposalsRoutes(context), context, {
    // Unreachable, because no route has a body.
    notJson: () => new ProposalsError('internal'),
    invalid: ({ name, value }) => invalidQuery(name, value),
  });
  const otherMethods = bound.map((route): BoundRoute => ({
    ...route,
    method: 'ALL',
    handler: () => {
      throw new ProposalsError('methodNotAllowed', {}, { Allow: METHODS });
    },
  }));
  return [...bound, ...otherMethods];
}

const { listQuery, isIntegerText } = proposalsApi;

/** @param sent the value, or the values of a repeated parameter */
function invalidQuery(name: string, sent: unknown): HttpError {
  if (name === 'address') return new ProposalsError('repeatedAddress');
  const value: unknown = Array.isArray(sent) ? sent[0] : sent;
  if (!isIntegerText(value)) return new ProposalsError('wrongType', { name });
  const { minimum, maximum } = (listQuery.shape[name as keyof typeof listQuery.shape]?.meta() ?? {}) as {
    readonly minimum?: number;
    readonly maximum?: number;
  };
  return new ProposalsError('outOfRange', { name, lowest: String(minimum), highest: String(maximum) });
}

/** OPTIONS on any path: 204, with CORS headers below /api/. */
function preflight(_request: unknown, origin: string | undefined): PreflightResponse {
  const headers = { Allow: METHODS };
  if (origin === undefined) return { status: 204, headers };
  return {
    status: 204,
    headers: {
      ...headers,
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': 'If-None-Match',
      'Access-Control-Max-Age': '600',
    },
  };
}
