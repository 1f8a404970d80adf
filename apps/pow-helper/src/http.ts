import {
  bindRoutes,
  type BoundRoute,
  createHttpApp,
  guardOtherMethods,
  type HttpServer,
  listenerAddresses,
  type Logger,
  type PreflightResponse,
  startHttpServer,
} from '@wrkz/service-kit';
import type { PowHelperConfig } from './config';
import { powRefusalBody, PowRefusal, rejectionCounter } from './refusals';
import { KEY, type PowContext, powRoutes } from './routes';

const BODY_LIMIT = 524_288;
const REQUESTS_PER_CONNECTION = 64;
const SOCKET_TIMEOUT_MS = 30_000;

/**
 * @param port of both listeners; 0 selects a free port
 * @throws Error with a message for the operator if the first address cannot be bound
 */
export function startPowServer(
  { options, trustedProxies }: PowHelperConfig,
  context: PowContext,
  logger: Logger,
  port: number,
): Promise<HttpServer> {
  const { queue, requests, metrics, stats, now } = context;
  return startHttpServer({
    app: createHttpApp({
      logger,
      refusalBody: powRefusalBody,
      onRefusal: (refused) => {
        const counter = rejectionCounter(refused);
        if (counter !== undefined) stats.count(counter);
      },
      clientAddress: trustedProxies.length === 0 ? 'connection' : { trustedProxies },
      cors: { origin: options['enable-cors'], preflight },
      apiKey: { key: options['api-key'] },
      rateLimit: {
        perMinute: options['rate-limit'],
        counter: queue.counter('requests'),
        now,
      },
      bodyLimit: BODY_LIMIT,
      counters: requests,
      metrics,
      longestResponseSeconds: options['max-wait-ms'] / 1000,
      routes: boundRoutes(context),
    }),
    listen: listenerAddresses(options, port),
    logger,
    limits: {
      readTimeoutMs: SOCKET_TIMEOUT_MS,
      writeTimeoutMs: Math.max(SOCKET_TIMEOUT_MS, options['max-wait-ms'] + SOCKET_TIMEOUT_MS),
      maxRequestsPerConnection: REQUESTS_PER_CONNECTION,
      uncapped: trustedProxies,
    },
  });
}

/**
 * The routes, and guards of their paths for all other methods. /metrics requires the key even if metrics are disabled.
 */
function boundRoutes(context: PowContext): BoundRoute[] {
  const routes = powRoutes(context);
  const bound = bindRoutes(routes, context, {
    strictUtf8: true,
    uniqueNames: true,
    notJson: () => new PowRefusal('badJson'),
    invalid: ({ kind }, row) => new PowRefusal(kind === 'value' && row !== undefined ? 'notHex' : 'noPrefix'),
  });
  return [...bound, ...guardOtherMethods([...routes, { path: '/metrics', guards: KEY }])];
}

/** OPTIONS on any path: 204, with CORS headers if CORS is enabled. */
function preflight(_request: unknown, origin: string | undefined): PreflightResponse {
  if (origin === undefined) return { status: 204, headers: {} };
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
      'Access-Control-Allow-Headers': 'Origin, X-Requested-With, Content-Type, Accept, X-API-KEY',
      'Access-Control-Max-Age': '600',
    },
  };
}
