import { notFound } from '../error-handler';
import { refusal } from '../errors';
import type { BoundRoute } from './bind';
import type { Route } from './declaration';
import { pathPattern } from './path';

/**
 * For an app in which a declared path stays behind its key and limit whatever the method: one route a path that takes all
 * methods, asks what the declared routes of the path ask, and is a 404. It belongs behind the declared routes.
 */
export function guardOtherMethods<Context, Labels>(
  routes: readonly Pick<Route<Context, Labels>, 'guards' | 'params' | 'path'>[],
): BoundRoute[] {
  const byPath = new Map<string, BoundRoute>();
  for (const { path, params, guards } of routes) {
    const before = byPath.get(path)?.guards ?? { key: false, limit: false };
    byPath.set(path, {
      method: 'ALL',
      path,
      pattern: pathPattern(path, params),
      guards: { key: before.key || guards.key, limit: before.limit || guards.limit },
      handler: notFound,
    });
  }
  return [...byPath.values()];
}

/** Behind all routes: a method that the program does not know at all is a 400, on whatever path. */
export function badMethod(known: readonly string[]): BoundRoute {
  return {
    method: 'ALL',
    path: '{any}',
    pattern: /^/,
    guards: { key: false, limit: false },
    handler: (request, _response, next) =>
      next(known.includes(request.method) ? refusal('not_found') : refusal('bad_request')),
  };
}
