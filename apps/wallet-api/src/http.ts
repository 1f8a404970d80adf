import {
  badMethod,
  bindRoutes,
  type BoundRoute,
  createHttpApp,
  type HttpServer,
  localListener,
  localSocketAddress,
  type Logger,
  type RequestCounters,
  startHttpServer,
} from '@wrkz/service-kit';
import { admitToWallet } from './admit';
import { walletListenAddresses, type WalletApiConfig } from './config/config';
import type { WalletApiContext } from './context';
import { walletPreflight } from './preflight';
import { badRequest, failed, bodyOfRefusal } from './refusals';
import { walletRoutes } from './routes';

/** A send of the most destinations that fit a transaction takes some 30 KB. */
const BODY_LIMIT = 1024 * 1024;
const CORS_HEADERS = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'];
/** A send waits for its proof of work, and a sweep for many of them. */
const LONGEST_ANSWER_MS = 3_600_000;

export interface WalletServerOptions {
  readonly config: WalletApiConfig;
  readonly context: WalletApiContext;
  readonly counters: RequestCounters;
  readonly logger: Logger;
  /** The port of both listeners; 0 takes a free one. */
  readonly port: number;
}

/**
 * Serves the routes on every address of the configuration. A local socket that cannot be had is a warning.
 * @throws Error with a message for the operator when the first address cannot be had
 */
export async function startWalletServer(options: WalletServerOptions): Promise<HttpServer[]> {
  const { config, port, logger } = options;
  const app = walletApp(options);
  const limits = { writeTimeoutMs: LONGEST_ANSWER_MS, uncapped: config.trustedProxies };
  const servers = [await startHttpServer({ app, listen: walletListenAddresses(config, port), logger, limits })];
  const { 'rpc-ipc-path': path, 'rpc-ipc-mode': mode, 'rpc-ipc-group': group } = config.options;
  const address = localSocketAddress(path, mode, group);
  if (address === undefined) return servers;
  try {
    servers.push(await startHttpServer({ app, listen: [], local: localListener(address, logger), logger, limits }));
  } catch (error) {
    logger.warning(`the API is not served on the local socket: ${error instanceof Error ? error.message : ''}`);
  }
  return servers;
}

function walletApp({ config, context, counters, logger }: WalletServerOptions): ReturnType<typeof createHttpApp> {
  const { options, trustedProxies } = config;
  return createHttpApp({
    logger,
    refusalBody: bodyOfRefusal,
    clientAddress: trustedProxies.length === 0 ? 'connection' : { trustedProxies },
    cors: { origin: options['enable-cors'], preflight: walletPreflight, exposed: ['X-Request-Id'] },
    apiKey: { key: undefined, judge: context.keys.judge },
    bodyLimit: BODY_LIMIT,
    counters,
    metrics: context.metrics,
    longestAnswerSeconds: LONGEST_ANSWER_MS / 1000,
    routes: boundRoutes(context),
  });
}

/** A body that is no JSON counts as none; whatever is wrong with a member is a bare 400. */
function boundRoutes(context: WalletApiContext): BoundRoute[] {
  const bound = bindRoutes(walletRoutes(context), context, {
    notJson: () => undefined,
    invalid: () => badRequest(),
    admit: admitToWallet,
    failed,
  });
  return [...bound, withoutCors(badMethod(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']))];
}

/** What is no route is no business of other origins, which the reference has so as well. */
function withoutCors(route: BoundRoute): BoundRoute {
  return {
    ...route,
    handler: (request, response, next) => {
      for (const name of CORS_HEADERS) response.removeHeader(name);
      return route.handler(request, response, next);
    },
  };
}
