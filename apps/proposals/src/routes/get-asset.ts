import { ASSET_CACHING } from '@wrkz/pages';
import { z } from 'zod';
import type { Site } from '../pages/site';
import { declareListingRoute, UNCOUNTED } from './route';

/** One route a file that pages load: its name changes with what stands in it. */
export function assetRoutes({ assets }: Pick<Site, 'assets'>) {
  return [...assets.values()].map(({ path, contentType, bytes }) =>
    declareListingRoute({
      method: 'GET',
      path,
      summary: 'A file that pages load.',
      guards: UNCOUNTED,
      params: z.object({}),
      response: { contentType, description: 'The file' },
      caching: ASSET_CACHING,
      errors: [],
      handle: () => bytes,
    }),
  );
}
