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
import { getEvents } from '../events/routes/get-events';
import type { RpcContext } from './context';
import { checkLabels, GUARDED, grants, type DaemonLabels, type DaemonMethod, type DaemonRoute } from './declare';
import { refuse, refuseField, refuseNotJson } from './errors';
import * as blocks from './handlers/blocks';
import * as mining from './handlers/mining';
import * as node from './handlers/node';
import * as sync from './handlers/sync';
import * as transactions from './handlers/transactions';

const { refusals } = daemonApi;

/** The rules of the daemon for its routes. */
export const routeRules: RouteRules<RpcContext, DaemonLabels> = {
  notJson: refuseNotJson,
  invalid: refuseField,
  admit: checkLabels,
};

/** Title and description of the API documents, and the errors that follow from the parts of a declaration. */
export const description: ServiceDescription<RpcContext, DaemonLabels> = {
  title: 'WrkzCoin daemon',
  version: VERSION,
  description:
    'A full node. Amounts are atomic units. Heights are block indexes, unless a field is described as a count. ' +
    'Unknown paths return 404 with an empty body. Options enable further routes: /livez, /readyz and /health ' +
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
    ...fieldErrors(body),
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

function fieldErrors(fields: Fields | undefined): ErrorRow[] {
  if (fields === undefined) return [];
  const hasRequired = Object.values<z.ZodType>(fields.shape).some((schema) => !schema.safeParse(undefined).success);
  return [...(hasRequired ? [refusals.missing] : []), refusals.wrongType];
}

const DEFAULT: DaemonLabels = { mode: 'Default', source: 'chain' };

/** All JSON-RPC methods. Names are case sensitive. */
export const allMethods: readonly DaemonMethod[] = [
  blocks.getblockcount,
  blocks.getlastblockheader,
  blocks.getblockheaderbyhash,
  blocks.getblockheaderbyheight,
  blocks.getrulesdigest,
  mining.getblocktemplate,
  mining.submitblock,
  mining.generateblocks,
  blocks.fBlocksListJson,
  blocks.fBlockJson,
  transactions.fTransactionJson,
  transactions.fOnTransactionsPoolJson,
  transactions.fTransactionsByPaymentIdJson,
  discoverMethod(description, () => allMethods, DEFAULT),
];

/** All routes, including `/json_rpc` and the API documents. */
export const allRoutes: readonly DaemonRoute[] = [
  node.info,
  node.getinfo,
  node.height,
  node.getheight,
  node.peers,
  node.fee,
  transactions.sendRawTransaction,
  sync.getRandomOuts,
  sync.getWalletSyncData,
  sync.getGlobalIndexesForRange,
  blocks.queryBlocksLite,
  blocks.queryBlocksDetailed,
  transactions.getTransactionsStatus,
  transactions.getPoolChangesLite,
  sync.getOIndexes,
  sync.getRawBlocks,
  getEvents,
  ...jsonRpcRoutes<RpcContext, DaemonLabels>({
    path: '/json_rpc',
    verbs: ['GET', 'POST'],
    guards: GUARDED,
    summary: 'JSON-RPC 2.0, without batches; rpc.discover lists the methods. The body of a GET is read, too.',
    request: daemonApi.rpcRequest,
    response: daemonApi.rpcResponse,
    errors: [refusals.invalidId, refusals.notFound, refusals.internal],
    invalidRequest: { id: refusals.invalidId },
    methods: allMethods,
    invalid: refuseField,
    admit: checkLabels,
    unknownMethod: () => refuse(refusals.notFound),
  }),
  openApiRoute(description, () => allRoutes, { guards: GUARDED, labels: DEFAULT }),
  ...docsRoutes(description, { routes: () => allRoutes, methods: () => allMethods, labels: DEFAULT }),
];
