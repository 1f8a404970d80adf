import { daemonApi } from '@wrkz/api';
import { errorsOfMethod, errorsOfRoute, type ErrorRow } from '@wrkz/service-kit';
import { consoleRoute } from '../../src/console/runner';
import { allMethods, allRoutes, description } from '../../src/rpc/service';

/*
 * declarations.test.ts provokes each error that a declaration names. These tests check that declarations name all errors of
 * the tables, so that every text and every status is provoked.
 */

const declared = new Set<ErrorRow>([
  ...allRoutes.flatMap((route) => errorsOfRoute(description, route)),
  ...allMethods.flatMap((method) => errorsOfMethod(description, method)),
  // The route of the local socket.
  ...consoleRoute.errors,
  // Sent before a request is read (http-server.test.ts).
  daemonApi.refusals.tooManyConnections,
  // Returned by every route that reads damaged data (rpc/busy.test.ts, damage.test.ts).
  daemonApi.refusals.damaged,
  // Returned by reader processes, which have no declarations (serve-rpc/node-unavailable.test.ts).
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
