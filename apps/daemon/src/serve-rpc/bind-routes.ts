import { type BoundRoute, bindRoutes, isJsonObject, parsedBody, requestPath, type RouteRules } from '@wrkz/service-kit';
import type { RpcContext } from '../rpc';
import { checkLabels, checkMode, type DaemonLabels, type DaemonMethod, type DaemonRoute } from '../rpc/declare';
import { allMethods, routeRules } from '../rpc/service';
import type { NodeInfoCache } from './node-client';
import { assertNotForwarded, type ForwardedRequest, type NodeProxy } from './node-proxy';

/** The route whose methods have labels of their own. */
const JSON_RPC = '/json_rpc';
/** Reports that the process is alive, without a request to the node. */
const LIVENESS = '/livez';

const OF_NODE: DaemonLabels = { mode: 'Default', source: 'node' };

const methodsOfNode = new Map<string, DaemonMethod>(
  allMethods.filter(({ labels }) => labels?.source === 'node').map((method) => [method.name, method]),
);

export interface BindDependencies {
  readonly nodeInfo: NodeInfoCache;
  readonly proxy: NodeProxy;
  /** Paths without labels that are also forwarded to the node. */
  readonly nodePaths?: readonly string[] | undefined;
}

/** Binds the node's declarations: routes and methods with the source `node` are forwarded, all others are served here. */
export function bindReaderRoutes(
  routes: readonly DaemonRoute[],
  context: RpcContext,
  { nodeInfo, proxy, nodePaths = [] }: BindDependencies,
): BoundRoute[] {
  const rules: RouteRules<RpcContext, DaemonLabels> = {
    ...routeRules,
    admit: async (labels, own, { request }) => {
      // Routes without labels (/readyz, /metrics) have values of the node, too.
      const needsInfo = labels === undefined ? requestPath(request) !== LIVENESS : labels.source === 'chain and node';
      if (needsInfo) {
        assertNotForwarded(request);
        await nodeInfo.refresh();
      }
      checkLabels(labels, own);
    },
  };
  const forward = (route: BoundRoute, labels: DaemonLabels): BoundRoute['handler'] => {
    return async ({ request, response }) => {
      checkMode(labels, context);
      await proxy.forward(route.path, request, response);
    };
  };
  return routes.flatMap((route) =>
    bindRoutes([route], context, rules).map((bound): BoundRoute => {
      const { labels } = route;
      if (nodePaths.includes(route.path)) return { ...bound, handler: forward(bound, OF_NODE) };
      if (labels?.source === 'node') return { ...bound, handler: forward(bound, labels) };
      if (route.path !== JSON_RPC) return bound;
      return {
        ...bound,
        handler: (exchange) => {
          const ofMethod = methodOf(exchange.request)?.labels;
          return (ofMethod === undefined ? bound.handler : forward(bound, ofMethod))(exchange);
        },
      };
    }),
  );
}

/** The method of a JSON-RPC request, if only the node can serve it. Invalid requests are refused here as by a node. */
function methodOf(request: ForwardedRequest): DaemonMethod | undefined {
  try {
    const body = parsedBody(request);
    const name = isJsonObject(body) ? body['method'] : undefined;
    return typeof name === 'string' ? methodsOfNode.get(name) : undefined;
  } catch {
    return undefined;
  }
}
