import { docsRoutes, healthRoutes, metricsRoute, openApiRoute, type Route } from '@wrkz/service-kit';
import type { PowContext } from '../context';
import { deletePow } from './delete-pow';
import { POW_SERVICE } from './description';
import { getHealth } from './get-health';
import { getPow } from './get-pow';
import { getRoot } from './get-root';
import { getStats } from './get-stats';
import { postPow } from './post-pow';
import { KEY, KEY_AND_LIMIT } from './route';

export type PowRoute = Route<PowContext, never>;

/** Every route that an instance serves. */
export function powRoutes({ metrics, isReady }: Pick<PowContext, 'isReady' | 'metrics'>): readonly PowRoute[] {
  const routes: PowRoute[] = [
    getRoot,
    getHealth,
    getStats,
    postPow,
    getPow,
    deletePow,
    ...healthRoutes(async () => ({ ready: await isReady() })),
    ...(metrics === undefined ? [] : [metricsRoute(metrics, KEY)]),
  ];
  routes.push(openApiRoute(POW_SERVICE, () => routes, { guards: KEY_AND_LIMIT }));
  routes.push(...docsRoutes(POW_SERVICE, { routes: () => routes }));
  return routes;
}
