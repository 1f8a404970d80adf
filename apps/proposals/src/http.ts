import {
  bindRoutes,
  createHttpApp,
  FinishedText,
  HttpError,
  startHttpServer,
  type BoundRoute,
  type HttpServer,
  type ListenAddress,
  type Logger,
  type PreflightResponse,
  type RefusalBody,
} from '@wrkz/service-kit';
import { proposalsApi } from '@wrkz/api';
import { PAGE_HEADERS } from '@wrkz/pages';
import type { ProposalsConfig } from './config';
import type { ProposalsContext } from './context';
import { refusedPage } from './pages/refused';
import type { Site } from './pages/site';
import { isForPrograms, ProposalRefusal, refusalJson, refusalText } from './refusals';
import { proposalsRoutes } from './routes';
import { FUNDING_AGE_HEADER } from './routes/funding-age';
import { HTML_TYPE } from './routes/route';

/** Nothing here reads a body. */
const BODY_LIMIT = 1024;
const METHODS = 'GET, HEAD, OPTIONS';
const API = '/api/';

export interface ProposalsServerOptions {
  readonly config: ProposalsConfig;
  readonly context: ProposalsContext;
  readonly logger: Logger;
  /** The port of both listeners; 0 takes a free one. */
  readonly port: number;
}

/**
 * Serves the routes on every address of the configuration.
 * @throws Error with a message for the operator when the first address cannot be had
 */
export function startProposalsServer({ config, context, logger, port }: ProposalsServerOptions): Promise<HttpServer> {
  const { options, trustedProxies } = config;
  return startHttpServer({
    app: createHttpApp({
      logger,
      refusalBody: refusalBody(context.site),
      clientAddress: trustedProxies.length === 0 ? 'connection' : { trustedProxies },
      cors: { origin: '*', under: API, exposed: [FUNDING_AGE_HEADER, 'ETag', 'Retry-After'], preflight },
      headers: PAGE_HEADERS,
      rateLimit: { perMinute: options['rate-limit'], now: context.now },
      bodyLimit: BODY_LIMIT,
      counters: context.requests,
      metrics: context.metrics,
      routes: boundRoutes(context),
    }),
    listen: proposalsListenAddresses(config, port),
    logger,
    limits: { uncapped: trustedProxies },
  });
}

/** The address that the program must have, and the second one that it can do without. */
export function proposalsListenAddresses({ options }: ProposalsConfig, port: number): ListenAddress[] {
  const second = options['bind-ipv6-address']; // an empty text asks for none
  const optional =
    second === undefined || second === '' ? [] : [{ host: second, port, required: false, portOption: 'bind-port' }];
  return [{ host: options['bind-ip'], port, portOption: 'bind-port' }, ...optional];
}

/** The declared routes, and behind them their paths with any other method. */
function boundRoutes(context: ProposalsContext): BoundRoute[] {
  const bound = bindRoutes(proposalsRoutes(context), context, {
    notJson: () => new ProposalRefusal('internal'), // no route has a body
    invalid: ({ name, value }) => invalidField(name, value),
  });
  const notAllowed = new ProposalRefusal('methodNotAllowed', {}, { Allow: METHODS });
  const others = bound.map((route): BoundRoute => ({
    ...route,
    method: 'ALL',
    handler: () => {
      throw notAllowed;
    },
  }));
  return [...bound, ...others];
}

const { listQuery, isIntegerText } = proposalsApi;

/** The error of a query field: a repeated address, or a number that is invalid or out of range. */
function invalidField(name: string, sent: unknown): HttpError {
  if (name === 'address') return new ProposalRefusal('repeatedAddress');
  const value: unknown = Array.isArray(sent) ? sent[0] : sent;
  if (!isIntegerText(value)) return new ProposalRefusal('wrongType', { name });
  const { minimum, maximum } = (listQuery.shape[name as keyof typeof listQuery.shape]?.meta() ?? {}) as Bounds;
  return new ProposalRefusal('outOfRange', { name, lowest: String(minimum), highest: String(maximum) });
}

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** What programs ask for is refused in JSON, the rest on a page. */
function refusalBody(site: Site): RefusalBody {
  return (refused, request) =>
    isForPrograms(request.url ?? '')
      ? refusalJson(refused, request)
      : new FinishedText(HTML_TYPE, site.page(refusedPage(refused.status, refusalText(refused))));
}

/** OPTIONS on any path: 204, below /api/ with what pages of other origins may do. */
function preflight(_request: unknown, origin: string | undefined): PreflightResponse {
  const allow = { Allow: METHODS };
  if (origin === undefined) return { status: 204, headers: allow };
  return {
    status: 204,
    headers: {
      ...allow,
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': 'If-None-Match',
      'Access-Control-Max-Age': '600',
    },
  };
}
