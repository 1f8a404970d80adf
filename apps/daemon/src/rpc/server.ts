import type { RequestListener } from 'node:http';
import {
  bindRoutes,
  createHttpApp,
  metricsRoute,
  startHttpServer,
  type BoundRoute,
  type HttpServer,
  type Logger,
  type Metrics,
  type PreflightAnswer,
} from '@wrkz/service-kit';
import { GUARDED, type DaemonRoute } from './declare';
import { refusalBody } from './errors';
import type { RpcContext } from './ports';
import { allRoutes, routeRules } from './service';

export interface RpcServerOptions {
  readonly bindIp: string;
  readonly port: number;
  /** Requests a minute for one client address, loopback exempt; 0 = no limit. */
  readonly maxRpm: number;
  readonly maxBodyBytes: number;
  readonly readTimeoutSeconds: number;
  readonly writeTimeoutSeconds: number;
  readonly accessToken?: string;
  readonly corsOrigin?: string;
  readonly trustProxy?: boolean;
  /** Hears of what a handler threw, before it is answered. */
  readonly onError?: (error: unknown) => void;
  /** Routes of one listener alone, bound already. */
  readonly ownRoutes?: readonly BoundRoute[];
  /** Served under `/metrics` where there are any. */
  readonly metrics?: Metrics;
}

/** What holds when nobody says otherwise (docs/protocol/rpc.md#limits). */
export const RPC_DEFAULTS = { maxBodyBytes: 2_097_152, readTimeoutSeconds: 15, writeTimeoutSeconds: 30 } as const;

/** Open connections of one address, loopback exempt: each may hold one answer of some megabytes that nobody reads. */
const CONNECTIONS_PER_ADDRESS = 64;

/** The daemon's HTTP app: every declared route behind the shared chain of checks. */
export function createRpcApp(context: RpcContext, options: RpcServerOptions, logger: Logger): RequestListener {
  return createHttpApp({
    logger,
    refusalBody,
    clientAddress: options.trustProxy === true ? 'x-forwarded-for-first' : 'connection',
    cors: { origin: options.corsOrigin, preflight },
    apiKey: { key: options.accessToken, bearer: true },
    rateLimit: { perMinute: options.maxRpm, exemptLoopback: true },
    bodyLimit: options.maxBodyBytes,
    bodyLengthCheck: 'first',
    metrics: options.metrics,
    routes: [...bindRoutes(routesOf(options), context, routeRules), ...(options.ownRoutes ?? [])].map((route) =>
      reporting(route, options.onError),
    ),
  });
}

function routesOf({ metrics }: RpcServerOptions): readonly DaemonRoute[] {
  return metrics === undefined ? allRoutes : [...allRoutes, metricsRoute(metrics, GUARDED)];
}

/** The route, with what its handler throws told to `onError`. */
function reporting(route: BoundRoute, onError: ((error: unknown) => void) | undefined): BoundRoute {
  if (onError === undefined) return route;
  return {
    ...route,
    handler: async (request, response, next) => {
      try {
        await route.handler(request, response, next);
      } catch (error) {
        onError(error);
        throw error;
      }
    },
  };
}

/** Starts listening. @throws Error with a message for the operator when the address cannot be had. */
export function startRpcServer(context: RpcContext, options: RpcServerOptions, logger: Logger): Promise<HttpServer> {
  return startHttpServer({
    app: createRpcApp(context, options, logger),
    listen: [{ host: options.bindIp, port: options.port }],
    logger,
    limits: {
      // Behind a proxy all callers share its address.
      maxConnectionsPerAddress: options.trustProxy === true ? 0 : CONNECTIONS_PER_ADDRESS,
      readTimeoutMs: options.readTimeoutSeconds * 1000,
      writeTimeoutMs: options.writeTimeoutSeconds * 1000,
    },
  });
}

/** `Access-Control-Allow-Methods` for a real preflight, `Allow` otherwise; the value is empty while CORS is off. */
function preflight(request: { headers: Record<string, unknown> }, origin: string | undefined): PreflightAnswer {
  const name =
    request.headers['access-control-request-method'] === undefined ? 'Allow' : 'Access-Control-Allow-Methods';
  if (origin === undefined) return { status: 200, headers: { [name]: '' } };
  return {
    status: 200,
    headers: {
      [name]: 'OPTIONS, GET, POST',
      // The key's header is listed beyond the reference, or a browser with a token could not call at all.
      'Access-Control-Allow-Headers': 'Origin, X-Requested-With, Content-Type, Accept, X-API-Key',
    },
  };
}
