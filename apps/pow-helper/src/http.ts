import {
  bindRoutes,
  createHttpApp,
  guardOtherMethods,
  startHttpServer,
  type BoundRoute,
  type HttpServer,
  type ListenAddress,
  type Logger,
} from '@wrkz/service-kit';
import type { PowHelperConfig } from './config';
import type { PowContext } from './context';
import { preflight } from './preflight';
import { powRefusalBody, PowRefusal, rejectionCounter } from './refusals';
import { powRoutes } from './routes';
import { KEY } from './routes/route';

const BODY_LIMIT = 524_288;
const REQUESTS_PER_CONNECTION = 64;
const SOCKET_TIMEOUT_MS = 30_000;

export interface PowServerOptions {
  readonly config: PowHelperConfig;
  readonly context: PowContext;
  readonly logger: Logger;
  /** The port of both listeners; 0 takes a free one. */
  readonly port: number;
}

/**
 * Serves the routes on every address of the configuration.
 * @throws Error with a message for the operator when the first address cannot be had
 */
export function startPowServer({ config, context, logger, port }: PowServerOptions): Promise<HttpServer> {
  const { options, trustedProxies } = config;
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
      longestAnswerSeconds: options['max-wait-ms'] / 1000,
      routes: boundRoutes(context),
    }),
    listen: powListenAddresses(config, port),
    logger,
    limits: {
      readTimeoutMs: SOCKET_TIMEOUT_MS,
      writeTimeoutMs: Math.max(SOCKET_TIMEOUT_MS, options['max-wait-ms'] + SOCKET_TIMEOUT_MS),
      maxRequestsPerConnection: REQUESTS_PER_CONNECTION,
      uncapped: trustedProxies,
    },
  });
}

/** The address that the helper must have, and the second one that it can do without. */
export function powListenAddresses({ options }: PowHelperConfig, port: number): ListenAddress[] {
  const second = options['bind-ipv6-address']; // an empty text asks for none
  const optional =
    second === undefined || second === '' ? [] : [{ host: second, port, required: false, portOption: 'bind-port' }];
  return [{ host: options['bind-ip'], port, portOption: 'bind-port' }, ...optional];
}

/**
 * The declared routes, and behind them their paths with any other method, which ask for the key and count as the routes
 * do. /metrics asks for the key even while it is switched off.
 */
function boundRoutes(context: PowContext): BoundRoute[] {
  const routes = powRoutes(context);
  const bound = bindRoutes(routes, context, {
    strictUtf8: true,
    notJson: () => new PowRefusal('badJson'),
    invalid: ({ kind }, row) => new PowRefusal(kind === 'value' && row !== undefined ? 'notHex' : 'noPrefix'),
  });
  return [...bound, ...guardOtherMethods([...routes, { path: '/metrics', guards: KEY }])];
}
