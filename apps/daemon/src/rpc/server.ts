import { daemonApi } from '@wrkz/api';
import { damageIn, isUnreadableNow } from '@wrkz/chain-db';
import {
  bindRoutes,
  createHttpApp,
  metricsRoute,
  RATE_HEADERS,
  REQUEST_ID_HEADER,
  RequestCounters,
  startHttpServer,
  type BoundRoute,
  type HttpApp,
  type HttpServer,
  type LocalListener,
  type Logger,
  type Metrics,
  type PreflightAnswer,
  type UpgradeGuard,
  type UpgradeListener,
} from '@wrkz/service-kit';
import { operatorText } from '../damage/operator-text';
import { GUARDED, type DaemonRoute } from './declare';
import { overCapBody, refusalBody, refuse } from './errors';
import { nodeHealthRoutes } from './health';
import { publishAnswers, publishNode } from './node-metrics';
import type { RpcContext } from './ports';
import { readOrNothing } from './readable';
import { nodeInfo } from './routes/info';
import { allRoutes, routeRules } from './service';
import { publishSyncCache, type SyncCache } from './sync-cache';

export interface RpcServerOptions {
  readonly bindIp: string;
  readonly port: number;
  /** The address of a second listener on the same port; a failure to have it is a warning. */
  readonly bindIpv6?: string | undefined;
  /** Requests a minute for one client address, loopback exempt; 0 = no limit. */
  readonly maxRpm: number;
  readonly maxBodyBytes: number;
  readonly readTimeoutSeconds: number;
  readonly writeTimeoutSeconds: number;
  /** Open connections of one client address, loopback exempt; 0 = no cap. */
  readonly maxConnectionsPerAddress: number;
  /** Empty: no token is required. */
  readonly accessToken?: string | (() => string);
  /** Callers over the local socket need the token too. */
  readonly localNeedsToken?: boolean;
  readonly corsOrigin?: string;
  readonly trustProxy?: boolean;
  /** Names, besides those of this machine, that requests to a loopback listener may be addressed to; `*` = any. */
  readonly allowedHosts: readonly string[];
  /** Hears of what a handler threw, before it is answered. */
  readonly onError?: (error: unknown) => void;
  /** Routes of one listener alone, bound already. */
  readonly ownRoutes?: readonly BoundRoute[];
  /** Served under `/metrics` where there are any. */
  readonly metrics?: Metrics;
  /** Shared by the listeners of one node; each has its own without. */
  readonly counters?: RequestCounters;
  /** Whether `/health`, `/livez` and `/readyz` are there. */
  readonly health?: boolean;
  /** Asked for wallet-sync answers before the readers; its figures are among the metrics. */
  readonly syncCache?: Pick<SyncCache, 'figures'>;
  /** A socket file that serves the same routes. */
  readonly local?: LocalListener | undefined;
  /** Takes over what asks for WebSocket, once the guard has let it in. */
  readonly upgrade?: ((guard: UpgradeGuard) => UpgradeListener) | undefined;
  /** Makes the declarations answer; left out, all of them are answered here. */
  readonly bind?: (routes: readonly DaemonRoute[], context: RpcContext) => readonly BoundRoute[];
  /** Served beside the others. */
  readonly moreRoutes?: readonly DaemonRoute[];
}

/** What holds when nobody says otherwise (docs/protocol/rpc.md#limits). */
export const RPC_DEFAULTS = {
  maxBodyBytes: 2_097_152,
  readTimeoutSeconds: 15,
  writeTimeoutSeconds: 30,
  /** Each may hold one answer of some megabytes that nobody reads. */
  maxConnectionsPerAddress: 64,
  allowedHosts: [],
} as const satisfies Partial<RpcServerOptions>;

/** Counts the answers of a node, of all its listeners together; published where there are metrics. */
export function rpcCounters(
  context: RpcContext,
  { metrics, syncCache }: Pick<RpcServerOptions, 'metrics' | 'syncCache'>,
): RequestCounters {
  const counters = new RequestCounters();
  if (metrics !== undefined) {
    publishNode(metrics, () => readOrNothing(() => nodeInfo(context)));
    publishAnswers(metrics, counters);
    publishSyncCache(metrics, () => syncCache?.figures);
  }
  return counters;
}

/** The daemon's HTTP app: every declared route behind the shared chain of checks. */
export function createRpcApp(context: RpcContext, options: RpcServerOptions, logger: Logger): HttpApp {
  const { metrics, bind = bindHere, counters = rpcCounters(context, options) } = options;
  return createHttpApp({
    logger,
    refusalBody,
    clientAddress: options.trustProxy === true ? 'x-forwarded-for-first' : 'connection',
    cors: { origin: options.corsOrigin, preflight, exposed: [REQUEST_ID_HEADER, ...RATE_HEADERS, 'Retry-After'] },
    allowedHosts: options.allowedHosts,
    apiKey: { key: options.accessToken, bearer: true, local: options.localNeedsToken ?? false },
    rateLimit: { perMinute: options.maxRpm, exemptLoopback: true },
    bodyLimit: options.maxBodyBytes,
    bodyLengthCheck: 'first',
    counters,
    metrics,
    routes: [...bind(routesOf(options, context), context), ...(options.ownRoutes ?? [])].map((route) =>
      reporting(route, options.onError),
    ),
  });
}

const bindHere = (routes: readonly DaemonRoute[], context: RpcContext): readonly BoundRoute[] =>
  bindRoutes(routes, context, routeRules);

function routesOf({ metrics, health, moreRoutes = [] }: RpcServerOptions, context: RpcContext): readonly DaemonRoute[] {
  return [
    ...allRoutes,
    ...(metrics === undefined ? [] : [metricsRoute(metrics, GUARDED)]),
    ...(health === true ? nodeHealthRoutes(context) : []),
    ...moreRoutes,
  ];
}

/** The route. Reports errors of its handler to `onError`; 503 for damage, and BUSY for a chain that cannot be read now. */
function reporting(route: BoundRoute, onError?: (error: unknown) => void): BoundRoute {
  return {
    ...route,
    handler: async (exchange) => {
      try {
        await route.handler(exchange);
      } catch (error) {
        onError?.(error);
        const damage = damageIn(error);
        if (damage !== undefined) throw refuse(daemonApi.refusals.damaged, { message: operatorText(damage) });
        throw isUnreadableNow(error) ? refuse(daemonApi.refusals.busy) : error;
      }
    },
  };
}

/** Starts listening. @throws Error with a message for the operator when the address cannot be had. */
export function startRpcServer(context: RpcContext, options: RpcServerOptions, logger: Logger): Promise<HttpServer> {
  const { bindIp, bindIpv6, port } = options;
  const portOption = 'rpc-bind-port';
  const app = createRpcApp(context, options, logger);
  return startHttpServer({
    app,
    listen: [
      { host: bindIp, port, portOption },
      ...(bindIpv6 === undefined ? [] : [{ host: bindIpv6, port, portOption, required: false }]),
    ],
    local: options.local,
    upgrade: options.upgrade?.(app.upgrades),
    logger,
    limits: {
      // Behind a proxy all callers share its address.
      maxConnectionsPerAddress: options.trustProxy === true ? 0 : options.maxConnectionsPerAddress,
      overCapBody,
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
