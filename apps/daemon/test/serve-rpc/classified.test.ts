import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics, metricsRoute } from '@wrkz/service-kit';
import { consoleRoute } from '../../src/console';
import { webSocketRoute } from '../../src/events/websocket/route';
import { type DaemonLabels, GUARDED } from '../../src/rpc/declare';
import { nodeHealthRoutes } from '../../src/rpc/health';
import { allMethods, allRoutes } from '../../src/rpc/service';
import { node } from '../rpc/support/provocations';

/* Each route and each method says whether the stored chain is enough to answer it; one that does not is found here. */

/** The methods of the one are classified one by one; the others are of the process that is asked, whichever it is. */
const WITHOUT = ['/json_rpc', '/metrics', '/livez', '/readyz'];

const declared: readonly { readonly path: string; readonly labels?: DaemonLabels }[] = [
  ...allRoutes,
  ...nodeHealthRoutes(node()),
  metricsRoute(createMetrics('wrkz_'), GUARDED),
  webSocketRoute,
  consoleRoute,
];

test('every route is classified, and nothing else goes without', () => {
  const unclassified = declared.filter(({ labels }) => labels?.answeredFrom === undefined).map(({ path }) => path);
  expect([...new Set(unclassified)].sort()).toEqual([...WITHOUT].sort());
});

test('every JSON-RPC method is classified', () => {
  expect(allMethods.filter(({ labels }) => labels?.answeredFrom === undefined)).toEqual([]);
});

/** What of the node's memory a handler must not touch where the chain alone is said to be enough. */
const MEMORY = /\b(?:pool|mining|events|peers)\b\s*[,}.]/;

test.each(['routes', 'methods'])(
  'no handler of rpc/%s that the chain is said to be enough for asks the node',
  (folder) => {
    const sources = join(__dirname, '..', '..', 'src', 'rpc', folder);
    const wrong = readdirSync(sources).filter((file) => {
      const text = readFileSync(join(sources, file), 'utf8');
      return /answeredFrom: 'chain'/.test(text) && MEMORY.test(text.slice(text.indexOf('handle')));
    });
    expect(wrong).toEqual([]);
  },
);
