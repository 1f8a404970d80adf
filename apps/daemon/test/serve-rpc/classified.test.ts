import { createMetrics, metricsRoute } from '@wrkz/service-kit';
import { consoleRoute } from '../../src/console/runner';
import { webSocketRoute } from '../../src/events/websocket/hub';
import { type DaemonLabels, GUARDED } from '../../src/rpc/declare';
import { nodeHealthRoutes } from '../../src/rpc/handlers/node';
import { allMethods, allRoutes } from '../../src/rpc/service';
import { node } from '../rpc/support/provocations';

/* Each route and method has a label for the source of its response. */

/** The methods of the first have labels of their own; the others are about the process that serves the request. */
const WITHOUT = ['/json_rpc', '/metrics', '/livez', '/readyz'];

const declared: readonly { readonly path: string; readonly labels?: DaemonLabels }[] = [
  ...allRoutes,
  ...nodeHealthRoutes(node()),
  metricsRoute(createMetrics('wrkz_'), GUARDED),
  webSocketRoute,
  consoleRoute,
];

test('each route has a source, besides these', () => {
  const unclassified = declared.filter(({ labels }) => labels?.source === undefined).map(({ path }) => path);
  expect([...new Set(unclassified)].sort()).toEqual([...WITHOUT].sort());
});

test('each JSON-RPC method has a source', () => {
  expect(allMethods.filter(({ labels }) => labels?.source === undefined)).toEqual([]);
});

/** Properties of the context that a handler with the source `chain` must not use. */
const MEMORY = /\b(?:pool|mining|events|peers)\b/;

test('no handler with the source `chain` uses the memory of the node', () => {
  const ofChain = [...allRoutes, ...allMethods].filter(({ labels }) => labels?.source === 'chain');
  expect(ofChain.length).toBeGreaterThan(15);
  expect(ofChain.filter(({ handle }) => MEMORY.test(String(handle)))).toEqual([]);
});
