import { daemonApi } from '@wrkz/api';
import {
  discoverMethod,
  docsRoutes,
  jsonRpcRoutes,
  openApiRoute,
  VERSION,
  type ErrorRow,
  type Fields,
  type RouteRules,
  type ServiceDescription,
} from '@wrkz/service-kit';
import type { z } from 'zod';
import { admit, grants } from './admit';
import { GUARDED, type DaemonLabels, type DaemonMethod, type DaemonRoute } from './declare';
import { refuse, refuseMember, refuseNotJson } from './errors';
import { methods } from './methods';
import type { RpcContext } from './ports';
import { routes } from './routes';

const { refusals } = daemonApi;

/** What the daemon adds to its declarations. */
export const routeRules: RouteRules<RpcContext, DaemonLabels> = {
  notJson: refuseNotJson,
  invalid: refuseMember,
  admit,
};

/** The heads of the daemon's documents, and the errors that follow from what a declaration says. */
export const description: ServiceDescription<RpcContext, DaemonLabels> = {
  title: 'WrkzCoin daemon',
  version: VERSION,
  description:
    'A full node. Amounts are atomic units. Heights are counts where they are called so, else indexes. ' +
    'Whatever is not found answers 404 without a body. Beside these routes, options switch on /livez, /readyz and /health ' +
    '(--enable-health), /metrics (--enable-metrics) and /ws (--enable-websocket).',
  errorBody: daemonApi.daemonErrorBody,
  routeErrors: ({ guards, body, labels }) => [
    ...(guards.key ? [refusals.unauthorized] : []),
    ...(guards.limit ? [refusals.tooManyRequests] : []),
    refusals.foreignHost,
    refusals.foreignOrigin,
    refusals.bodyTooLarge,
    refusals.unsupportedEncoding,
    ...(body === undefined ? [] : [refusals.notJson]),
    ...labelErrors(labels),
    ...memberErrors(body),
  ],
  methodErrors: ({ params, labels }) => [
    ...labelErrors(labels),
    ...(params === undefined ? [] : [refusals.missing, refusals.wrongType]),
  ],
};

function labelErrors(labels: DaemonLabels | undefined): ErrorRow[] {
  return [
    ...(labels !== undefined && !grants(labels.mode, false) ? [refusals.forbidden] : []),
    ...(labels?.mode === 'MiningEnabled' ? [refusals.miningOff] : []),
    ...(labels?.needsSync === true ? [refusals.notSynced] : []),
  ];
}

function memberErrors(members: Fields | undefined): ErrorRow[] {
  if (members === undefined) return [];
  const needed = Object.values<z.ZodType>(members.shape).some((schema) => !schema.safeParse(undefined).success);
  return [...(needed ? [refusals.missing] : []), refusals.wrongType];
}

const DEFAULT: DaemonLabels = { mode: 'Default', answeredFrom: 'chain' };

/** Every JSON-RPC method. */
export const allMethods: readonly DaemonMethod[] = [...methods, discoverMethod(description, () => allMethods, DEFAULT)];

/** Every route, `/json_rpc` and the document among them. */
export const allRoutes: readonly DaemonRoute[] = [
  ...routes,
  ...jsonRpcRoutes<RpcContext, DaemonLabels>({
    path: '/json_rpc',
    verbs: ['GET', 'POST'],
    guards: GUARDED,
    summary: 'JSON-RPC 2.0, without batches; rpc.discover tells the methods. The body of a GET is read too.',
    request: daemonApi.rpcRequest,
    answer: daemonApi.rpcAnswer,
    errors: [refusals.invalidId, refusals.notFound, refusals.internal],
    invalidRequest: { id: refusals.invalidId },
    methods: allMethods,
    invalid: refuseMember,
    admit,
    unknownMethod: () => refuse(refusals.notFound),
  }),
  openApiRoute(description, () => allRoutes, { guards: GUARDED, labels: DEFAULT }),
  ...docsRoutes(description, { routes: () => allRoutes, methods: () => allMethods, labels: DEFAULT }),
];
