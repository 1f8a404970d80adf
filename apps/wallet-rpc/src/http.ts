import type { IncomingMessage } from 'node:http';
import { REFERENCE_RENDERER } from '@wrkz/pages';
import {
  bindRoutes,
  type BoundRoute,
  clientAddressOf,
  createHttpApp,
  docsRoute,
  healthRoutes,
  type HttpServer,
  localListener,
  type Logger,
  type PreflightAnswer,
  rawBody,
  type RefusalBody,
  RequestCounters,
  sendJsonText,
  startHttpServer,
} from '@wrkz/service-kit';
import { serviceListenAddresses, type WalletRpcConfig } from './config';
import type { WalletRpcContext } from './context';
import { SERVICE_DESCRIPTION } from './methods/declare';
import { Envelope } from './envelope';
import { ALL_METHODS } from './methods';

/** A send of the most destinations that fit a transaction takes some 30 KB; a list of keys may be longer. */
const BODY_LIMIT = 1024 * 1024;
/** A send waits for its proof of work. */
const LONGEST_ANSWER_MS = 3_600_000;
const NO_GUARDS = { key: false, limit: false };
/** Says that an array is a batch. */
const BATCH_HEADER = 'x-json-rpc-batch';

export interface ServiceServerOptions {
  readonly config: WalletRpcConfig;
  readonly context: WalletRpcContext;
  readonly logger: Logger;
  /** 0 takes a free one. */
  readonly port: number;
}

/**
 * Serves on the port, or on the socket that stands in for it.
 * @throws Error with a message for the operator
 */
export function startServiceServer({ config, context, logger, port }: ServiceServerOptions): Promise<HttpServer> {
  const { options, socket, trustedProxies } = config;
  const isOpen = options['rpc-legacy-security'];
  const app = createHttpApp({
    logger,
    refusalBody,
    clientAddress: trustedProxies.length === 0 ? 'connection' : { trustedProxies },
    cors: { origin: options['enable-cors'], preflight: servicePreflight, exposed: ['X-Request-Id'] },
    // Without a password any page of a browser on this machine could spend.
    ...(isOpen ? { allowedHosts: [] } : {}),
    bodyLimit: BODY_LIMIT,
    counters: new RequestCounters(),
    longestAnswerSeconds: LONGEST_ANSWER_MS / 1000,
    routes: [
      jsonRpcRoute(context, isOpen ? undefined : options['rpc-password'], logger),
      ...besideMethods(context),
      unknownRoute,
    ],
  });
  return startHttpServer({
    app,
    listen: serviceListenAddresses(config, port),
    local: socket && localListener(socket, logger),
    logger,
    limits: { writeTimeoutMs: LONGEST_ANSWER_MS, uncapped: trustedProxies },
  });
}

/** Whatever the method of HTTP, the body is what counts. */
function jsonRpcRoute(context: WalletRpcContext, password: string | undefined, logger: Logger): BoundRoute {
  const envelope = new Envelope({ methods: ALL_METHODS, password, logger, now: context.now });
  return {
    method: 'ALL',
    path: '/json_rpc',
    pattern: /^\/json_rpc$/,
    guards: NO_GUARDS,
    handler: async (request, response) => {
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
      const text = await envelope.answer(rawBody(request).toString('utf8'), isBatch, context, typed);
      if (!response.destroyed) await sendJsonText(request, response, 200, text);
    },
  };
}

/** The page about the methods, and what monitors ask. They need no password, which stands in bodies alone. */
function besideMethods(context: WalletRpcContext): BoundRoute[] {
  const page = docsRoute(SERVICE_DESCRIPTION, () => ({ methods: ALL_METHODS }), REFERENCE_RENDERER, {
    guards: NO_GUARDS,
  });
  const health = healthRoutes(() => ({ ready: !context.wallet.isClosed }));
  return bindRoutes([page, ...health], context, {
    notJson: () => undefined,
    invalid: ({ name }) => new RangeError(name),
  });
}

/** Whatever the path, a text. */
const unknownRoute: BoundRoute = {
  method: 'ALL',
  path: '{any}',
  pattern: /^/,
  guards: NO_GUARDS,
  handler: (_request, response) => {
    response.status(404).type('text/plain').end('Requested url is not found\n');
  },
};

/** What says which method is to come is a preflight; any other OPTIONS is a request like all others. */
function servicePreflight(
  { headers }: Pick<IncomingMessage, 'headers'>,
  origin: string | undefined,
): PreflightAnswer | undefined {
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

/** Refusals of the shared parts, such as a body that is too large. */
const refusalBody: RefusalBody = ({ message }) => ({ error: { code: -32_001, message }, jsonrpc: '2.0' });
