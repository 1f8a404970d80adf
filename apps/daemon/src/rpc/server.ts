import type { AddressInfo, Server as TcpServer } from 'node:net';
import { daemonApi } from '@wrkz/api';
import { damageIn, isUnreadableNow } from '@wrkz/chain-db';
import {
  bindRoutes,
  createHttpApp,
  errorText,
  localListener,
  metricsRoute,
  RATE_HEADERS,
  REQUEST_ID_HEADER,
  RequestCounters,
  startHttpServer,
  type BoundRoute,
  type HttpApp,
  type HttpServer,
  type ListenAddress,
  type LocalListener,
  type LocalSocketAddress,
  type Logger,
  type Metrics,
  type PreflightResponse,
  type UpgradeGuard,
  type UpgradeListener,
} from '@wrkz/service-kit';
import { operatorText } from '../damage/damage-watch';
import type { RpcContext } from './context';
import { type DaemonRoute, GUARDED } from './declare';
import { overCapBody, readIfAvailable, refusalBody, refuse } from './errors';
import { nodeHealthRoutes, nodeInfo } from './handlers/node';
import { publishNode, publishRequests, publishSyncCache } from './metrics';
import { allRoutes, routeRules } from './service';
import type { SyncCache } from './sync-cache';

export interface RpcServerOptions {
  readonly bindIp: string;
  readonly port: number;
  /** Address of a second listener on the same port. If it cannot be bound, a warning is logged. */
  readonly bindIpv6?: string | undefined;
  /** An open listener of another process, used instead of the addresses. */
  readonly shared?: TcpServer | undefined;
  /** Max requests per minute of one client address, loopback exempt; 0 = no limit. */
  readonly maxRpm: number;
  readonly maxBodyBytes: number;
  readonly readTimeoutSeconds: number;
  readonly writeTimeoutSeconds: number;
  /** Max open connections of one client address, loopback exempt; 0 = no limit. */
  readonly maxConnectionsPerAddress: number;
  /** Empty: no token is required. */
  readonly accessToken?: string | (() => string);
  /** Whether requests over the local socket need the token. */
  readonly localNeedsToken?: boolean;
  readonly corsOrigin?: string;
  readonly trustProxy?: boolean;
  /** Host names, besides those of this machine, that requests to a loopback listener may have; `*` = any. */
  readonly allowedHosts: readonly string[];
  /** Called with each error of a handler, before the response is sent. */
  readonly onError?: (error: unknown) => void;
  /** Bound routes of one listener. */
  readonly ownRoutes?: readonly BoundRoute[];
  /** Enables `/metrics`. */
  readonly metrics?: Metrics;
  /** Shared by the listeners of a node. Default: each listener has its own. */
  readonly counters?: RequestCounters;
  /** Enables `/health`, `/livez` and `/readyz`. */
  readonly health?: boolean;
  /** The wallet-sync cache, for the metrics. */
  readonly syncCache?: Pick<SyncCache, 'figures'>;
  /** A local socket with the same routes. */
  readonly local?: LocalListener | undefined;
  /** Handles WebSocket upgrades that have passed the guard. */
  readonly upgrade?: ((guard: UpgradeGuard) => UpgradeListener) | undefined;
  /** Binds the declared routes to the context. Default: all are served by this process. */
  readonly bind?: (routes: readonly DaemonRoute[], context: RpcContext) => readonly BoundRoute[];
  /** Additional declared routes. */
  readonly moreRoutes?: readonly DaemonRoute[];
}

/** Counts the responses of all listeners of a node, and publishes the metrics of the RPC if they are enabled. */
export function rpcCounters(
  context: RpcContext,
  { metrics, syncCache }: Pick<RpcServerOptions, 'metrics' | 'syncCache'>,
): RequestCounters {
  const counters = new RequestCounters();
  if (metrics !== undefined) {
    publishNode(metrics, () => readIfAvailable(() => nodeInfo(context)));
    publishRequests(metrics, counters);
    publishSyncCache(metrics, syncCache);
  }
  return counters;
}

/** The daemon's HTTP app: all declared routes behind the guards of service-kit. */
function createRpcApp(context: RpcContext, options: RpcServerOptions, logger: Logger): HttpApp {
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
      withErrorReports(route, options.onError),
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

/** Reports errors of the handler to `onError`. 503 for damage, 503 BUSY while the chain cannot be read. */
function withErrorReports(route: BoundRoute, onError?: (error: unknown) => void): BoundRoute {
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

/** Starts to listen. @throws Error with a message for the operator if the address cannot be bound */
export function startRpcServer(context: RpcContext, options: RpcServerOptions, logger: Logger): Promise<HttpServer> {
  const { shared } = options;
  const app = createRpcApp(context, options, logger);
  return startHttpServer({
    app,
    listen: shared === undefined ? listenAddresses(options) : [{ ...addressOf(shared), shared }],
    local: options.local,
    upgrade: options.upgrade?.(app.upgrades),
    logger,
    limits: {
      // Behind a proxy all clients have the proxy's address.
      maxConnectionsPerAddress: options.trustProxy === true ? 0 : options.maxConnectionsPerAddress,
      overCapBody,
      ...timeouts(options),
    },
  });
}

function listenAddresses({ bindIp, bindIpv6, port }: RpcServerOptions): ListenAddress[] {
  const portOption = 'rpc-bind-port';
  const ipv6 = bindIpv6 === undefined ? [] : [{ host: bindIpv6, port, portOption, required: false }];
  return [{ host: bindIp, port, portOption }, ...ipv6];
}

function addressOf(listener: TcpServer): ListenAddress {
  const { address, port } = listener.address() as AddressInfo;
  return { host: address, port };
}

export interface LocalRpcOptions {
  readonly socket: LocalSocketAddress;
  /** Whether requests over the socket need the access token. */
  readonly requireToken: boolean;
  /** Routes of this listener alone. */
  readonly routes: readonly BoundRoute[];
}

/**
 * Serves the RPC on a local socket. The permissions of its file decide who may connect: there is no rate limit, and the token
 * is required only if configured so.
 *
 * @returns undefined, after a warning, if the socket cannot be opened
 */
export async function startLocalRpc(
  context: RpcContext,
  rpc: RpcServerOptions,
  { socket, requireToken, routes }: LocalRpcOptions,
  logger: Logger,
): Promise<HttpServer | undefined> {
  const guards = { maxRpm: 0, trustProxy: false, localNeedsToken: requireToken };
  try {
    return await startHttpServer({
      app: createRpcApp(context, { ...rpc, ...guards, ownRoutes: routes }, logger),
      listen: [],
      local: localListener(socket, logger),
      logger,
      limits: timeouts(rpc),
    });
  } catch (error) {
    logger.warning(errorText(error));
    return undefined;
  }
}

function timeouts({ readTimeoutSeconds, writeTimeoutSeconds }: RpcServerOptions) {
  return { readTimeoutMs: readTimeoutSeconds * 1000, writeTimeoutMs: writeTimeoutSeconds * 1000 };
}

/** `Access-Control-Allow-Methods` for a preflight, otherwise `Allow`; the value is empty while CORS is off. */
function preflight(request: { headers: Record<string, unknown> }, origin: string | undefined): PreflightResponse {
  const name =
    request.headers['access-control-request-method'] === undefined ? 'Allow' : 'Access-Control-Allow-Methods';
  if (origin === undefined) return { status: 200, headers: { [name]: '' } };
  return {
    status: 200,
    headers: {
      [name]: 'OPTIONS, GET, POST',
      // X-API-Key is not in the reference's list. Without it a page could not send the access token.
      'Access-Control-Allow-Headers': 'Origin, X-Requested-With, Content-Type, Accept, X-API-Key',
    },
  };
}
