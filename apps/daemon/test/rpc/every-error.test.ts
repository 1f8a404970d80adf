import { daemonApi } from '@wrkz/api';
import { errorsOfMethod, errorsOfRoute, type ErrorRow } from '@wrkz/service-kit';
import { consoleRoute } from '../../src/console/runner';
import { allMethods, allRoutes, description } from '../../src/rpc/service';

/*
 * Each error that a declaration names is provoked in declarations.test.ts; here is counted that no text of the tables is left
 * out of them, so that together every text and every status was seen.
 */

const declared = new Set<ErrorRow>([
  ...allRoutes.flatMap((route) => errorsOfRoute(description, route)),
  ...allMethods.flatMap((method) => errorsOfMethod(description, method)),
  // the route of the local socket alone
  ...consoleRoute.errors,
  // given to a connection, before there is a request (http-server.test.ts)
  daemonApi.refusals.tooManyConnections,
  // returned by every route that meets damage (rpc/busy.test.ts, damage.test.ts)
  daemonApi.refusals.damaged,
  // given by reader processes, which declare nothing of their own (serve-rpc/node-unavailable.test.ts)
  daemonApi.refusals.nodeAway,
  daemonApi.refusals.nodeSilent,
  daemonApi.refusals.readerOfReader,
]);
const tables: Readonly<Record<string, ErrorRow>> = { ...daemonApi.refusals, ...daemonApi.rpcErrors };

test.each(Object.entries(tables))('%s is an error of some route or method', (_name, row) => {
  expect(declared.has(row)).toBe(true);
});

test('every declared error is in one of the tables', () => {
  const known = new Set(Object.values(tables));
  expect([...declared].filter((row) => !known.has(row))).toEqual([]);
});
