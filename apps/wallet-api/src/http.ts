import type { IncomingMessage } from 'node:http';
import {
  badMethod,
  bindRoutes,
  type BoundRoute,
  createHttpApp,
  errorText,
  type Exchange,
  type HttpServer,
  localListener,
  localSocketAddress,
  type Logger,
  type PreflightResponse,
  type RequestCounters,
  rootCause,
  startHttpServer,
} from '@wrkz/service-kit';
import { isWalletError, storageError, walletError, WalletError } from '@wrkz/wallet-core';
import { walletListenAddresses, type WalletApiConfig } from './config';
import { badRequest, emptyErrorBody, forbidden, httpErrorOf, mapHandlerError } from './errors';
import { covers } from './keys';
import { walletRoutes } from './routes';
import type { WalletApiContext, WalletLabels } from './routes/declare';

/** Max body size in bytes. A send with the maximum number of destinations takes about 30 KB. */
const BODY_LIMIT = 1024 * 1024;
const CORS_HEADERS = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'];
/** Max time of a response. A send waits for its proof of work, a sweep for that of each transaction. */
const RESPONSE_TIMEOUT_MS = 3_600_000;

export interface WalletServerOptions {
  readonly config: WalletApiConfig;
  readonly context: WalletApiContext;
  readonly counters: RequestCounters;
  readonly logger: Logger;
  /** Port of both listeners; 0 selects a free port. */
  readonly port: number;
}

/**
 * Serves the routes on every address of the configuration. A local socket that cannot be opened is a warning.
 * @throws Error with a message for the operator when the first address cannot be bound
 */
export async function startWalletServer(options: WalletServerOptions): Promise<HttpServer[]> {
  const { config, port, logger } = options;
  const app = createWalletApp(options);
  const limits = { writeTimeoutMs: RESPONSE_TIMEOUT_MS, uncapped: config.trustedProxies };
  const servers = [await startHttpServer({ app, listen: walletListenAddresses(config, port), logger, limits })];
  const { 'rpc-ipc-path': path, 'rpc-ipc-mode': mode, 'rpc-ipc-group': group } = config.options;
  const address = localSocketAddress(path, mode, group);
  if (address === undefined) return servers;
  try {
    servers.push(await startHttpServer({ app, listen: [], local: localListener(address, logger), logger, limits }));
  } catch (error) {
    logger.warning(`the local socket could not be opened: ${error instanceof Error ? error.message : ''}`);
  }
  return servers;
}

function createWalletApp({ config, context, counters, logger }: WalletServerOptions): ReturnType<typeof createHttpApp> {
  const { options, trustedProxies } = config;
  return createHttpApp({
    logger,
    refusalBody: emptyErrorBody,
    clientAddress: trustedProxies.length === 0 ? 'connection' : { trustedProxies },
    cors: { origin: options['enable-cors'], preflight: preflightResponse, exposed: ['X-Request-Id'] },
    apiKey: { key: undefined, judge: context.authenticator.authenticate },
    bodyLimit: BODY_LIMIT,
    counters,
    metrics: context.metrics,
    longestResponseSeconds: RESPONSE_TIMEOUT_MS / 1000,
    routes: boundRoutes(context, logger),
  });
}

/** Logs the cause of an error (`no space left on device`) if its text, which clients parse, does not include it. */
function logFileError(thrown: unknown, logger: Logger): void {
  const error = storageError(thrown);
  if (!isWalletError(error, 'invalidWalletFilename', 'wrongPassword') || error.cause === undefined) return;
  logger.warning(`error ${String(error.code)} was returned: ${errorText(rootCause(error))}`);
}

/** OPTIONS on any path: 200, with the CORS headers if CORS is enabled. */
function preflightResponse(
  { headers }: Pick<IncomingMessage, 'headers'>,
  origin: string | undefined,
): PreflightResponse {
  const methods = origin === undefined ? '' : 'OPTIONS, GET, POST, PUT, DELETE';
  const name = headers['access-control-request-method'] === undefined ? 'Allow' : 'Access-Control-Allow-Methods';
  const allowed = 'Origin, X-Requested-With, Content-Type, Accept, X-API-KEY, Idempotency-Key';
  return {
    status: 200,
    headers: { [name]: methods, ...(origin === undefined ? {} : { 'Access-Control-Allow-Headers': allowed }) },
  };
}

/** As in the C++ program, a body that is not JSON is ignored, and an invalid field results in 400 without a body. */
function boundRoutes(context: WalletApiContext, logger: Logger): BoundRoute[] {
  const bound = bindRoutes(walletRoutes(context), context, {
    notJson: () => undefined,
    uniqueNames: true,
    // Do not log the value, which may be a password.
    invalid: ({ path, kind }) => {
      logger.debug('invalid field', { field: path.join('.'), problem: kind });
      return badRequest();
    },
    admit: authorize,
    failed: (thrown, request) => {
      logFileError(thrown, logger);
      const error = storageError(thrown);
      if (error instanceof WalletError) context.audit?.note(request, { errorCode: error.code });
      return mapHandlerError(error);
    },
  });
  return [...bound, withoutCors(badMethod(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']))];
}

/**
 * Checks the preconditions of a route and starts the audit log line of the request.
 * @throws HttpError 403 for a key with a lower scope or a wallet in the wrong state; 400 illegalViewWalletOperation
 */
export function authorize(
  labels: WalletLabels | undefined,
  { authenticator, wallets, audit }: Pick<WalletApiContext, 'authenticator' | 'wallets' | 'audit'>,
  exchange: Exchange,
): void {
  if (labels === undefined) return;
  const { name, scope } = authenticator.grantOf(exchange.request);
  if (labels.audit !== undefined) audit?.watch(exchange, labels.audit, name);
  if (!covers(scope, labels.scope)) throw forbidden();
  const { current } = wallets;
  if (labels.wallet === 'open' && current === undefined) throw forbidden();
  if (labels.wallet === 'closed' && current !== undefined) throw forbidden();
  if (current?.wallet.snapshot.content.isViewWallet === true && !labels.viewWallet) {
    throw httpErrorOf(walletError.illegalViewWalletOperation());
  }
}

/** Removes the CORS headers: the C++ program sends none for an unknown route. */
function withoutCors(route: BoundRoute): BoundRoute {
  return {
    ...route,
    handler: (exchange) => {
      for (const name of CORS_HEADERS) exchange.response.removeHeader(name);
      return route.handler(exchange);
    },
  };
}
