import { type BoundRoute, bindRoutes, isJsonObject, parsedBody, requestPath, type RouteRules } from '@wrkz/service-kit';
import { admit, admitMode } from '../rpc/admit';
import type { DaemonLabels, DaemonMethod, DaemonRoute } from '../rpc/declare';
import type { RpcContext } from '../rpc';
import { allMethods, routeRules } from '../rpc/service';
import type { NodeFacts } from './node-facts';
import { assertNotPassed, type PassOn, type PassedRequest } from './pass-on';

/** Whose JSON-RPC methods are classified one by one. */
const JSON_RPC = '/json_rpc';
/** Says that the process lives, and waits for nobody. */
const ALIVE = '/livez';

const methodsOfNode = new Map<string, DaemonMethod>(
  allMethods.filter(({ labels }) => labels?.answeredFrom === 'node').map((method) => [method.name, method]),
);

/** Makes the node's declarations answer here where the chain is enough for it, and at the node where it is not. */
export function bindReader(
  routes: readonly DaemonRoute[],
  context: RpcContext,
  { facts, passOn }: { readonly facts: NodeFacts; readonly passOn: PassOn },
): BoundRoute[] {
  const rules: RouteRules<RpcContext, DaemonLabels> = {
    ...routeRules,
    admit: async (labels, own, { request }) => {
      // What the node says of itself stands in these; those without labels are for who watches this process.
      const asksNode = labels === undefined ? requestPath(request) !== ALIVE : labels.answeredFrom === 'chain and node';
      if (asksNode) {
        assertNotPassed(request);
        await facts.refresh();
      }
      admit(labels, own);
    },
  };
  const pass = (route: BoundRoute, labels: DaemonLabels): BoundRoute['handler'] => {
    return async ({ request, response }) => {
      admitMode(labels, context);
      await passOn.answer(route.path, request, response);
    };
  };
  return routes.flatMap((route) =>
    bindRoutes([route], context, rules).map((bound): BoundRoute => {
      const { labels } = route;
      if (labels?.answeredFrom === 'node') return { ...bound, handler: pass(bound, labels) };
      if (route.path !== JSON_RPC) return bound;
      return {
        ...bound,
        handler: (exchange) => {
          const asked = methodOf(exchange.request)?.labels;
          return (asked === undefined ? bound.handler : pass(bound, asked))(exchange);
        },
      };
    }),
  );
}

/** The method that a request names, where only the node can answer it. What cannot be read is refused as a node does. */
function methodOf(request: PassedRequest): DaemonMethod | undefined {
  try {
    const body = parsedBody(request);
    const name = isJsonObject(body) ? body['method'] : undefined;
    return typeof name === 'string' ? methodsOfNode.get(name) : undefined;
  } catch {
    return undefined;
  }
}
