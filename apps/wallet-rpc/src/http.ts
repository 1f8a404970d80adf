import type { IncomingMessage } from 'node:http';
import { walletRpcApi } from '@wrkz/api';
import {
  bindRoutes,
  bodyText,
  type BoundRoute,
  clientAddressOf,
  createHttpApp,
  docsRoutes,
  FinishedText,
  type Guards,
  healthRoutes,
  type HttpServer,
  localListener,
  type Logger,
  type Metrics,
  metricsRoute,
  type PreflightResponse,
  type RefusalBody,
  RequestCounters,
  secretsEqual,
  sendText,
  startHttpServer,
} from '@wrkz/service-kit';
import { AttemptLimiter } from '@wrkz/wallet-server';
import { serviceListenAddresses, type WalletRpcConfig } from './config';
import type { WalletRpcContext } from './context';
import { SERVICE_DESCRIPTION } from './methods/declare';
import { Envelope, type PasswordCheck } from './envelope';
import { ALL_METHODS } from './methods';

/** Max body size in bytes. A send with the max number of destinations takes about 30 KB; a list of keys may be longer. */
const BODY_LIMIT = 1024 * 1024;
/** Max time of a response. A send waits for its proof of work. */
const RESPONSE_TIMEOUT_MS = 3_600_000;
const NO_GUARDS: Guards = { key: false, limit: false };
const PASSWORD_REQUIRED: Guards = { key: true, limit: false };
/** Request header. With the value 1 an array is executed as a batch. */
const BATCH_HEADER = 'x-json-rpc-batch';

export interface ServiceServerOptions {
  readonly config: WalletRpcConfig;
  readonly context: WalletRpcContext;
  readonly logger: Logger;
  /** Undefined without `--enable-metrics`. */
  readonly metrics: Metrics | undefined;
  /** 0 selects a free port. */
  readonly port: number;
}

/**
 * Listens on the local socket if one is configured, otherwise on the port.
 * @throws Error with a message for the operator
 */
export function startServiceServer({
  config,
  context,
  logger,
  metrics,
  port,
}: ServiceServerOptions): Promise<HttpServer> {
  const { options, socket, trustedProxies } = config;
  const isOpen = options['rpc-legacy-security'];
  const password = isOpen ? undefined : options['rpc-password'];
  // One limiter for wrong passwords in bodies and in headers.
  const attempts = new AttemptLimiter({ now: context.now });
  const judge: PasswordCheck = async (presented, request) =>
    password === undefined ? undefined : attempts.check(request, presented, () => secretsEqual(presented, password));
  const app = createHttpApp({
    logger,
    refusalBody,
    clientAddress: trustedProxies.length === 0 ? 'connection' : { trustedProxies },
    cors: { origin: options['enable-cors'], preflight: servicePreflight, exposed: ['X-Request-Id'] },
    apiKey: { key: undefined, bearer: true, judge },
    // Without a password, a web page in a local browser could spend, so the Host header is restricted.
    ...(isOpen ? { allowedHosts: [] } : {}),
    bodyLimit: BODY_LIMIT,
    counters: new RequestCounters(),
    metrics,
    longestResponseSeconds: RESPONSE_TIMEOUT_MS / 1000,
    routes: [
      jsonRpcRoute(context, new Envelope({ methods: ALL_METHODS, judge, logger })),
      ...otherRoutes(context, metrics),
      unknownRoute,
    ],
  });
  return startHttpServer({
    app,
    listen: serviceListenAddresses(config, port),
    local: socket && localListener(socket, logger),
    logger,
    limits: { writeTimeoutMs: RESPONSE_TIMEOUT_MS, uncapped: trustedProxies },
  });
}

/** The JSON-RPC route. Every HTTP method is accepted. */
function jsonRpcRoute(context: WalletRpcContext, envelope: Envelope): BoundRoute {
  return {
    method: 'ALL',
    path: '/json_rpc',
    pattern: /^\/json_rpc$/,
    guards: NO_GUARDS,
    handler: async ({ request, response }) => {
      const gone = new AbortController();
      const typed = {
        body: undefined,
        query: undefined,
        path: undefined,
        client: clientAddressOf(request),
        gone: gone.signal,
        http: { request, response },
      };
      const isBatch = request.headers[BATCH_HEADER] === '1';
      const text = await envelope.execute(bodyText(request), isBatch, context, typed);
      if (!response.destroyed) await sendText(request, response, 200, new FinishedText('application/json', text));
    },
  };
}

/** The documentation page and health routes, without password, and the metrics, with the password in a header. */
function otherRoutes(context: WalletRpcContext, metrics: Metrics | undefined): BoundRoute[] {
  const docs = docsRoutes(SERVICE_DESCRIPTION, { methods: () => ALL_METHODS, guards: NO_GUARDS });
  const health = healthRoutes(() => ({ ready: !context.wallet.isClosed }));
  const metricsRoutes = metrics === undefined ? [] : [metricsRoute(metrics, PASSWORD_REQUIRED)];
  return bindRoutes([...docs, ...health, ...metricsRoutes], context, {
    notJson: () => undefined,
    invalid: ({ name }) => new RangeError(name),
  });
}

/** Any other path: 404 with a text. */
const unknownRoute: BoundRoute = {
  method: 'ALL',
  path: '{any}',
  pattern: /^/,
  guards: NO_GUARDS,
  handler: ({ response }) => {
    response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('Requested url is not found\n');
  },
};

/** OPTIONS with Access-Control-Request-Method is a preflight. Any other OPTIONS is a request. */
function servicePreflight(
  { headers }: Pick<IncomingMessage, 'headers'>,
  origin: string | undefined,
): PreflightResponse | undefined {
  if (headers['access-control-request-method'] === undefined) return undefined;
  if (origin === undefined) return { status: 204, headers: {} };
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'Content-Type, X-JSON-RPC-Batch',
      'Access-Control-Max-Age': '600',
    },
  };
}

/** Body of errors outside the envelope, such as a body that is too large. */
const refusalBody: RefusalBody = ({ message }) => ({
  error: { code: walletRpcApi.walletRpcEnvelopeErrors.unexpected.code, message },
  jsonrpc: '2.0',
});
